import type { Roles } from '../../identity/directory/roles.ts'
import { principalRouteWithBody, type Route } from '../route.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf } from './filters.ts'
import {
  roleChangesFromBody,
  roleCreateSchema,
  roleDraftFromBody,
  rolePatchSchema,
} from './roles.schema.ts'
import { roleView } from './roles.view.ts'

/** Roles. */
export function roleRoutes(roles: Roles): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v3/roles',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Lists roles',
      async handler(context) {
        const { name, domain_id } = filtersOf(context.query, ['name', 'domain_id'])
        // No role belongs to a domain.
        const rows = domain_id === undefined ? roles.list({ name }) : []
        const views = rows.map(row => roleView(row, context))
        return { status: 200, body: collectionView(context, 'roles', views) }
      },
    },
    principalRouteWithBody({
      method: 'POST',
      path: '/v3/roles',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Creates a role, which means nothing to the DNS service',
      bodySchema: roleCreateSchema,
      async handler(context) {
        const role = await roles.create(roleDraftFromBody(context.body))
        return { status: 201, body: { role: roleView(role, context) } }
      },
    }),
    {
      method: 'GET',
      path: '/v3/roles/:role_id',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Shows a role',
      async handler(context) {
        const role = roles.get(context.parameters.role_id ?? '')
        return { status: 200, body: { role: roleView(role, context) } }
      },
    },
    principalRouteWithBody({
      method: 'PATCH',
      path: '/v3/roles/:role_id',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Changes a role',
      bodySchema: rolePatchSchema,
      async handler(context) {
        const id = context.parameters.role_id ?? ''
        const role = await roles.update(id, roleChangesFromBody(context.body))
        return { status: 200, body: { role: roleView(role, context) } }
      },
    }),
    {
      method: 'DELETE',
      path: '/v3/roles/:role_id',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Deletes a role, and takes it away from all who have it',
      async handler({ parameters }) {
        await roles.delete(parameters.role_id ?? '')
        return { status: 204 }
      },
    },
  ]
}
