import { type Static, Type } from 'typebox'
import type { UserDraft, UserPatch } from '../../identity/directory/users.ts'
import { defaultDomainId } from '../../model/identity.ts'
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

const changeable = {
  description: Type.Optional(descriptionField),
  email: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 254 })),
  enabled: Type.Optional(enabledField),
  default_project_id: Type.Optional(idOrNullField),
  password: Type.Optional(passwordOrNullField),
  options: Type.Optional(optionsField),
}

/** Body of `POST /v3/users`. */
export const userCreateSchema = Type.Object(
  {
    user: Type.Object(
      { name: longNameField, domain_id: Type.Optional(idField), ...changeable },
      { additionalProperties: false },
    ),
  },
  { title: 'user', examples: [{ user: { name: 'joe', password: 'a good password' } }] },
)

/** Body of `PATCH /v3/users/<id>`. */
export const userPatchSchema = Type.Object(
  {
    user: Type.Object(
      { name: Type.Optional(longNameField), ...changeable },
      { additionalProperties: false },
    ),
  },
  { title: 'user', examples: [{ user: { enabled: false } }] },
)

/** Body of `POST /v3/users/<id>/password`. */
export const passwordChangeSchema = Type.Object(
  {
    user: Type.Object(
      { original_password: Type.String({ maxLength: 1024 }), password: passwordField },
      { additionalProperties: false },
    ),
  },
  {
    title: 'password',
    examples: [{ user: { original_password: 'an old password', password: 'a good password' } }],
  },
)

export function userDraftFromBody({ user }: Static<typeof userCreateSchema>): UserDraft {
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

export function userPatchFromBody({ user }: Static<typeof userPatchSchema>): UserPatch {
  return {
    name: user.name,
    description: user.description === null ? '' : user.description,
    email: user.email,
    isEnabled: user.enabled,
    defaultProjectId: user.default_project_id,
    password: user.password ?? undefined,
  }
}
