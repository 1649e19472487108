import { type Static, Type } from 'typebox'
import { maxTtlSeconds } from '../../model/limits.ts'
import type { ZoneDraft, ZonePatch } from '../../model/zone-draft.ts'
import { descriptionField, emailField } from '../dns/field-schemas.ts'
import { requestBody } from '../openapi/fields.ts'
import { writtenByServer } from './written-by-server.ts'

/** A domain's TTL is at least a second. Null means the default one, as leaving it out does. */
const domainTtlField = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 1,
  maximum: maxTtlSeconds,
})

const written = {
  email: Type.Optional(emailField),
  ttl: Type.Optional(domainTtlField),
  description: Type.Optional(descriptionField),
}

/** Body of `POST /domains`. */
export const domainCreateSchema = requestBody(
  'domain',
  { name: Type.String(), ...written },
  { name: 'example.com.', email: 'ops@example.com' },
)

/** Body of `PUT /domains/<id>`: what is left out stays. The name may be sent unchanged. */
export const domainPutSchema = requestBody(
  'domain',
  {
    ...written,
    name: Type.Optional(Type.String()),
    ...writtenByServer,
    serial: Type.Optional(Type.Unknown()),
  },
  { ttl: 300 },
)

export function zoneDraftFromBody(body: Static<typeof domainCreateSchema>): ZoneDraft {
  return {
    name: body.name,
    type: 'PRIMARY',
    email: body.email ?? null,
    ttlSeconds: body.ttl ?? null,
    description: body.description ?? null,
    masters: [],
    attributes: {},
  }
}

export function zonePatchFromBody(body: Static<typeof domainPutSchema>): ZonePatch {
  const { name, email, description, ttl: ttlSeconds } = body
  return { name, email, description, ttlSeconds }
}
