import { type Static, Type } from 'typebox'
import type { RecordsetDraft, RecordsetPatch } from '../../model/recordset-draft.ts'
import { descriptionField, recordsField, ttlField } from './field-schemas.ts'

/** Body of `POST /zones/<id>/recordsets`. */
export const recordsetCreateSchema = Type.Object(
  {
    name: Type.String(),
    type: Type.String(),
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    records: Type.Optional(recordsField),
  },
  { title: 'recordset', additionalProperties: false },
)

/** Body of `PUT /zones/<id>/recordsets/<id>`. What is left out stays as it is; name and type may be sent, but
 *  only unchanged. */
export const recordsetPutSchema = Type.Object(
  {
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    records: Type.Optional(recordsField),
    name: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
  },
  { title: 'recordset', additionalProperties: false },
)

export function recordsetDraftFromBody(body: Static<typeof recordsetCreateSchema>): RecordsetDraft {
  return {
    name: body.name,
    type: body.type,
    ttlSeconds: body.ttl ?? null,
    description: body.description ?? null,
    records: body.records ?? [],
  }
}

export function recordsetPatchFromBody(body: Static<typeof recordsetPutSchema>): RecordsetPatch {
  const { ttl: ttlSeconds, ...same } = body
  return { ...same, ttlSeconds }
}
