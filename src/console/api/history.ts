import type { Static } from 'typebox'
import type { actorAnswer, commitAnswer, zoneEntryAnswer } from '../../api/dns/history.answers.ts'
import { texts } from '../texts.ts'
import { call } from './client.ts'
import { listPart, type Page } from './lists.ts'
import type { ChangeOutcome } from './recordsets.ts'

/** Who made a change; null where it was not recorded. */
export type Actor = Static<typeof actorAnswer>

/** A commit in the history of a zone. */
export type ZoneEntry = Static<typeof zoneEntryAnswer>

/** What a commit has changed of a zone; no `diff` where its lines are too many to read. */
export type ZoneChange = Omit<ZoneEntry, keyof Entry>

/** A commit in the history of everything: for objects other than zones, the object and the action. */
export type CommitEntry = Static<typeof commitAnswer>

/** A commit, newest first in a list. */
export type Entry = Pick<ZoneEntry, 'id' | 'created_at' | 'actor'>

/** The filters of a history; `*` matches anything. */
type HistoryFilter = { readonly actor?: string; readonly name?: string }

/** A page of the history of a zone, or of everything; it may be empty although older entries follow it.
 *  @param path such as `/v2/zones/…/history` */
export function readHistory<T extends Entry>(
  path: string,
  { actor = '', name = '' }: HistoryFilter,
  marker?: string,
): Promise<Page<T>> {
  const query = { limit: 50, marker, actor: actor && `*${actor}*`, name: name && `*${name}*` }
  return listPart('history', { path, query })
}

/** One change by the id of its entry, or all after a serial. */
export type UndoTarget = { readonly change: number } | { readonly serial: number }

/** Undoes changes, or shows what that would do. */
export function undo(
  zoneId: string,
  target: UndoTarget,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<ChangeOutcome> {
  const body = { ...target, dry_run: isDryRun }
  return call({ method: 'POST', path: `/v2/zones/${zoneId}/undo`, body })
}

/** Undoes the change that led to a serial, regardless of later changes. */
export async function undoSerial(zoneId: string, serial: number): Promise<ChangeOutcome> {
  const { items } = await readHistory<ZoneEntry>(`/v2/zones/${zoneId}/history`, {})
  const entry = items.find(one => one.serial === serial)
  if (entry === undefined) throw new Error(texts.history.isGone)
  return undo(zoneId, { change: entry.id }, { isDryRun: false })
}
