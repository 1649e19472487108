import type { Cluster } from '../cluster/cluster.ts'
import { openIdentity } from '../identity/identity.ts'
import type { FailedLogin } from '../identity/logins.ts'
import { ensureDefaultPool } from '../service/pools/pools.ts'
import type { LowdbStore } from '../store/lowdb-store.ts'
import { keepPassword } from './data-directory.ts'
import { FailedLoginLog } from './failed-login-log.ts'
import type { AppOptions } from './options.ts'
import { WhenWritable } from './when-writable.ts'

// The composition root's part about who may use the store.

/** Makes the first rows of a store where they are missing. */
export async function openAccess(
  options: AppOptions & { readonly cluster: Cluster },
  store: LowdbStore,
) {
  const postponed = new WhenWritable()
  const whenWritable = (work: () => Promise<void>) => postponed.attempt(work)
  const open = await openAccounts({ ...options, store, whenWritable })
  await whenWritable(() => ensureDefaultPool(store))
  return { postponed, ...open }
}

/** Who is who, with failed logins in the log. */
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
  // With an external Keystone nobody can log in with it.
  const keep =
    config.keystone === undefined
      ? (password: string) => keepPassword(config.dataDir, password)
      : undefined
  return openIdentity({
    store,
    clock,
    ...config,
    onFailedLogin,
    // Whoever guesses can do so at each node.
    sharers: () => cluster.nodeCount,
    keepPassword: keep,
    whenWritable,
    ...(passwordCost !== undefined && { cost: passwordCost }),
  })
}
