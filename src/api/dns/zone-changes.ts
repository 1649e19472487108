import type { Recordset } from '../../model/recordset.ts'
import { absoluteRecordsetName } from '../../model/recordset-name.ts'
import { diffLines } from '../../service/change-diff.ts'
import type { ChangeSetOutcome, ChangeSets } from '../../service/change-sets.ts'
import type { Recordsets } from '../../service/recordsets.ts'
import { mapInSlices } from '../../time-slice.ts'
import { uuidParameter } from '../parameters.ts'
import { type Reply, type Route, routeWithBody } from '../route.ts'
import { changesAnswer } from './answers.ts'
import { expectedVersions } from './entity-tags.ts'
import { changeSetFromBody, zoneChangesSchema } from './zone-changes.schema.ts'

/** JSON is parsed in one go: so much of it in some 30 ms. */
const maxBodyOctets = 4 * 1024 * 1024

/** Many recordsets of a zone changed at once. */
export function zoneChangeRoutes({
  changeSets,
  recordsets,
}: {
  readonly changeSets: ChangeSets
  readonly recordsets: Recordsets
}): readonly Route[] {
  return [
    routeWithBody({
      method: 'POST',
      path: '/zones/:zone_id/changes',
      rule: 'update_recordset',
      summary: 'Changes many recordsets at once',
      answers: { 200: changesAnswer },
      refusals: [
        'zone_not_found',
        'recordset_not_found',
        'precondition_failed',
        'over_quota',
        'invalid_ttl',
        'invalid_recordset_location',
        'duplicate_recordset',
        'bad_request',
      ],
      bodySchema: zoneChangesSchema,
      maxBodyOctets,
      async handler(context) {
        const { caller, body } = context
        const zoneId = uuidParameter(context, 'zone_id')
        const zone = recordsets.zoneOf(caller, zoneId)
        const set = {
          ...changeSetFromBody(body, name => absoluteRecordsetName(name, zone.name)),
          expectedVersions: expectedVersions(context),
        }
        if (!body.dry_run) return replyOf(await changeSets.apply(caller, zoneId, set))
        const outcome = await changeSets.dryRun(caller, zoneId, set)
        return replyOf(outcome, {
          dry_run: true,
          diff: await mapInSlices(diffLines(outcome), same),
        })
      },
    }),
  ]
}

/** Each list is written by itself: ten thousand at once would hold up everybody else. */
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
