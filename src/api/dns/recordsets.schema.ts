import { type Static, Type } from 'typebox'
import type { RecordsetDraft, RecordsetPatch } from '../../model/recordset-draft.ts'
import { requestBody } from '../openapi/fields.ts'
import { descriptionField, recordsField, ttlField } from './field-schemas.ts'
import { readOnlyFields } from './read-only-fields.ts'

/** Body of `POST /zones/<id>/recordsets`. */
export const recordsetCreateSchema = requestBody(
  'recordset',
  {
    name: Type.String(),
    type: Type.String(),
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    records: Type.Optional(recordsField),
  },
  { name: 'www', type: 'A', ttl: 300, records: ['192.0.2.1'] },
)

/** Fields of a recordset that can only be sent unchanged. */
export const recordsetReadOnlyFields = [
  'id',
  'zone_id',
  'zone_name',
  'project_id',
  'status',
  'action',
  'status_reason',
  'version',
  'created_at',
  'updated_at',
  'links',
] as const

/** Body of `PUT` and `PATCH /zones/<id>/recordsets/<id>`. What is left out stays as it is; name and type may be sent, but
 *  only unchanged. */
export const recordsetPutSchema = requestBody(
  'recordset',
  {
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    records: Type.Optional(recordsField),
    name: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    ...readOnlyFields(recordsetReadOnlyFields),
  },
  { records: ['192.0.2.1', '192.0.2.2'] },
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
  const { ttl: ttlSeconds, description, records, name, type } = body
  return { description, records, name, type, ttlSeconds }
}
