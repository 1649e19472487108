import { realFiles } from '../durable/file-system.ts'
import { openIdentity } from '../identity/identity.ts'
import type { FailedLogin } from '../identity/logins.ts'
import { ensureDefaultPool } from '../service/pools/pools.ts'
import { BoundedLog } from './bounded-log.ts'
import { keepPassword } from './data-directory.ts'
import type { AppOptions, CommonParts } from './options.ts'
import { insist, WhenWritable } from './when-writable.ts'

// The composition root's part for accounts and access.

type AccessParts = AppOptions & Pick<CommonParts, 'store' | 'cluster'>

/** Creates the first rows of a store where they are missing. */
export async function openAccess(parts: AccessParts) {
  const postponed = new WhenWritable()
  const whenWritable = (work: () => Promise<void>) => postponed.attempt(work)
  // A first start makes the key of tokens.
  const open = await insist(() => openAccounts(parts, whenWritable))
  await whenWritable(() => ensureDefaultPool(parts.store))
  return { postponed, ...open }
}

/** Opens the identity service, with failed logins in the log. */
function openAccounts(
  { store, config, clock, logger, cluster, passwordCost }: AccessParts,
  whenWritable: (work: () => Promise<void>) => Promise<void>,
) {
  const failedLogins = new BoundedLog({ clock, logger }, 'login failed')
  const onFailedLogin = (failure: FailedLogin) => failedLogins.note(failure.peer, failure)
  // With an external Keystone it cannot be used to log in.
  const keep =
    config.keystone === undefined
      ? (password: string) =>
          keepPassword({ files: realFiles, directory: config.dataDir }, password)
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
