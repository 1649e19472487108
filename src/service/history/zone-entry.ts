import type { Actor } from '../../actor.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import type { Recordset } from '../../model/recordset.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import { isInUse, type Zone } from '../../model/zone.ts'
import type { ZoneShare } from '../../model/zone-share.ts'
import type { Change, PastCommit } from '../../store/store.ts'
import type { Steps } from '../../time-slice.ts'
import { recordLines } from '../../zone/zone-file/print.ts'
import { changedLines } from '../changes/change-diff.ts'

/** What happened to the zone as a whole. */
type ZoneAction = 'create' | 'update' | 'delete'

/** A row before and after a commit; only one of the two where it was created or deleted. */
export type Pair<R> = { readonly before: R | undefined; readonly after: R | undefined }

export type RecordsetPair = Pair<Recordset>
export type SharePair = Pair<ZoneShare>

/** The row of a zone; both undefined where the row has not changed. */
type ZonePair = Pair<Zone>

/** What a commit did to a zone. */
export type ZoneEntry = ZonePair & {
  readonly lsn: number
  readonly atMicros: number
  /** Undefined where it was not recorded. */
  readonly actor: Actor | undefined
  readonly zoneId: string
  /** Undefined where the commit is too large to be read. */
  readonly recordsets: Iterable<RecordsetPair> | undefined
  readonly shares: readonly SharePair[]
}

/** The fields of a zone that the history shows; the rest of its row follows from these and from its recordsets. */
const shownFields = [
  'type',
  'email',
  'ttlSeconds',
  'description',
  'masters',
  'attributes',
  'projectId',
  'poolId',
  'updateRules',
] as const

export type ChangedField = {
  readonly field: (typeof shownFields)[number]
  readonly before: unknown
  readonly after: unknown
}

/** What a commit did to one zone.
 *  @param recordsetId only the change of this recordset; nothing where it has not changed */
export function zoneEntryOf(commit: PastCommit, zoneId: string, recordsetId?: string): ZoneEntry {
  const { lsn, atMicros, actor, changes } = commit
  const isAbout = recordsetId === undefined || changes.some(({ id }) => id === recordsetId)
  const row = changes.find(({ collection, id }) => collection === 'zones' && id === zoneId)
  const { before, after } = ((isAbout && row) || {}) as ZonePair
  const isWanted = (change: Change) =>
    change.collection === 'recordsets' &&
    (recordsetId === undefined ? zoneIdOf(change) === zoneId : change.id === recordsetId)
  const recordsets = pairsOf(changes, isWanted)
  const shares = recordsetId === undefined ? changes.flatMap(each => shareOf(each, zoneId)) : []
  return { lsn, atMicros, actor, zoneId, before, after, recordsets, shares }
}

function shareOf(change: Change, zoneId: string): SharePair | readonly never[] {
  if (change.collection !== 'zoneShares') return []
  const { before, after } = change
  return (after ?? before)?.zoneId === zoneId ? { before, after } : []
}

/** The ids of the zones that a commit has changed. */
export function* zoneIdsOf({ changes }: PastCommit): Steps<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (const [i, change] of changes.entries()) {
    if (change.collection === 'zones') ids.add(change.id)
    else if (isInZone(change)) ids.add(zoneIdOf(change) ?? '')
    if (i % 1024 === 1023) yield
  }
  ids.delete('')
  return ids
}

/** Whether the history shows a change as part of its zone. */
export function isInZone({ collection }: Pick<Change, 'collection'>): boolean {
  return collection === 'recordsets' || collection === 'zoneShares'
}

export function actionOf({ before, after }: ZoneEntry): ZoneAction {
  const isNowInUse = after !== undefined && isInUse(after)
  if (isNowInUse) return before === undefined ? 'create' : 'update'
  return before === undefined && after === undefined ? 'update' : 'delete'
}

/** Records a commit's change of a recordset under a key: the deletion of one and the creation of another in its
 *  place are one change, in either order. */
export function addChange<R>(
  changes: Map<string, Pair<R>>,
  key: string,
  { before, after }: Pair<R>,
): void {
  const known = changes.get(key)
  changes.set(key, { before: before ?? known?.before, after: after ?? known?.after })
}

/** The fields of the zone that differ. */
export function changedFields({ before, after }: ZoneEntry): readonly ChangedField[] {
  if (before === undefined || after === undefined) return []
  return shownFields
    .map(field => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter(field => JSON.stringify(field.before) !== JSON.stringify(field.after))
}

/** Whether a commit did anything to the zone that its users would call a change. */
export function isChange(entry: ZoneEntry): boolean {
  const { before, after, recordsets } = entry
  if (before?.serial !== after?.serial || changedFields(entry).length > 0) return true
  if (entry.shares.length > 0) return true
  if (actionOf(entry) !== 'update') return before === undefined || isInUse(before)
  if (before?.isDeleting) return false
  if (recordsets === undefined) return true
  for (const pair of recordsets) if (!isHandedOver(pair)) return true
  return false
}

/** Whether a recordset of a SECONDARY zone has become its owner's (zone-promotion.ts). */
function isHandedOver({ before, after }: RecordsetPair): boolean {
  return before?.isManaged === true && after?.isManaged === false
}

/** The change as lines of a zone file: removed lines begin with `-`, added ones with `+`. Records with the zone's
 *  TTL show none; a change of that TTL is a `$TTL` line. An SOA of which only the serial has changed is left out.
 *  Empty where the commit is too large to be read. */
export function* entryLines(
  entry: Pick<ZoneEntry, 'before' | 'after' | 'recordsets'>,
): Generator<string> {
  const { before, after, recordsets = [] } = entry
  const [was, is] = [before?.ttlSeconds, after?.ttlSeconds]
  if (was !== is && typeof was === 'number') yield `-$TTL ${was}`
  if (was !== is && typeof is === 'number') yield `+$TTL ${is}`
  for (const pair of recordsets) yield* pairLines(pair, { before, after })
}

/** The change of one recordset as such lines. */
function* pairLines(pair: RecordsetPair, { before, after }: ZonePair): Generator<string> {
  const gone = linesOf(pair.before, before)
  const come = linesOf(pair.after, after)
  if (pair.before?.type === 'SOA' && withoutSerial(gone) === withoutSerial(come)) return
  yield* changedLines(gone, come)
}

function linesOf(row: Recordset | undefined, zone: Zone | undefined): readonly string[] {
  const { rrset } = row === undefined ? {} : rrsetOf(row, zone ?? { ttlSeconds: null })
  if (row === undefined || rrset === undefined) return []
  const isOwnTtl = row.ttlSeconds !== null
  return [...recordLines(rrset, isOwnTtl ? {} : { defaultTtlSeconds: rrset.ttlSeconds })]
}

/** The serial is the seventh word: `name ttl IN SOA mname rname serial …`. */
function withoutSerial([line = '']: readonly string[]): string {
  return line.split(' ').toSpliced(6, 1).join(' ')
}

/** The pairs are made one by one, on demand. */
function pairsOf(
  changes: readonly Change[],
  isWanted: (change: Change) => boolean,
): Iterable<RecordsetPair> {
  return {
    *[Symbol.iterator]() {
      for (const change of changes) {
        const { before, after } = change
        if (isWanted(change)) yield { before, after } as RecordsetPair
      }
    },
  }
}

/** The zone of a changed recordset or share. */
export function zoneIdOf(change: Change): string | undefined {
  const packed = change.packedAfter ?? change.packedBefore
  if (packed !== undefined) return recordsetUnpacker.zoneIdOf(packed)
  return ((change.after ?? change.before) as Recordset | ZoneShare | undefined)?.zoneId
}
