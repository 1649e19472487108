import { Type } from 'typebox'
import type { Domains } from '../../identity/directory/domains.ts'
import type { Domain } from '../../model/identity.ts'
import { closed } from '../openapi/fields.ts'
import type { PublicContext, Route } from '../route.ts'
import { domain } from './answers.ts'
import { changeableFields, changesOf, nameField } from './field-schemas.ts'
import { flagOf } from './filters.ts'
import { resourceRoutes } from './resource-routes.ts'

const createSchema = closed({ name: nameField, ...changeableFields })
const patchSchema = closed({ name: Type.Optional(nameField), ...changeableFields })

/** Domains. */
export function domainRoutes(domains: Domains): readonly Route[] {
  return resourceRoutes({
    one: 'domain',
    many: 'domains',
    view: domainView,
    answer: domain,
    list: {
      summary: 'Lists domains',
      filters: ['name', 'enabled'],
      rows: ({ name, enabled }) => domains.list({ name, isEnabled: flagOf(enabled) }),
    },
    create: {
      summary: 'Creates a domain',
      schema: createSchema,
      example: { name: 'labs', description: 'The lab' },
      row: ({ name, description, enabled }) =>
        domains.create({ name, description: description ?? '', isEnabled: enabled ?? true }),
    },
    show: { summary: 'Shows a domain', row: ({ principal }, id) => domains.get(principal, id) },
    update: {
      summary: 'Changes a domain; a disabled one is closed to all in it',
      schema: patchSchema,
      example: { enabled: false },
      row: (id, given) => domains.update(id, changesOf(given)),
    },
    remove: {
      summary: 'Deletes a disabled domain with all that is in it',
      refusals: ['forbidden', 'conflict'],
      run: id => domains.delete(id),
    },
  })
}

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
