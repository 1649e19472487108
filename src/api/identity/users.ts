import { type Static, Type } from 'typebox'
import type { UserDraft, UserPatch, Users } from '../../identity/directory/users.ts'
import { defaultDomainId, type User } from '../../model/identity.ts'
import { closed, component } from '../openapi/fields.ts'
import { type PublicContext, type Route, route } from '../route.ts'
import { user } from './answers.ts'
import {
  descriptionField,
  enabledField,
  idField,
  idOrNullField,
  longNameField,
  optionsField,
  passwordField,
  passwordOrNullField,
} from './field-schemas.ts'
import { flagOf } from './filters.ts'
import { resourceRoutes } from './resource-routes.ts'

const changeable = {
  description: Type.Optional(descriptionField),
  email: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 254 })),
  enabled: Type.Optional(enabledField),
  default_project_id: Type.Optional(idOrNullField),
  password: Type.Optional(passwordOrNullField),
  options: Type.Optional(optionsField),
}

const createSchema = closed({
  name: longNameField,
  domain_id: Type.Optional(idField),
  ...changeable,
})
const patchSchema = closed({ name: Type.Optional(longNameField), ...changeable })

/** Body of `POST /v3/users/<id>/password`. */
const passwordChangeSchema = component(
  'password',
  {
    user: closed({ original_password: Type.String({ maxLength: 1024 }), password: passwordField }),
  },
  { user: { original_password: 'an old password', password: 'a good password' } },
)

/** Users. */
export function userRoutes(users: Users): readonly Route[] {
  const routes = resourceRoutes({
    one: 'user',
    many: 'users',
    view: userView,
    answer: user,
    list: {
      summary: 'Lists users',
      filters: ['name', 'domain_id', 'enabled'],
      rows: ({ name, domain_id: domainId, enabled }) =>
        users.list({ name, domainId, isEnabled: flagOf(enabled) }),
    },
    create: {
      summary: 'Creates a user',
      refusals: ['not_found', 'bad_request', 'too_many_requests'],
      schema: createSchema,
      example: { name: 'joe', password: 'a good password' },
      row: given => users.create(draftOf(given)),
    },
    show: { summary: 'Shows a user', row: ({ principal }, id) => users.get(principal, id) },
    update: {
      summary: 'Changes a user; a disabled one cannot log in, a new password ends its tokens',
      refusals: ['bad_request', 'too_many_requests'],
      schema: patchSchema,
      example: { enabled: false },
      row: (id, given) => users.update(id, patchOf(given)),
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
    async respond({ parameters, body, peer }) {
      const { original_password: original, password } = body.user
      await users.changePassword(parameters.user_id ?? '', { original, password, peer })
    },
  })
}

/** A user as Keystone shows it; passwords do not expire. */
function userView(user: User, context: PublicContext) {
  const { id, name, description, email, domainId, defaultProjectId, isEnabled } = user
  return {
    id,
    name,
    description,
    ...(email !== null && { email }),
    domain_id: domainId,
    ...(defaultProjectId !== null && { default_project_id: defaultProjectId }),
    enabled: isEnabled,
    password_expires_at: null,
    options: {},
    links: { self: `${context.baseUrl}/v3/users/${id}` },
  }
}

function draftOf(user: Static<typeof createSchema>): UserDraft {
  return {
    domainId: user.domain_id ?? defaultDomainId,
    name: user.name,
    description: user.description ?? '',
    email: user.email ?? null,
    isEnabled: user.enabled ?? true,
    defaultProjectId: user.default_project_id ?? null,
    password: user.password ?? undefined,
  }
}

function patchOf(user: Static<typeof patchSchema>): UserPatch {
  return {
    name: user.name,
    description: user.description === null ? '' : user.description,
    email: user.email,
    isEnabled: user.enabled,
    defaultProjectId: user.default_project_id,
    password: user.password ?? undefined,
  }
}
