import type { DescribedGrant, Grant } from '../../identity/directory/role-assignments.ts'
import type { Named } from '../../identity/principal.ts'
import type { PublicContext } from '../route.ts'

/** A role assignment as Keystone shows it: by ids. */
export function assignmentView(grant: Grant, context: PublicContext) {
  const { userId, projectId, roleId } = grant
  return {
    role: { id: roleId },
    user: { id: userId },
    scope: { project: { id: projectId } },
    links: linksOf(grant, context),
  }
}

/** The same with names, which clients ask for with `include_names`. */
export function namedAssignmentView(described: DescribedGrant, context: PublicContext) {
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
