import { Type } from 'typebox'
import type { Roles } from '../../identity/directory/roles.ts'
import type { Role } from '../../model/identity.ts'
import { closed } from '../openapi/fields.ts'
import type { PublicContext, Route } from '../route.ts'
import { role } from './answers.ts'
import { descriptionField, longNameField, optionsField } from './field-schemas.ts'
import { resourceRoutes } from './resource-routes.ts'

const changeable = {
  description: Type.Optional(descriptionField),
  options: Type.Optional(optionsField),
  // A role is the same in all domains.
  domain_id: Type.Optional(Type.Null()),
}

const createSchema = closed({ name: longNameField, ...changeable })
const patchSchema = closed({ name: Type.Optional(longNameField), ...changeable })

/** Roles. */
export function roleRoutes(roles: Roles): readonly Route[] {
  return resourceRoutes({
    one: 'role',
    many: 'roles',
    view: roleView,
    answer: role,
    list: {
      summary: 'Lists roles',
      filters: ['name', 'domain_id'],
      // No role belongs to a domain.
      rows: ({ name, domain_id }) => (domain_id === undefined ? roles.list({ name }) : []),
    },
    create: {
      summary: 'Creates a role, which means nothing to the DNS service',
      schema: createSchema,
      example: { name: 'observer' },
      row: ({ name, description }) => roles.create({ name, description: description ?? '' }),
    },
    show: { summary: 'Shows a role', rule: 'manage_identity', row: (_, id) => roles.get(id) },
    update: {
      summary: 'Changes a role',
      refusals: ['forbidden'],
      schema: patchSchema,
      example: { description: 'Sees' },
      row: (id, { name, description }) =>
        roles.update(id, { name, description: description === null ? '' : description }),
    },
    remove: {
      summary: 'Deletes a role, and takes it away from all who have it',
      refusals: ['forbidden'],
      run: id => roles.delete(id),
    },
  })
}

/** A role as Keystone shows it. */
export function roleView({ id, name, description }: Role, context: PublicContext) {
  return {
    id,
    name,
    description,
    domain_id: null,
    options: {},
    links: { self: `${context.baseUrl}/v3/roles/${id}` },
  }
}
