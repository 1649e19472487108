import { ApiClient } from './api-client.ts'
import { type Appliance, adminToken } from './appliance.ts'

// Accounts of a running server, created as an administrator creates them.

/** A user with one role in one project. */
export type Account = {
  readonly projectId: string
  readonly userId: string
  readonly roleId: string
}

/** A user with the role member in a project of its own. */
export type Member = {
  readonly projectId: string
  readonly token: string
  readonly client: ApiClient
}

const identity = '/identity/v3'
/** Of every account made here. */
export const accountPassword = 'a-password-of-the-tests'

/** Makes a project and a member of it, and logs in. */
export async function newMember(server: Appliance, project: string): Promise<Member> {
  const anonymous = new ApiClient(server.apiUrl)
  const admin = anonymous.with({ 'x-auth-token': adminToken })
  const projectId = await newProject(admin, project)
  const account = await newAccount(admin, { name: `user-of-${project}`, projectId, role: 'member' })
  const token = await login(anonymous, account)
  return { projectId, token, client: anonymous.with({ 'x-auth-token': token }) }
}

/** Makes a project; returns its id. */
export function newProject(admin: ApiClient, name: string): Promise<string> {
  return create(admin, '/projects', { project: { name } })
}

/** Makes a user with a role in a project. */
export async function newAccount(
  admin: ApiClient,
  who: { readonly name: string; readonly projectId: string; readonly role: string },
): Promise<Account> {
  const { name, projectId, role } = who
  const userId = await create(admin, '/users', { user: { name, password: accountPassword } })
  const { roles } = (await admin.get(`${identity}/roles?name=${role}`)).body
  const roleId: string = roles[0].id
  const grant = `${identity}/projects/${projectId}/users/${userId}/roles/${roleId}`
  const granted = await admin.put(grant)
  if (granted.status !== 204) throw new Error(`PUT ${grant}: ${granted.text}`)
  return { projectId, userId, roleId }
}

/** Logs in for the account's project; returns the token. */
export async function login(anonymous: ApiClient, { userId, projectId }: Account): Promise<string> {
  const method = {
    methods: ['password'],
    password: { user: { id: userId, password: accountPassword } },
  }
  const auth = { identity: method, scope: { project: { id: projectId } } }
  const answer = await anonymous.post(`${identity}/auth/tokens`, { auth })
  const token = answer.headers.get('x-subject-token')
  if (token === null) throw new Error(`no token: ${answer.text}`)
  return token
}

async function create(admin: ApiClient, path: string, body: object): Promise<string> {
  const answer = await admin.post(identity + path, body)
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`)
  return (Object.values(answer.body)[0] as { id: string }).id
}
