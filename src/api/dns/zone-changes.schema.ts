import { type Static, Type } from 'typebox'
import type { ChangeSet, RecordsetKey } from '../../model/change-set.ts'
import { maxChangeLines } from '../../model/limits.ts'
import { mapInSlices } from '../../time-slice.ts'
import { closed, requestBody } from '../openapi/fields.ts'
import { canonicalId } from '../parameters.ts'
import { descriptionField, recordsField, ttlField, uuidField } from './field-schemas.ts'
import { recordsetCreateSchema, recordsetDraftFromBody } from './recordsets.schema.ts'

const expectedSchema = closed({
  ttl: Type.Optional(ttlField),
  records: Type.Optional(recordsField),
})

/** A recordset by its id, or by its name and type. */
const keyFields = {
  id: Type.Optional(uuidField),
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  expected: Type.Optional(expectedSchema),
}

const eitherKey = { oneOf: [{ required: ['id'] }, { required: ['name', 'type'] }] }

const deletionSchema = closed(
  { ...keyFields, records: Type.Optional(recordsField) },
  { ...eitherKey },
)

const replacementSchema = closed(
  {
    ...keyFields,
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    records: Type.Optional(recordsField),
  },
  { ...eitherKey },
)

/** Body of `POST /zones/<id>/changes`. */
export const zoneChangesSchema = requestBody(
  'change',
  {
    create: Type.Optional(Type.Array(recordsetCreateSchema, { maxItems: maxChangeLines })),
    replace: Type.Optional(Type.Array(replacementSchema, { maxItems: maxChangeLines })),
    delete: Type.Optional(Type.Array(deletionSchema, { maxItems: maxChangeLines })),
    expected: Type.Optional(closed({ serial: Type.Integer({ minimum: 0 }) })),
    dry_run: Type.Optional(Type.Boolean()),
  },
  {
    create: [{ name: 'www', type: 'A', records: ['192.0.2.1'] }],
    delete: [{ name: 'old', type: 'A' }],
    expected: { serial: 1795262400 },
  },
)

/** Body of `POST /zones/<id>/undo`. */
export const undoSchema = closed(
  {
    change: Type.Optional(Type.Integer({ minimum: 1 })),
    serial: Type.Optional(Type.Integer({ minimum: 0 })),
    dry_run: Type.Optional(Type.Boolean()),
  },
  {
    title: 'undo',
    examples: [{ change: 4711 }, { serial: 1795262400, dry_run: true }],
    oneOf: [{ required: ['change'] }, { required: ['serial'] }],
  },
)

type Body = Static<typeof zoneChangesSchema>
type KeyBody = Static<typeof deletionSchema>

/** @param absolute completes a name as the zone asks */
export async function changeSetFromBody(
  body: Body,
  absolute: (name: string) => string,
): Promise<ChangeSet> {
  const keyOf = ({ id, name = '', type = '' }: KeyBody): RecordsetKey =>
    id === undefined ? { name: absolute(name), type } : { id: canonicalId(id) }
  return {
    create: await mapInSlices(body.create ?? [], given => {
      const draft = recordsetDraftFromBody(given)
      return { ...draft, name: absolute(draft.name) }
    }),
    replace: await mapInSlices(body.replace ?? [], line => ({
      key: keyOf(line),
      expected: expectationOf(line),
      patch: { ttlSeconds: line.ttl, description: line.description, records: line.records },
    })),
    delete: await mapInSlices(body.delete ?? [], line => ({
      key: keyOf(line),
      expected: expectationOf(line),
      records: line.records,
    })),
    expectedSerial: body.expected?.serial,
  }
}

function expectationOf({ expected }: KeyBody) {
  return expected && { ttlSeconds: expected.ttl, records: expected.records }
}
