import { type Static, Type } from 'typebox'
import type { ZoneDraft, ZonePatch } from '../../model/zone-draft.ts'
import {
  attributesField,
  descriptionField,
  emailField,
  mastersField,
  ttlField,
  zoneTypeField,
} from './field-schemas.ts'

/** Body of `POST /zones`. */
export const zoneCreateSchema = Type.Object(
  {
    name: Type.String(),
    type: Type.Optional(zoneTypeField),
    email: Type.Optional(emailField),
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    masters: Type.Optional(mastersField),
    attributes: Type.Optional(attributesField),
  },
  { title: 'zone', additionalProperties: false },
)

/** Body of `PATCH /zones/<id>`. What is set once may be sent, but only unchanged. */
export const zonePatchSchema = Type.Object(
  {
    email: Type.Optional(emailField),
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    masters: Type.Optional(mastersField),
    name: Type.Optional(Type.String()),
    type: Type.Optional(zoneTypeField),
    attributes: Type.Optional(attributesField),
  },
  { title: 'zone', additionalProperties: false },
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
  const { ttl: ttlSeconds, masters, ...same } = body
  return { ...same, ttlSeconds, masters: masters === null ? [] : masters }
}
