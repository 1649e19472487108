import type { Cluster } from '../cluster/cluster.ts'
import { openIdentity } from '../identity/identity.ts'
import type { FailedLogin } from '../identity/logins.ts'
import { ensureDefaultPool } from '../service/pools/pools.ts'
import type { LowdbStore } from '../store/lowdb-store.ts'
import { keepPassword } from './data-directory.ts'
import { FailedLoginLog } from './failed-login-log.ts'
import type { AppOptions } from './options.ts'
import { insist, WhenWritable } from './when-writable.ts'

// The composition root's part for accounts and access.

/** Creates the first rows of a store where they are missing. */
export async function openAccess(
  options: AppOptions & { readonly cluster: Cluster },
  store: LowdbStore,
) {
  const postponed = new WhenWritable()
  const whenWritable = (work: () => Promise<void>) => postponed.attempt(work)
  // A first start makes the key of tokens.
  const open = await insist(() => openAccounts({ ...options, store, whenWritable }))
  await whenWritable(() => ensureDefaultPool(store))
  return { postponed, ...open }
}

/** Opens the identity service, with failed logins in the log. */
function openAccounts({
  store,
  config,
  clock,
  logger,
  cluster,
  passwordCost,
  whenWritable,
}: AppOptions & {
  readonly cluster: Cluster
  readonly store: LowdbStore
  readonly whenWritable: (work: () => Promise<void>) => Promise<void>
}) {
  const failedLogins = new FailedLoginLog({ clock, logger })
  const onFailedLogin = (failure: FailedLogin) => failedLogins.note(failure)
  // With an external Keystone it cannot be used to log in.
  const keep =
    config.keystone === undefined
      ? (password: string) => keepPassword(config.dataDir, password)
      : undefined
  return openIdentity({
    store,
    clock,
    ...config,
    onFailedLogin,
    // An attacker can guess at each node.
    sharers: () => cluster.nodeCount,
    keepPassword: keep,
    whenWritable,
    ...(passwordCost !== undefined && { cost: passwordCost }),
  })
}
