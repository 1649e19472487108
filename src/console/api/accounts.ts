import type { Static } from 'typebox'
import type {
  newApplicationCredentialAnswer,
  project,
  role,
  secondFactorAnswer,
  user,
} from '../../api/identity/answers.ts'
import { call, send } from './client.ts'
import { list } from './lists.ts'

/** A project or a user as the identity service shows it. */
export type Account = Static<typeof project> | Static<typeof user>

export type Role = Static<typeof role>

/** Limits of a project by name; a negative number means no limit. */
export type Quotas = Readonly<Record<string, number>>

const identity = '/identity/v3'
const allProjects = { 'x-auth-all-projects': 'true' }

export const listProjects = () => list<Account>('projects', { path: `${identity}/projects` })

export const listUsers = () => list<Account>('users', { path: `${identity}/users` })

export const listRoles = () => list<Role>('roles', { path: `${identity}/roles` })

export async function createProject(name: string): Promise<void> {
  await send({ method: 'POST', path: `${identity}/projects`, body: { project: { name } } })
}

export async function createUser(name: string, password: string): Promise<void> {
  const body = { user: { name, password } }
  await send({ method: 'POST', path: `${identity}/users`, body })
}

/** Enables an account, or disables it at once. */
export async function setEnabled(kind: 'user' | 'project', id: string, enabled: boolean) {
  const path = `${identity}/${kind}s/${id}`
  await send({ method: 'PATCH', path, body: { [kind]: { enabled } } })
}

/** The assignment of a role in a project to a user. */
export type Assignment = Readonly<Record<'user' | 'project' | 'role', Pick<Account, 'id' | 'name'>>>

type AssignmentView = Pick<Assignment, 'user' | 'role'> & {
  readonly scope: Pick<Assignment, 'project'>
}

export async function listAssignments(): Promise<readonly Assignment[]> {
  const path = `${identity}/role_assignments`
  const views = await list<AssignmentView>('role_assignments', {
    path,
    query: { include_names: true },
  })
  return views.map(({ user, role, scope }) => ({ user, role, project: scope.project }))
}

export async function grantRole(grant: Readonly<Record<keyof Assignment, string>>): Promise<void> {
  const { user, project, role } = grant
  await send({ method: 'PUT', path: `${identity}/projects/${project}/users/${user}/roles/${role}` })
}

export async function revokeRole({ user, project, role }: Assignment): Promise<void> {
  const path = `${identity}/projects/${project.id}/users/${user.id}/roles/${role.id}`
  await send({ method: 'DELETE', path })
}

export function getQuotas(projectId: string): Promise<Quotas> {
  return call({ path: `/v2/quotas/${projectId}`, headers: allProjects })
}

/** @param quotas what is no number is refused */
export function setQuotas(
  projectId: string,
  quotas: Readonly<Record<string, number | string>>,
): Promise<Quotas> {
  const path = `/v2/quotas/${projectId}`
  return call({ method: 'PATCH', path, headers: allProjects, body: quotas })
}

/** Sets the user's own password; tokens from the old one become invalid. */
export async function changePassword(userId: string, original: string, password: string) {
  const body = { user: { original_password: original, password } }
  await send({ method: 'POST', path: `${identity}/users/${userId}/password`, body })
}

/** Whether a login asks for passcodes. */
export type SecondFactor = Static<typeof secondFactorAnswer>['totp']

export async function getSecondFactor(userId: string): Promise<SecondFactor> {
  return (await call<{ totp: SecondFactor }>({ path: `${identity}/users/${userId}/totp` })).totp
}

/** Requires passcodes for the user's own login; resolves with the recovery codes. Earlier tokens become invalid.
 *  @param secret base32 */
export async function setUpSecondFactor(
  userId: string,
  totp: { readonly secret: string; readonly passcode: string },
): Promise<readonly string[]> {
  const answer = await call<{ totp: { recovery_codes: readonly string[] } }>({
    method: 'PUT',
    path: `${identity}/users/${userId}/totp`,
    body: { totp },
  })
  return answer.totp.recovery_codes
}

export async function removeSecondFactor(userId: string): Promise<void> {
  await send({ method: 'DELETE', path: `${identity}/users/${userId}/totp` })
}

type NewCredential = Static<typeof newApplicationCredentialAnswer>['application_credential']

/** An application credential: what a program signs in with, bound to the project it was made in. The secret is only in the
 *  response to its creation. */
export type Credential = Omit<NewCredential, 'secret'> & Partial<NewCredential>

export function listCredentials(userId: string): Promise<readonly Credential[]> {
  const path = `${identity}/users/${userId}/application_credentials`
  return list('application_credentials', { path })
}

export async function createCredential(userId: string, name: string): Promise<Credential> {
  const answer = await call<{ application_credential: Credential }>({
    method: 'POST',
    path: `${identity}/users/${userId}/application_credentials`,
    body: { application_credential: { name } },
  })
  return answer.application_credential
}

export async function deleteCredential(userId: string, id: string): Promise<void> {
  const path = `${identity}/users/${userId}/application_credentials/${id}`
  await send({ method: 'DELETE', path })
}
