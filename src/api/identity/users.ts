import type { Users } from '../../identity/directory/users.ts'
import { type Route, route } from '../route.ts'
import { user } from './answers.ts'
import { filtersOf, flagOf } from './filters.ts'
import { resourceRoutes } from './resource-routes.ts'
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
  const routes = resourceRoutes({
    one: 'user',
    many: 'users',
    view: userView,
    answer: user,
    list: {
      summary: 'Lists users',
      query: userFilters,
      rows({ query }) {
        const { name, domain_id, enabled } = filtersOf(query, userFilters)
        return users.list({ name, domainId: domain_id, isEnabled: flagOf(enabled) })
      },
    },
    create: {
      summary: 'Creates a user',
      refusals: ['not_found', 'bad_request', 'too_many_requests'],
      bodySchema: userCreateSchema,
      row: ({ body }) => users.create(userDraftFromBody(body)),
    },
    show: { summary: 'Shows a user', row: ({ principal }, id) => users.get(principal, id) },
    update: {
      summary: 'Changes a user; a disabled one cannot log in, a new password ends its tokens',
      refusals: ['bad_request', 'too_many_requests'],
      bodySchema: userPatchSchema,
      row: ({ body }, id) => users.update(id, userPatchFromBody(body)),
    },
    remove: {
      summary: 'Deletes a user with its roles and application credentials',
      refusals: ['conflict'],
      run: id => users.delete(id),
    },
  })
  return [...routes, passwordRoute(users)]
}

function passwordRoute(users: Users): Route {
  return route('POST /v3/users/:user_id/password', {
    // The old password is the only credential needed.
    access: 'public',
    summary: 'Changes one’s own password',
    answers: { 204: null },
    refusals: ['unauthorized', 'too_many_requests'],
    bodySchema: passwordChangeSchema,
    async handler({ parameters, body, peer }) {
      const { original_password: original, password } = body.user
      await users.changePassword(parameters.user_id ?? '', { original, password, peer })
      return { status: 204 }
    },
  })
}

const userFilters = ['name', 'domain_id', 'enabled'] as const
