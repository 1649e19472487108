import type { Recordset } from '../../model/recordset.ts'
import { absoluteRecordsetName } from '../../model/recordset-name.ts'
import { diffLines } from '../../service/changes/change-diff.ts'
import type { ChangeSetOutcome, ChangeSets } from '../../service/changes/change-sets.ts'
import type { Undo } from '../../service/history/undo.ts'
import type { Recordsets } from '../../service/recordsets/recordsets.ts'
import { mapInSlices } from '../../time-slice.ts'
import { type Reply, type Route, route } from '../route.ts'
import { changeSetRefusals } from '../zone-refusals.ts'
import { changesAnswer } from './answers.ts'
import { expectedVersions } from './entity-tags.ts'
import { changeSetFromBody, undoSchema, zoneChangesSchema } from './zone-changes.schema.ts'

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
