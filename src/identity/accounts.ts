import {
  type ApplicationCredential,
  type Domain,
  defaultDomainId,
  type Project,
  type Role,
  type User,
} from '../model/identity.ts'
import { keyOf } from '../store/indexes.ts'
import type { StoreReader } from '../store/store.ts'
import { withImpliedRoles } from './policy.ts'

/** How a client names a domain: by id, or by name. */
type DomainReference = { readonly id?: string; readonly name?: string }

/** How a client names a user or a project: by id, or by name within a domain. */
export type Reference = DomainReference & { readonly domain?: DomainReference }

/** How a client names an application credential: by id, or by its user and name. */
export type CredentialReference = {
  readonly id?: string
  readonly name?: string
  readonly user?: Reference
}

/** A principal from our own rows. */
export type Account = {
  readonly user: User
  readonly userDomain: Domain
  /** Undefined: no project was asked for, or the user has no default one that it may use. */
  readonly scope: AccountScope | undefined
  readonly credential: ApplicationCredential | undefined
}

/** A project and the roles of a user in it. */
export type AccountScope = {
  readonly project: Project
  readonly domain: Domain
  /** At least one; those implied by others are written out. */
  readonly roles: readonly Role[]
}

export function findDomain(store: StoreReader, reference: DomainReference): Domain | undefined {
  if (reference.id !== undefined) return store.get('domains', reference.id)
  if (reference.name === undefined) return undefined
  return store.find('domains', 'byName', reference.name.toLowerCase())
}

export function findUser(store: StoreReader, reference: Reference): User | undefined {
  if (reference.id !== undefined) return store.get('users', reference.id)
  const key = nameKey(store, reference)
  return key === undefined ? undefined : store.find('users', 'byName', key)
}

export function findProject(store: StoreReader, reference: Reference): Project | undefined {
  if (reference.id !== undefined) return store.get('projects', reference.id)
  const key = nameKey(store, reference)
  return key === undefined ? undefined : store.find('projects', 'byName', key)
}

/** Finds an application credential by id, or by its user and name. */
export function findCredential(
  store: StoreReader,
  reference: CredentialReference,
): ApplicationCredential | undefined {
  if (reference.id !== undefined) return store.get('applicationCredentials', reference.id)
  const user = reference.user === undefined ? undefined : findUser(store, reference.user)
  if (user === undefined || reference.name === undefined) return undefined
  const key = keyOf(user.id, reference.name.toLowerCase())
  return store.find('applicationCredentials', 'byName', key)
}

/** Finds a user of the default domain, which applies where clients cannot give a domain. */
export function findDefaultDomainUser(store: StoreReader, name: string): User | undefined {
  return findUser(store, { name, domain: { id: defaultDomainId } })
}

/** Same, for a project. */
export function findDefaultDomainProject(store: StoreReader, name: string): Project | undefined {
  return findProject(store, { name, domain: { id: defaultDomainId } })
}

/** The domain of an account or project, unless one of them is disabled. */
export function enabledDomainOf(store: StoreReader, row: User | Project): Domain | undefined {
  const domain = store.get('domains', row.domainId)
  return row.isEnabled && domain?.isEnabled === true ? domain : undefined
}

/** The roles of a user in a project; undefined where the project is disabled or the user has no role in it.
 *  O(assignments of the user). */
export function scopeIn(
  store: StoreReader,
  user: User,
  project: Project | undefined,
): AccountScope | undefined {
  const domain = project === undefined ? undefined : enabledDomainOf(store, project)
  if (project === undefined || domain === undefined) return undefined
  const names: string[] = []
  for (const assignment of store.list('roleAssignments', 'byUser', user.id)) {
    if (assignment.projectId !== project.id) continue
    const role = store.get('roles', assignment.roleId)
    if (role !== undefined) names.push(role.name)
  }
  return names.length === 0 ? undefined : { project, domain, roles: rolesNamed(store, names) }
}

/** The roles of a user in its default project, if it has one that it may use. */
export function defaultScopeOf(store: StoreReader, user: User): AccountScope | undefined {
  if (user.defaultProjectId === null) return undefined
  return scopeIn(store, user, store.get('projects', user.defaultProjectId))
}

/** The roles of a user in its only project, where it has roles in exactly one. */
export function onlyScopeOf(store: StoreReader, user: User): AccountScope | undefined {
  const assignments = [...store.list('roleAssignments', 'byUser', user.id)]
  const [projectId, ...others] = new Set(assignments.map(assignment => assignment.projectId))
  if (projectId === undefined || others.length > 0) return undefined
  return scopeIn(store, user, store.get('projects', projectId))
}

/** The roles of an application credential in its project: those that its user still has there.
 *  Undefined where none is left. */
export function scopeOfCredential(
  store: StoreReader,
  user: User,
  credential: ApplicationCredential,
): AccountScope | undefined {
  const scope = scopeIn(store, user, store.get('projects', credential.projectId))
  const roles = scope?.roles.filter(({ id }) => credential.roleIds.includes(id)) ?? []
  if (scope === undefined || roles.length === 0) return undefined
  const names = roles.map(({ name }) => name)
  return { ...scope, roles: rolesNamed(store, names) }
}

/** Roles by name, with those that they imply. */
export function rolesNamed(store: StoreReader, names: readonly string[]): readonly Role[] {
  return withImpliedRoles(names)
    .map(name => store.find('roles', 'byName', name.toLowerCase()))
    .filter(role => role !== undefined)
}

function nameKey(store: StoreReader, reference: Reference): string | undefined {
  if (reference.name === undefined) return undefined
  const domain = findDomain(store, reference.domain ?? {})
  return domain === undefined ? undefined : keyOf(domain.id, reference.name.toLowerCase())
}
