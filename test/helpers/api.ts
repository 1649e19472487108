import type { Test } from 'tap'
import { identityMount } from '../../src/api/identity/mount.ts'
import { type HealthParts, rootMount } from '../../src/api/root.ts'
import type { Mount } from '../../src/api/route-table.ts'
import { type CaughtUp, createApi } from '../../src/api/server.ts'
import { plainVersions } from '../../src/api/versions.ts'
import type { ConnectionCaps } from '../../src/connection-table.ts'
import type { RoleName } from '../../src/identity/caller.ts'
import { type Identity, openIdentity } from '../../src/identity/identity.ts'
import type { OpenidSettings } from '../../src/identity/openid/openid-logins.ts'
import type { Logger } from '../../src/log.ts'
import type { Store } from '../../src/store/store.ts'
import { ensureMember } from './accounts.ts'
import { ApiClient } from './api-client.ts'
import { cheapCost } from './cheap-cost.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { type Documented, documentedBy } from './documented.ts'
import { silentLogger } from './log.ts'
import { openMemoryStore } from './memory-store.ts'

export const testAdminPassword = 'the-password-of-the-tests'
export const testAdminToken = 'the-admin-token-of-the-tests'

export type TestApiParts = {
  readonly store: Store
  readonly clock: FakeClock
  readonly identity: Identity
}

export type TestApiOptions = Partial<HealthParts> & {
  /** The mounts under test; identity, versions and health are there besides. */
  readonly mounts?: (parts: TestApiParts) => readonly Mount[]
  /** The store to serve, so that a second server can be started on it. */
  readonly store?: Store
  readonly clock?: FakeClock
  readonly logger?: Logger
  readonly publicUrl?: string
  readonly adminToken?: string | undefined
  /** Whether requests from the machine itself need no credentials. */
  readonly allowsNoAuth?: boolean
  /** A provider that logins can be delegated to. */
  readonly openid?: OpenidSettings
  /** Default: a free one. */
  readonly port?: number
  /** Of a store that others have, too. */
  readonly caughtUp?: CaughtUp
  /** Where the built pages of the console are. */
  readonly consoleFolder?: string
  readonly trustedProxies?: readonly string[]
  readonly connectionCaps?: ConnectionCaps
}

/** A served API. */
export type TestApi = TestApiParts & {
  readonly url: string
  /** A client without credentials. */
  readonly anonymous: ApiClient
  /** The administrator. */
  readonly admin: ApiClient
  /** A user with a role in the project of the same name; both are created where missing. */
  clientOf(who: { readonly project: string; readonly role?: RoleName }): Promise<ApiClient>
  close(options?: { readonly deadlineMs: number }): Promise<void>
}

/** Serves the API over real HTTP on a free port, on a memory store and a clock that stands still, until the
 *  test ends. */
export async function startApi(t: Test, options: TestApiOptions = {}): Promise<TestApi> {
  const clock = options.clock ?? fakeClock()
  const store = options.store ?? openMemoryStore({ clock })
  const { identity } = await openIdentity({
    store,
    clock,
    adminPassword: testAdminPassword,
    adminToken: 'adminToken' in options ? options.adminToken : testAdminToken,
    allowsNoAuth: options.allowsNoAuth ?? false,
    cost: cheapCost,
    openid: options.openid,
  })
  const parts = { store, clock, identity }
  const mounts = [
    ...(options.mounts?.(parts) ?? []),
    identityMount(identity),
    rootMount({
      versions: plainVersions,
      readiness: () => [],
      readOnlyReason: () => undefined,
      ...options,
    }),
  ]
  const api = createApi({
    identity,
    logger: options.logger ?? silentLogger,
    publicUrl: options.publicUrl,
    caughtUp: options.caughtUp,
    ...(options.consoleFolder !== undefined && { consoleFolder: options.consoleFolder }),
    ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
    ...(options.connectionCaps && { connectionCaps: options.connectionCaps }),
    mounts,
  })
  const { host, port } = await api.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  const close = (closing = { deadlineMs: 1_000 }) => api.close(closing)
  t.teardown(() => close())
  const url = `http://${host}:${port}`
  let documented: Documented | undefined
  const anonymous = new ApiClient(url, {}, () => (documented ??= documentedBy(mounts)))
  return {
    ...parts,
    url,
    anonymous,
    admin: anonymous.with({ 'x-auth-token': testAdminToken }),
    async clientOf({ project, role = 'member' }) {
      const account = await ensureMember(store, { project, role })
      const proof = { methods: ['password'], shown: undefined } as const
      const { token } = identity.sessions.issue(account, proof)
      return anonymous.with({ 'x-auth-token': token })
    },
    close,
  }
}
