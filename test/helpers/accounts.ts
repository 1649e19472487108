import { createHash } from 'node:crypto'
import { type Account, enabledDomainOf, scopeIn } from '../../src/identity/accounts.ts'
import { hashPassword } from '../../src/identity/passwords.ts'
import { defaultDomainId, type User } from '../../src/model/identity.ts'
import { keyOf } from '../../src/store/indexes.ts'
import type { Store } from '../../src/store/store.ts'
import { cheapCost } from './cheap-cost.ts'

export type TestMember = {
  /** The project's name, and its id as well, so that tests can name it. */
  readonly project: string
  readonly role: string
  /** The account's; a test that logs in with it sets it. */
  readonly password?: string
}

/** The name of the account with a role in a project. */
export function memberNameOf({ project, role }: TestMember): string {
  return `${role}-of-${project}`
}

/** Creates, where missing, a project and an account with one role in it; the project is the account's default. */
export async function ensureMember(store: Store, member: TestMember): Promise<Account> {
  const name = memberNameOf(member)
  const passwordHash = await hashPassword(member.password ?? name, cheapCost)
  const userId = idOf(name)
  await store.commit(tx => {
    if (tx.get('users', userId) !== undefined) return
    const stamp = { version: 1, createdAt: tx.atMicros, updatedAt: null }
    const common = { ...stamp, domainId: defaultDomainId, isEnabled: true }
    const described = { ...common, description: '' }
    const project = { ...described, id: member.project, name: member.project }
    if (tx.get('projects', project.id) === undefined) tx.put('projects', project)
    const account = { email: null, defaultProjectId: project.id, passwordHash }
    const user: User = { ...described, ...account, id: userId, name }
    tx.put('users', user)
    const role = tx.find('roles', 'byName', member.role)
    if (role === undefined) throw new Error(`there is no role ${member.role}`)
    const parts = { userId, projectId: project.id, roleId: role.id }
    const id = idOf(keyOf(...Object.values(parts)))
    tx.put('roleAssignments', { ...stamp, id, ...parts })
  })
  return accountOf(store, userId)
}

function accountOf(store: Store, userId: string): Account {
  const user = store.get('users', userId)
  const userDomain = user === undefined ? undefined : enabledDomainOf(store, user)
  if (user === undefined || userDomain === undefined) throw new Error('the account was not made')
  const project = store.get('projects', user.defaultProjectId ?? '')
  return { user, userDomain, scope: scopeIn(store, user, project), credential: undefined }
}

function idOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32)
}
