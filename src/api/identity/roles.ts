import type { Roles } from '../../identity/directory/roles.ts'
import type { Route } from '../route.ts'
import { role } from './answers.ts'
import { filtersOf } from './filters.ts'
import { resourceRoutes } from './resource-routes.ts'
import {
  roleChangesFromBody,
  roleCreateSchema,
  roleDraftFromBody,
  rolePatchSchema,
} from './roles.schema.ts'
import { roleView } from './roles.view.ts'

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
