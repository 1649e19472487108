import { type Static, Type } from 'typebox'
import type { ChangeSet, RecordsetKey } from '../../model/change-set.ts'
import { maxChangeLines } from '../../model/limits.ts'
import type { Recordset } from '../../model/recordset.ts'
import { absoluteRecordsetName } from '../../model/recordset-name.ts'
import { diffLines } from '../../service/changes/change-diff.ts'
import type { ChangeSetOutcome, ChangeSets } from '../../service/changes/change-sets.ts'
import type { Undo } from '../../service/history/undo.ts'
import type { Recordsets } from '../../service/recordsets/recordsets.ts'
import { mapInSlices } from '../../time-slice.ts'
import { closed, requestBody } from '../openapi/fields.ts'
import { canonicalId } from '../parameters.ts'
import { type Reply, type Route, route } from '../route.ts'
import { changeSetRefusals } from '../zone-refusals.ts'
import { changesAnswer } from './answers.ts'
import { expectedVersions } from './entity-tags.ts'
import { descriptionField, recordsField, ttlField, uuidField } from './field-schemas.ts'
import { recordsetCreateSchema, recordsetDraftFromBody } from './recordsets.ts'

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
const zoneChangesSchema = requestBody(
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
const undoSchema = closed(
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

/** JSON is parsed at once: this much takes some 30 ms. */
const maxBodyOctets = 4 * 1024 * 1024

/** Many recordsets of a zone changed at once. */
export function zoneChangeRoutes({
  changeSets,
  recordsets,
  undo,
}: {
  readonly changeSets: ChangeSets
  readonly undo: Undo
  readonly recordsets: Recordsets
}): readonly Route[] {
  return [
    route('POST /zones/:zone_id/changes', {
      rule: 'update_recordset',
      summary: 'Changes many recordsets at once',
      answers: { 200: changesAnswer },
      refusals: changeSetRefusals,
      isConditional: true,
      bodySchema: zoneChangesSchema,
      maxBodyOctets,
      async handler(context) {
        const { caller, body } = context
        const zoneId = context.id('zone_id')
        const zone = recordsets.zoneOf(caller, zoneId)
        const set = {
          ...(await changeSetFromBody(body, name => absoluteRecordsetName(name, zone.name))),
          expectedVersions: expectedVersions(context),
        }
        return body.dry_run
          ? dryRunReply(await changeSets.dryRun(caller, zoneId, set))
          : replyOf(await changeSets.apply(caller, zoneId, set))
      },
    }),
    undoRoute(undo),
  ]
}

function undoRoute(undo: Undo): Route {
  return route('POST /zones/:zone_id/undo', {
    rule: 'update_zone',
    summary: 'Takes a change back, or all behind a serial',
    answers: { 200: changesAnswer },
    refusals: [
      ...changeSetRefusals,
      'not_found',
      'conflict',
      'duplicate_zone',
      'no_servers_configured',
    ],
    bodySchema: undoSchema,
    async handler(context) {
      const { change, serial = 0, dry_run: isDryRun = false } = context.body
      const target = change === undefined ? { serial } : { lsn: change }
      const zoneId = context.id('zone_id')
      const outcome = await undo.apply(context.caller, zoneId, { target, isDryRun })
      return isDryRun ? dryRunReply(outcome) : replyOf(outcome)
    },
  })
}

async function dryRunReply(outcome: ChangeSetOutcome): Promise<Reply> {
  return replyOf(outcome, { dry_run: true, diff: await mapInSlices(diffLines(outcome), same) })
}

/** Each list is written separately: ten thousand at once would hold up other requests. */
async function replyOf(
  { before, zone, created, replaced, deleted }: ChangeSetOutcome,
  more: object = {},
): Promise<Reply> {
  const lists = {
    created: await shown(created),
    replaced: await shown(replaced.map(({ after }) => after)),
    deleted: await shown(deleted),
  }
  const head = { zone_id: zone.id, serial_before: before.serial, serial: zone.serial, ...more }
  const tail = Object.entries(lists).map(([key, items]) => `,"${key}":[${items.join(',')}]`)
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: `${JSON.stringify(head).slice(0, -1)}${tail.join('')}}`,
  }
}

function shown(rows: readonly Recordset[]): Promise<readonly string[]> {
  return mapInSlices(rows, ({ id, name, type, version }) =>
    JSON.stringify({ id, name, type, version }),
  )
}

function same(line: string): string {
  return line
}

/** @param absolute completes a name as the zone asks */
async function changeSetFromBody(
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
