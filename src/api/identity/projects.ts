import type { Projects } from '../../identity/directory/projects.ts'
import type { Project } from '../../model/identity.ts'
import { type PrincipalContext, type Reply, type Route, route } from '../route.ts'
import { collectionAnswer, project } from './answers.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf, flagOf } from './filters.ts'
import {
  projectChangesFromBody,
  projectCreateSchema,
  projectDraftFromBody,
  projectPatchSchema,
} from './projects.schema.ts'
import { projectView } from './projects.view.ts'
import { resourceRoutes } from './resource-routes.ts'

/** Projects, and whose they are. */
export function projectRoutes(projects: Projects): readonly Route[] {
  const routes = resourceRoutes({
    one: 'project',
    many: 'projects',
    view: projectView,
    answer: project,
    list: {
      summary: 'Lists projects',
      query: projectFilters,
      rows: context => filteredProjects(projects, context),
    },
    create: {
      summary: 'Creates a project',
      refusals: ['not_found'],
      bodySchema: projectCreateSchema,
      row: ({ body }) => projects.create(projectDraftFromBody(body)),
    },
    show: { summary: 'Shows a project', row: ({ principal }, id) => projects.get(principal, id) },
    update: {
      summary: 'Changes a project; nobody can act for a disabled one',
      refusals: ['forbidden'],
      bodySchema: projectPatchSchema,
      row: ({ body }, id) => projects.update(id, projectChangesFromBody(body)),
    },
    remove: {
      summary: 'Deletes a project that owns no zones',
      refusals: ['forbidden', 'conflict'],
      run: id => projects.delete(id),
    },
  })
  return [
    ...routes,
    route('GET /v3/users/:user_id/projects', {
      access: 'principal',
      summary: 'Lists the projects that a user has a role in',
      answers: { 200: collectionAnswer('projects', project) },
      refusals: ['forbidden', 'not_found', 'bad_request'],
      async handler(context) {
        const { principal, parameters, query } = context
        filtersOf(query, [])
        return listReply(context, projects.listOfUser(principal, parameters.user_id ?? ''))
      },
    }),
    route('GET /v3/auth/projects', {
      access: 'principal',
      summary: 'Lists the projects that one can get a token for',
      answers: { 200: collectionAnswer('projects', project) },
      handler: async context => listReply(context, projects.listOpen(context.principal)),
    }),
  ]
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
