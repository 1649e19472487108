import { ApiClient } from './api-client.ts'
import type { Appliance } from './appliance.ts'

// Accounts of a running server, made as an administrator makes them.

/** Someone with the role member in a project of its own. */
export type Member = {
  readonly projectId: string
  readonly token: string
  readonly client: ApiClient
}

const identity = '/identity/v3'
const password = 'a-password-of-the-tests'

/** Makes a project and a member of it, and logs in. */
export async function newMember(server: Appliance, project: string): Promise<Member> {
  const create = async (path: string, body: Record<string, object>) => {
    const created = await server.json<Record<string, { id: string }>>('POST', identity + path, body)
    return Object.values(created)[0]?.id ?? ''
  }
  const projectId = await create('/projects', { project: { name: project } })
  const userId = await create('/users', { user: { name: `user-of-${project}`, password } })
  const { roles } = await server.json<{ roles: { id: string }[] }>(
    'GET',
    `${identity}/roles?name=member`,
  )
  const grant = `/projects/${projectId}/users/${userId}/roles/${roles[0]?.id}`
  await server.json('PUT', identity + grant)
  const auth = {
    identity: { methods: ['password'], password: { user: { id: userId, password } } },
    scope: { project: { id: projectId } },
  }
  const login = await server.request('POST', `${identity}/auth/tokens`, { auth })
  const token = login.headers.get('x-subject-token') ?? ''
  return { projectId, token, client: new ApiClient(server.apiUrl, { 'x-auth-token': token }) }
}
