import { type Static, Type } from 'typebox'
import type { ZoneDraft, ZonePatch } from '../../model/zone-draft.ts'
import { requestBody } from '../openapi/fields.ts'
import {
  attributesField,
  attributesPatchField,
  descriptionField,
  emailField,
  mastersField,
  ttlField,
  uuidField,
  zoneTypeField,
} from './field-schemas.ts'
import { readOnlyFields } from './read-only-fields.ts'

/** Body of `POST /zones`. An attribute selects the pool; `pool_id` is ignored, as in Designate. */
export const zoneCreateSchema = requestBody(
  'zone',
  {
    name: Type.String(),
    type: Type.Optional(zoneTypeField),
    email: Type.Optional(emailField),
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    masters: Type.Optional(mastersField),
    attributes: Type.Optional(attributesField),
    pool_id: Type.Optional(Type.Union([uuidField, Type.Null()])),
  },
  { name: 'example.com.', email: 'ops@example.com' },
)

/** Fields of a zone that can only be sent unchanged. */
export const zoneReadOnlyFields = [
  'id',
  'pool_id',
  'project_id',
  'serial',
  'status',
  'action',
  'status_reason',
  'shared',
  'version',
  'created_at',
  'updated_at',
  'transferred_at',
  'links',
] as const

/** Body of `PATCH /zones/<id>`. What is set once may be sent, but only unchanged. */
export const zonePatchSchema = requestBody(
  'zone',
  {
    email: Type.Optional(emailField),
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    masters: Type.Optional(mastersField),
    name: Type.Optional(Type.String()),
    type: Type.Optional(zoneTypeField),
    attributes: Type.Optional(attributesPatchField),
    ...readOnlyFields(zoneReadOnlyFields),
  },
  { ttl: 300 },
)

export function zoneDraftFromBody(body: Static<typeof zoneCreateSchema>): ZoneDraft {
  return {
    name: body.name,
    type: body.type ?? 'PRIMARY',
    email: body.email ?? null,
    ttlSeconds: body.ttl ?? null,
    description: body.description ?? null,
    masters: body.masters ?? [],
    attributes: body.attributes ?? {},
  }
}

export function zonePatchFromBody(body: Static<typeof zonePatchSchema>): ZonePatch {
  const { ttl: ttlSeconds, masters, email, description, name, type, attributes } = body
  const fields = { email, description, name, type, attributes }
  return { ...fields, ttlSeconds, masters: masters === null ? [] : masters }
}
