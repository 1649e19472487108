import { type Static, Type } from 'typebox'
import type { DomainDraft, Domains } from '../../identity/directory/domains.ts'
import type { Changes } from '../../model/changes.ts'
import type { Domain } from '../../model/identity.ts'
import { closed } from '../openapi/fields.ts'
import type { PublicContext, Route } from '../route.ts'
import { domain } from './answers.ts'
import { changeableFields, nameField } from './field-schemas.ts'
import { filtersOf, flagOf } from './filters.ts'
import { resourceRoutes } from './resource-routes.ts'

/** Body of `POST /v3/domains`. */
const domainCreateSchema = Type.Object(
  {
    domain: closed({ name: nameField, ...changeableFields }),
  },
  { title: 'domain', examples: [{ domain: { name: 'labs', description: 'The lab' } }] },
)

/** Body of `PATCH /v3/domains/<id>`. */
const domainPatchSchema = Type.Object(
  {
    domain: closed({ name: Type.Optional(nameField), ...changeableFields }),
  },
  { title: 'domain', examples: [{ domain: { enabled: false } }] },
)

/** Domains. */
export function domainRoutes(domains: Domains): readonly Route[] {
  return resourceRoutes({
    one: 'domain',
    many: 'domains',
    view: domainView,
    answer: domain,
    list: {
      summary: 'Lists domains',
      query: domainFilters,
      rows({ query }) {
        const { name, enabled } = filtersOf(query, domainFilters)
        return domains.list({ name, isEnabled: flagOf(enabled) })
      },
    },
    create: {
      summary: 'Creates a domain',
      bodySchema: domainCreateSchema,
      row: ({ body }) => domains.create(domainDraftFromBody(body)),
    },
    show: { summary: 'Shows a domain', row: ({ principal }, id) => domains.get(principal, id) },
    update: {
      summary: 'Changes a domain; a disabled one is closed to all in it',
      bodySchema: domainPatchSchema,
      row: ({ body }, id) => domains.update(id, domainChangesFromBody(body)),
    },
    remove: {
      summary: 'Deletes a disabled domain with all that is in it',
      refusals: ['forbidden', 'conflict'],
      run: id => domains.delete(id),
    },
  })
}

const domainFilters = ['name', 'enabled'] as const

/** A domain as Keystone shows it. */
function domainView({ id, name, description, isEnabled }: Domain, context: PublicContext) {
  return {
    id,
    name,
    description,
    enabled: isEnabled,
    tags: [],
    options: {},
    links: { self: `${context.baseUrl}/v3/domains/${id}` },
  }
}

function domainDraftFromBody({ domain }: Static<typeof domainCreateSchema>): DomainDraft {
  const { name, description, enabled } = domain
  return { name, description: description ?? '', isEnabled: enabled ?? true }
}

function domainChangesFromBody({ domain }: Static<typeof domainPatchSchema>): Changes<DomainDraft> {
  const { name, description, enabled } = domain
  return { name, description: description === null ? '' : description, isEnabled: enabled }
}
