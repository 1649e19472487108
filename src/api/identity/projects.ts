import { type Static, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import type { ProjectDraft, Projects } from '../../identity/directory/projects.ts'
import { defaultDomainId, type Project } from '../../model/identity.ts'
import { closed } from '../openapi/fields.ts'
import { type PrincipalContext, type PublicContext, type Route, route } from '../route.ts'
import { collectionAnswer, project } from './answers.ts'
import { collectionView } from './collection.view.ts'
import { changeableFields, changesOf, idField, idOrNullField, nameField } from './field-schemas.ts'
import { filtersOf, flagOf } from './filters.ts'
import { resourceRoutes } from './resource-routes.ts'

const createSchema = closed({
  name: nameField,
  domain_id: Type.Optional(idField),
  parent_id: Type.Optional(idOrNullField),
  is_domain: Type.Optional(Type.Literal(false)),
  ...changeableFields,
})
const patchSchema = closed({ name: Type.Optional(nameField), ...changeableFields })

/** Projects, and whose they are. */
export function projectRoutes(projects: Projects): readonly Route[] {
  const routes = resourceRoutes({
    one: 'project',
    many: 'projects',
    view: projectView,
    answer: project,
    list: {
      summary: 'Lists projects',
      filters: ['name', 'domain_id', 'parent_id', 'is_domain', 'enabled'],
      rows({ name, domain_id, parent_id, is_domain, enabled }) {
        // No project acts as a domain, and each one's parent is its domain.
        const isNone = domain_id !== undefined && parent_id !== undefined && domain_id !== parent_id
        if (isNone || flagOf(is_domain) === true) return []
        return projects.list({
          name,
          domainId: domain_id ?? parent_id,
          isEnabled: flagOf(enabled),
        })
      },
    },
    create: {
      summary: 'Creates a project',
      refusals: ['not_found'],
      schema: createSchema,
      example: { name: 'web' },
      row: given => projects.create(draftOf(given)),
    },
    show: { summary: 'Shows a project', row: ({ principal }, id) => projects.get(principal, id) },
    update: {
      summary: 'Changes a project; nobody can act for a disabled one',
      refusals: ['forbidden'],
      schema: patchSchema,
      example: { description: 'Pages' },
      row: (id, given) => projects.update(id, changesOf(given)),
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
      respond(context) {
        const { principal, parameters, query } = context
        filtersOf(query, [])
        return listView(context, projects.listOfUser(principal, parameters.user_id ?? ''))
      },
    }),
    route('GET /v3/auth/projects', {
      access: 'principal',
      summary: 'Lists the projects that one can get a token for',
      answers: { 200: collectionAnswer('projects', project) },
      respond: context => listView(context, projects.listOpen(context.principal)),
    }),
  ]
}

function listView(context: PrincipalContext, rows: readonly Project[]): object {
  const views = rows.map(row => projectView(row, context))
  return collectionView(context, 'projects', views)
}

/** A project as Keystone shows it. There is no tree of them: each stands right below its domain. */
function projectView(project: Project, context: PublicContext) {
  const { id, name, description, domainId, isEnabled } = project
  return {
    id,
    name,
    description,
    domain_id: domainId,
    parent_id: domainId,
    is_domain: false,
    enabled: isEnabled,
    tags: [],
    options: {},
    links: { self: `${context.baseUrl}/v3/projects/${id}` },
  }
}

/** @throws ApiError bad_request: another parent than the domain */
function draftOf(given: Static<typeof createSchema>): ProjectDraft {
  const { name, domain_id, parent_id, description, enabled } = given
  const domainId = domain_id ?? parent_id ?? defaultDomainId
  if ((parent_id ?? domainId) !== domainId)
    throw new ApiError('bad_request', 'A project has no other parent than its domain')
  return { domainId, name, description: description ?? '', isEnabled: enabled ?? true }
}
