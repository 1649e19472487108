import { ApiError } from '../../errors.ts'
import type { Domain, Project, Role, RoleAssignment, User } from '../../model/identity.ts'
import { newStamp } from '../../model/stamped.ts'
import { everything, keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { rolesNamed } from '../accounts.ts'
import { newId } from '../new-id.ts'
import type { Principal } from '../principal.ts'
import { requireSelfOrAdministrator } from './access.ts'
import { keepingAnAdministrator } from './last-administrator.ts'
import { requireRow } from './rows.ts'

/** A role of a user in a project. */
export type Grant = Pick<RoleAssignment, 'userId' | 'projectId' | 'roleId'>

/** A grant with the names of user, project and role. */
export type DescribedGrant = {
  readonly grant: Grant
  readonly role: Role
  readonly user: User
  readonly userDomain: Domain
  readonly project: Project
  readonly projectDomain: Domain
}

type AssignmentFilter = {
  readonly userId?: string | undefined
  readonly projectId?: string | undefined
  readonly roleId?: string | undefined
  /** Whether to include implied roles. */
  readonly isEffective: boolean
}

/** The roles of users in projects. */
export class RoleAssignments {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Users see their own assignments, an administrator all.
   *  @throws ApiError forbidden */
  list(principal: Principal, filter: AssignmentFilter): readonly Grant[] {
    requireSelfOrAdministrator(principal, filter.userId)
    const { projectId, roleId, isEffective } = filter
    const rows = [...candidates(this.#store, filter)]
    const grants = isEffective ? this.#withImplied(rows) : rows
    return grants.filter(
      row =>
        (projectId === undefined || row.projectId === projectId) &&
        (roleId === undefined || row.roleId === roleId),
    )
  }

  /** The roles of a user in a project.
   *  @throws ApiError forbidden, not_found */
  rolesOf(principal: Principal, { userId, projectId }: Omit<Grant, 'roleId'>): readonly Role[] {
    requireSelfOrAdministrator(principal, userId)
    requireRow(this.#store, 'projects', projectId)
    requireRow(this.#store, 'users', userId)
    const rows = [...this.#store.list('roleAssignments', 'byUser', userId)]
    return rows
      .filter(row => row.projectId === projectId)
      .map(row => requireRow(this.#store, 'roles', row.roleId))
  }

  /** @throws ApiError forbidden; not_found: also where the user does not have the role */
  requireGranted(principal: Principal, grant: Grant): void {
    const { userId, roleId } = grant
    requireSelfOrAdministrator(principal, userId)
    if (assignmentOf(this.#store, grant) === undefined) refuseUnassigned(roleId)
  }

  /** Gives a role; does nothing where the user has it.
   *  @throws ApiError not_found */
  async grant(grant: Grant): Promise<void> {
    await this.#store.commit(tx => {
      requireRow(tx, 'projects', grant.projectId)
      requireRow(tx, 'users', grant.userId)
      requireRow(tx, 'roles', grant.roleId)
      if (assignmentOf(tx, grant) !== undefined) return
      tx.put('roleAssignments', { ...newStamp(tx, newId()), ...grant })
    })
  }

  /** Takes a role away; tokens lose it at once.
   *  @throws ApiError not_found, conflict: the last administrator */
  async revoke(grant: Grant): Promise<void> {
    await this.#store.commit(tx => {
      const { id } = assignmentOf(tx, grant) ?? refuseUnassigned(grant.roleId)
      keepingAnAdministrator(tx, () => tx.delete('roleAssignments', id))
    })
  }

  /** The rows behind a grant. */
  describe(grant: Grant): DescribedGrant {
    const store = this.#store
    const user = requireRow(store, 'users', grant.userId)
    const project = requireRow(store, 'projects', grant.projectId)
    return {
      grant,
      role: requireRow(store, 'roles', grant.roleId),
      user,
      userDomain: requireRow(store, 'domains', user.domainId),
      project,
      projectDomain: requireRow(store, 'domains', project.domainId),
    }
  }

  #withImplied(rows: readonly RoleAssignment[]): readonly Grant[] {
    const grants = new Map<string, Grant>()
    for (const { userId, projectId, roleId } of rows) {
      const name = this.#store.get('roles', roleId)?.name ?? ''
      for (const role of rolesNamed(this.#store, [name]))
        grants.set(keyOf(userId, projectId, role.id), { userId, projectId, roleId: role.id })
    }
    return [...grants.values()]
  }
}

/** Assignments from the smallest group that has all wanted ones. An implied role is not in the group of that role. */
function candidates(
  store: StoreReader,
  { userId, projectId, roleId, isEffective }: AssignmentFilter,
): Iterable<RoleAssignment> {
  if (userId !== undefined) return store.list('roleAssignments', 'byUser', userId)
  if (projectId !== undefined) return store.list('roleAssignments', 'byProject', projectId)
  if (roleId !== undefined && !isEffective) return store.list('roleAssignments', 'byRole', roleId)
  return store.list('roleAssignments', 'all', everything)
}

function assignmentOf(store: StoreReader, { userId, projectId, roleId }: Grant) {
  return store.find('roleAssignments', 'byParts', keyOf(userId, projectId, roleId))
}

function refuseUnassigned(roleId: string): never {
  throw new ApiError('not_found', `The user does not have the role ${roleId} in the project`)
}
