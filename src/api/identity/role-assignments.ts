import type {
  DescribedGrant,
  Grant,
  RoleAssignments,
} from '../../identity/directory/role-assignments.ts'
import type { Named } from '../../identity/principal.ts'
import { type PrincipalContext, type PublicContext, type Route, route } from '../route.ts'
import { collectionAnswer, role, roleAssignment } from './answers.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf, flagOf } from './filters.ts'
import { roleView } from './roles.ts'

const grantsPath = '/v3/projects/:project_id/users/:user_id/roles'
const grantPath = `${grantsPath}/:role_id`

/** Who has which role where. */
export function roleAssignmentRoutes(assignments: RoleAssignments): readonly Route[] {
  return [
    route('GET /v3/role_assignments', {
      access: 'principal',
      summary: 'Lists role assignments',
      answers: { 200: collectionAnswer('role_assignments', roleAssignment) },
      refusals: ['forbidden', 'bad_request'],
      respond: context => listAssignments(assignments, context),
    }),
    route(`GET ${grantsPath}`, {
      access: 'principal',
      summary: 'Lists the roles of a user in a project',
      answers: { 200: collectionAnswer('roles', role) },
      refusals: ['forbidden', 'not_found', 'bad_request'],
      respond(context) {
        filtersOf(context.query, [])
        const { userId, projectId } = grantOf(context)
        const roles = assignments.rolesOf(context.principal, { userId, projectId })
        const views = roles.map(role => roleView(role, context))
        return collectionView(context, 'roles', views)
      },
    }),
    route(`GET ${grantPath}`, {
      access: 'principal',
      summary: 'Tells by its status whether a user has a role in a project',
      answers: { 204: null },
      refusals: ['forbidden', 'not_found'],
      respond: context => assignments.requireGranted(context.principal, grantOf(context)),
    }),
    route(`PUT ${grantPath}`, {
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Gives a user a role in a project',
      answers: { 204: null },
      refusals: ['not_found'],
      respond: context => assignments.grant(grantOf(context)),
    }),
    route(`DELETE ${grantPath}`, {
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Takes a role in a project away from a user',
      answers: { 204: null },
      refusals: ['not_found', 'conflict'],
      respond: context => assignments.revoke(grantOf(context)),
    }),
  ]
}

function grantOf({ parameters }: PrincipalContext): Grant {
  return {
    userId: parameters.user_id ?? '',
    projectId: parameters.project_id ?? '',
    roleId: parameters.role_id ?? '',
  }
}

/** Kinds of assignments that do not exist here; a list filtered by one of them is empty. */
const unknownScopes = [
  'group.id',
  'scope.domain.id',
  'scope.system',
  'scope.OS-INHERIT:inherited_to',
] as const

const assignmentFilters = [
  'user.id',
  'role.id',
  'scope.project.id',
  'effective',
  'include_names',
  'include_subtree',
  ...unknownScopes,
] as const

function listAssignments(assignments: RoleAssignments, context: PrincipalContext): object {
  const filters = filtersOf(context.query, assignmentFilters)
  const grants = assignments.list(context.principal, {
    userId: filters['user.id'],
    roleId: filters['role.id'],
    projectId: filters['scope.project.id'],
    isEffective: flagOf(filters.effective) ?? false,
  })
  const isNone = unknownScopes.some(name => filters[name] !== undefined)
  const withNames = flagOf(filters.include_names) ?? false
  const views = (isNone ? [] : grants).map(grant =>
    withNames
      ? namedAssignmentView(assignments.describe(grant), context)
      : assignmentView(grant, context),
  )
  return collectionView(context, 'role_assignments', views)
}

/** A role assignment as Keystone shows it: by ids. */
function assignmentView(grant: Grant, context: PublicContext) {
  const { userId, projectId, roleId } = grant
  return {
    role: { id: roleId },
    user: { id: userId },
    scope: { project: { id: projectId } },
    links: linksOf(grant, context),
  }
}

/** The same with names, which clients ask for with `include_names`. */
function namedAssignmentView(described: DescribedGrant, context: PublicContext) {
  const { grant, role, user, userDomain, project, projectDomain } = described
  return {
    role: nameView(role),
    user: { ...nameView(user), domain: nameView(userDomain) },
    scope: { project: { ...nameView(project), domain: nameView(projectDomain) } },
    links: linksOf(grant, context),
  }
}

function linksOf({ userId, projectId, roleId }: Grant, { baseUrl }: PublicContext) {
  return { assignment: `${baseUrl}/v3/projects/${projectId}/users/${userId}/roles/${roleId}` }
}

function nameView({ id, name }: Named) {
  return { id, name }
}
