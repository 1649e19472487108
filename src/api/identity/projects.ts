import type { Projects } from '../../identity/directory/projects.ts'
import type { Project } from '../../model/identity.ts'
import { type PrincipalContext, principalRouteWithBody, type Reply, type Route } from '../route.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf, flagOf } from './filters.ts'
import {
  projectChangesFromBody,
  projectCreateSchema,
  projectDraftFromBody,
  projectPatchSchema,
} from './projects.schema.ts'
import { projectView } from './projects.view.ts'

/** Projects, and whose they are. */
export function projectRoutes(projects: Projects): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v3/projects',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Lists projects',
      handler: async context => listReply(context, filteredProjects(projects, context)),
    },
    createRoute(projects),
    {
      method: 'GET',
      path: '/v3/projects/:project_id',
      access: 'principal',
      summary: 'Shows a project',
      async handler(context) {
        const project = projects.get(context.principal, context.parameters.project_id ?? '')
        return { status: 200, body: { project: projectView(project, context) } }
      },
    },
    updateRoute(projects),
    {
      method: 'DELETE',
      path: '/v3/projects/:project_id',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Deletes a project that owns no zones',
      async handler({ parameters }) {
        await projects.delete(parameters.project_id ?? '')
        return { status: 204 }
      },
    },
    {
      method: 'GET',
      path: '/v3/users/:user_id/projects',
      access: 'principal',
      summary: 'Lists the projects that a user has a role in',
      async handler(context) {
        const { principal, parameters, query } = context
        filtersOf(query, [])
        return listReply(context, projects.listOfUser(principal, parameters.user_id ?? ''))
      },
    },
    {
      method: 'GET',
      path: '/v3/auth/projects',
      access: 'principal',
      summary: 'Lists the projects that one can get a token for',
      handler: async context => listReply(context, projects.listOpen(context.principal)),
    },
  ]
}

function createRoute(projects: Projects): Route {
  return principalRouteWithBody({
    method: 'POST',
    path: '/v3/projects',
    access: 'principal',
    rule: 'manage_identity',
    summary: 'Creates a project',
    bodySchema: projectCreateSchema,
    async handler(context) {
      const project = await projects.create(projectDraftFromBody(context.body))
      return { status: 201, body: { project: projectView(project, context) } }
    },
  })
}

function updateRoute(projects: Projects): Route {
  return principalRouteWithBody({
    method: 'PATCH',
    path: '/v3/projects/:project_id',
    access: 'principal',
    rule: 'manage_identity',
    summary: 'Changes a project; nobody can act for a disabled one',
    bodySchema: projectPatchSchema,
    async handler(context) {
      const id = context.parameters.project_id ?? ''
      const project = await projects.update(id, projectChangesFromBody(context.body))
      return { status: 200, body: { project: projectView(project, context) } }
    },
  })
}

const projectFilters = ['name', 'domain_id', 'parent_id', 'is_domain', 'enabled'] as const

function filteredProjects(projects: Projects, { query }: PrincipalContext): readonly Project[] {
  const { name, domain_id, parent_id, is_domain, enabled } = filtersOf(query, projectFilters)
  // No project acts as a domain, and each one's parent is its domain.
  const isNone = domain_id !== undefined && parent_id !== undefined && domain_id !== parent_id
  if (isNone || flagOf(is_domain) === true) return []
  return projects.list({ name, domainId: domain_id ?? parent_id, isEnabled: flagOf(enabled) })
}

function listReply(context: PrincipalContext, rows: readonly Project[]): Reply {
  const views = rows.map(row => projectView(row, context))
  return { status: 200, body: collectionView(context, 'projects', views) }
}
