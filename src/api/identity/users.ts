import type { Users } from '../../identity/directory/users.ts'
import { principalRouteWithBody, publicRouteWithBody, type Route } from '../route.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf, flagOf } from './filters.ts'
import {
  passwordChangeSchema,
  userCreateSchema,
  userDraftFromBody,
  userPatchFromBody,
  userPatchSchema,
} from './users.schema.ts'
import { userView } from './users.view.ts'

/** Users. */
export function userRoutes(users: Users): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v3/users',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Lists users',
      async handler(context) {
        const { name, domain_id, enabled } = filtersOf(context.query, userFilters)
        const rows = users.list({ name, domainId: domain_id, isEnabled: flagOf(enabled) })
        const views = rows.map(row => userView(row, context))
        return { status: 200, body: collectionView(context, 'users', views) }
      },
    },
    createRoute(users),
    {
      method: 'GET',
      path: '/v3/users/:user_id',
      access: 'principal',
      summary: 'Shows a user',
      async handler(context) {
        const user = users.get(context.principal, context.parameters.user_id ?? '')
        return { status: 200, body: { user: userView(user, context) } }
      },
    },
    updateRoute(users),
    {
      method: 'DELETE',
      path: '/v3/users/:user_id',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Deletes a user with its roles and application credentials',
      async handler({ parameters }) {
        await users.delete(parameters.user_id ?? '')
        return { status: 204 }
      },
    },
    passwordRoute(users),
  ]
}

function createRoute(users: Users): Route {
  return principalRouteWithBody({
    method: 'POST',
    path: '/v3/users',
    access: 'principal',
    rule: 'manage_identity',
    summary: 'Creates a user',
    bodySchema: userCreateSchema,
    async handler(context) {
      const user = await users.create(userDraftFromBody(context.body))
      return { status: 201, body: { user: userView(user, context) } }
    },
  })
}

function updateRoute(users: Users): Route {
  return principalRouteWithBody({
    method: 'PATCH',
    path: '/v3/users/:user_id',
    access: 'principal',
    rule: 'manage_identity',
    summary: 'Changes a user; a disabled one cannot log in, a new password ends its tokens',
    bodySchema: userPatchSchema,
    async handler(context) {
      const id = context.parameters.user_id ?? ''
      const user = await users.update(id, userPatchFromBody(context.body))
      return { status: 200, body: { user: userView(user, context) } }
    },
  })
}

function passwordRoute(users: Users): Route {
  return publicRouteWithBody({
    method: 'POST',
    path: '/v3/users/:user_id/password',
    // The old password is all that one has to show.
    access: 'public',
    summary: 'Changes one’s own password',
    bodySchema: passwordChangeSchema,
    async handler({ parameters, body, peer }) {
      const { original_password: original, password } = body.user
      await users.changePassword(parameters.user_id ?? '', { original, password, peer })
      return { status: 204 }
    },
  })
}

const userFilters = ['name', 'domain_id', 'enabled'] as const
