import { type Static, Type } from 'typebox'
import { maxRecordLength } from '../../model/limits.ts'
import type { RecordDraft, RecordPatch } from '../../model/record-draft.ts'
import { descriptionField, ttlField } from '../dns/field-schemas.ts'
import { requestBody } from '../openapi/fields.ts'
import { writtenByServer } from './written-by-server.ts'

const dataField = Type.String({ maxLength: maxRecordLength })

const priorityField = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 65_535,
})

const beside = {
  priority: Type.Optional(priorityField),
  ttl: Type.Optional(ttlField),
  description: Type.Optional(descriptionField),
}

/** Body of `POST /domains/<id>/records`. */
export const recordCreateSchema = requestBody(
  'record',
  { name: Type.String(), type: Type.String(), data: dataField, ...beside },
  { name: 'www.example.com.', type: 'A', data: '192.0.2.1' },
)

/** Body of `PUT /domains/<id>/records/<id>`: what is left out stays. */
export const recordPutSchema = requestBody(
  'record',
  {
    name: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    data: Type.Optional(dataField),
    ...beside,
    ...writtenByServer,
    domain_id: Type.Optional(Type.Unknown()),
    tenant_id: Type.Optional(Type.Unknown()),
    version: Type.Optional(Type.Unknown()),
  },
  { data: '192.0.2.2' },
)

export function recordDraftFromBody(body: Static<typeof recordCreateSchema>): RecordDraft {
  return {
    name: body.name,
    type: body.type,
    data: body.data,
    priority: body.priority ?? null,
    ttlSeconds: body.ttl ?? null,
    description: body.description ?? null,
  }
}

export function recordPatchFromBody(body: Static<typeof recordPutSchema>): RecordPatch {
  const { name, type, data, priority, ttl: ttlSeconds, description } = body
  return { name, type, data, priority, ttlSeconds, description }
}
