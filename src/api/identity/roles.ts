import { type Static, Type } from 'typebox'
import type { RoleDraft, Roles } from '../../identity/directory/roles.ts'
import type { Changes } from '../../model/changes.ts'
import { closed } from '../openapi/fields.ts'
import type { Route } from '../route.ts'
import { role } from './answers.ts'
import { descriptionField, longNameField, optionsField } from './field-schemas.ts'
import { filtersOf } from './filters.ts'
import { resourceRoutes } from './resource-routes.ts'
import { roleView } from './roles.view.ts'

const changeable = {
  description: Type.Optional(descriptionField),
  options: Type.Optional(optionsField),
  // A role is the same in all domains.
  domain_id: Type.Optional(Type.Null()),
}

/** Body of `POST /v3/roles`. */
const roleCreateSchema = Type.Object(
  { role: closed({ name: longNameField, ...changeable }) },
  { title: 'role', examples: [{ role: { name: 'observer' } }] },
)

/** Body of `PATCH /v3/roles/<id>`. */
const rolePatchSchema = Type.Object(
  {
    role: closed({ name: Type.Optional(longNameField), ...changeable }),
  },
  { title: 'role', examples: [{ role: { description: 'Sees' } }] },
)

/** Roles. */
export function roleRoutes(roles: Roles): readonly Route[] {
  return resourceRoutes({
    one: 'role',
    many: 'roles',
    view: roleView,
    answer: role,
    list: {
      summary: 'Lists roles',
      query: roleFilters,
      rows({ query }) {
        const { name, domain_id } = filtersOf(query, roleFilters)
        // No role belongs to a domain.
        return domain_id === undefined ? roles.list({ name }) : []
      },
    },
    create: {
      summary: 'Creates a role, which means nothing to the DNS service',
      bodySchema: roleCreateSchema,
      row: ({ body }) => roles.create(roleDraftFromBody(body)),
    },
    show: { summary: 'Shows a role', rule: 'manage_identity', row: (_, id) => roles.get(id) },
    update: {
      summary: 'Changes a role',
      refusals: ['forbidden'],
      bodySchema: rolePatchSchema,
      row: ({ body }, id) => roles.update(id, roleChangesFromBody(body)),
    },
    remove: {
      summary: 'Deletes a role, and takes it away from all who have it',
      refusals: ['forbidden'],
      run: id => roles.delete(id),
    },
  })
}

const roleFilters = ['name', 'domain_id'] as const

function roleDraftFromBody({ role }: Static<typeof roleCreateSchema>): RoleDraft {
  return { name: role.name, description: role.description ?? '' }
}

function roleChangesFromBody({ role }: Static<typeof rolePatchSchema>): Changes<RoleDraft> {
  return { name: role.name, description: role.description === null ? '' : role.description }
}
