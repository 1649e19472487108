import type { Account } from '../../src/identity/accounts.ts'
import { type Identity, openIdentity } from '../../src/identity/identity.ts'
import type { Principal } from '../../src/identity/principal.ts'
import type { Store } from '../../src/store/store.ts'
import { ensureMember } from './accounts.ts'
import { cheapCost } from './cheap-cost.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { openMemoryStore } from './memory-store.ts'

export type TestDirectory = {
  readonly store: Store
  readonly clock: FakeClock
  readonly identity: Identity
  readonly directory: Identity['directory']
  readonly admin: Principal
  /** A member of the project alpha. */
  readonly member: Account
  roleId(name: string): string
}

/** The directory with its initial rows, one project and one member. */
export async function openDirectory(): Promise<TestDirectory> {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const options = { store, clock, adminPassword: 'given', adminToken: 'fixed', cost: cheapCost }
  const { identity } = await openIdentity(options)
  const member = await ensureMember(store, { project: 'alpha', role: 'member', password: 'secret' })
  const admin = identity.administrator.findByToken('fixed')
  if (admin === undefined) throw new Error('there is no administrator')
  const roleId = (name: string) => {
    const role = store.find('roles', 'byName', name)
    if (role === undefined) throw new Error(`there is no role ${name}`)
    return role.id
  }
  return { store, clock, identity, directory: identity.directory, admin, member, roleId }
}

export const conflict = { name: 'ApiError', type: 'conflict' }
export const forbidden = { name: 'ApiError', type: 'forbidden' }
export const notFound = { name: 'ApiError', type: 'not_found' }
export const badRequest = { name: 'ApiError', type: 'bad_request' }
