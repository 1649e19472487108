import type { Caller } from '../../identity/caller.ts'
import type { Zone } from '../../model/zone.ts'
import type { CommitEntry } from '../../service/history/history.ts'
import {
  actionOf,
  type ChangedField,
  changedFields,
  entryLines,
  type ZoneEntry,
} from '../../service/history/zone-entry.ts'
import { TimeSlice } from '../../time-slice.ts'
import { formatTimestamp } from '../timestamps.ts'
import { actorView } from './actor.view.ts'
import { ruleView } from './update-policies.ts'

/** The most lines of one entry in a page; lines of JSON have all of them. */
export const maxPageLines = 1_000

/** The API's names of the fields of a zone's row. */
const fieldNames: Readonly<Record<ChangedField['field'], string>> = {
  email: 'email',
  type: 'type',
  ttlSeconds: 'ttl',
  description: 'description',
  masters: 'masters',
  attributes: 'attributes',
  projectId: 'project_id',
  poolId: 'pool_id',
  updateRules: 'update_policy',
}

/** An entry of a zone's history, as JSON text. */
export async function zoneEntryText(
  entry: ZoneEntry,
  caller: Caller,
  maxLines: number,
): Promise<string> {
  const { lsn, atMicros, actor } = entry
  return JSON.stringify({
    id: lsn,
    created_at: formatTimestamp(atMicros),
    actor: actorView(actor, caller),
    ...(await changeView(entry, maxLines)),
  })
}

/** An entry of the history of all zones. */
export async function commitEntryText(
  { lsn, atMicros, actor, zones, others }: CommitEntry,
  caller: Caller,
  maxLines: number,
): Promise<string> {
  const changes: object[] = []
  for (const zone of zones)
    changes.push({ resource: 'zones', ...(await changeView(zone, maxLines)) })
  for (const { collection, id, verb } of others)
    changes.push({ resource: collection, id, action: verb })
  return JSON.stringify({
    id: lsn,
    created_at: formatTimestamp(atMicros),
    actor: actorView(actor, caller),
    changes,
  })
}

async function changeView(entry: ZoneEntry, maxLines: number): Promise<object> {
  const { zoneId, before, after, recordsets, shares } = entry
  const fields = changedFields(entry).map(({ field, before, after }) => ({
    name: fieldNames[field],
    before: valueView(field, before),
    after: valueView(field, after),
  }))
  const shared = shares.map(share => ({
    name: 'shared_with',
    before: share.before?.targetProjectId ?? null,
    after: share.after?.targetProjectId ?? null,
  }))
  const lines = await firstLines(entry, maxLines)
  return {
    zone_id: zoneId,
    zone_name: (after ?? before)?.name ?? null,
    action: actionOf(entry),
    serial_before: before?.serial ?? null,
    serial: after?.serial ?? null,
    fields: [...fields, ...shared],
    // There is no diff of an entry that is too large to be read.
    diff: recordsets === undefined ? null : lines.slice(0, maxLines),
    is_whole: recordsets !== undefined && lines.length <= maxLines,
  }
}

function valueView(field: ChangedField['field'], value: unknown): unknown {
  return field === 'updateRules' ? ((value as Zone['updateRules'])?.map(ruleView) ?? null) : value
}

/** Returns one line more than `most`, if there are more. */
async function firstLines(entry: ZoneEntry, most: number): Promise<readonly string[]> {
  const slice = new TimeSlice()
  const lines: string[] = []
  for (const line of entryLines(entry)) {
    lines.push(line)
    if (lines.length > most) break
    if (slice.isSpent) await slice.yield()
  }
  return lines
}
