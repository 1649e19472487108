import { type Static, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import type { CredentialDraft } from '../../identity/directory/application-credentials.ts'
import { descriptionField, idField, longNameField, passwordOrNullField } from './field-schemas.ts'
import { parseUtc } from './utc-timestamps.ts'

const roleReference = Type.Object({
  id: Type.Optional(idField),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
})

/** Body of `POST /v3/users/<id>/application_credentials`. */
export const credentialCreateSchema = Type.Object(
  {
    application_credential: Type.Object(
      {
        name: longNameField,
        description: Type.Optional(descriptionField),
        secret: Type.Optional(passwordOrNullField),
        expires_at: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
        roles: Type.Optional(Type.Array(roleReference, { minItems: 1, maxItems: 100 })),
        unrestricted: Type.Optional(Type.Boolean()),
        project_id: Type.Optional(idField),
        access_rules: Type.Optional(Type.Unknown()),
      },
      { additionalProperties: false },
    ),
  },
  {
    title: 'application credential',
    examples: [{ application_credential: { name: 'deploy', roles: [{ name: 'member' }] } }],
  },
)

type Body = Static<typeof credentialCreateSchema>['application_credential']

/** @throws ApiError bad_request */
export function credentialDraftFromBody(body: Body): CredentialDraft {
  // Ignoring them would create a key with more access than intended.
  if ((body.access_rules ?? null) !== null)
    throw new ApiError('bad_request', 'access_rules cannot be kept to here, so none are taken')
  return {
    name: body.name,
    description: body.description ?? '',
    secret: body.secret ?? undefined,
    expiresAt: expiryFromText(body.expires_at ?? null),
    roles: body.roles,
    isUnrestricted: body.unrestricted ?? false,
    projectId: body.project_id,
  }
}

function expiryFromText(text: string | null): number | null {
  const expiresAt = text === null ? null : parseUtc(text)
  if (expiresAt !== undefined) return expiresAt
  throw new ApiError('bad_request', 'expires_at must be a time such as 2026-11-21T10:00:00Z')
}
