import { ApiError } from '../../errors.ts'
import { comparePacked, recordsetUnpacker } from '../../model/packed-recordset.ts'
import {
  type PlacedRecordset,
  type RecordsetRun,
  RunWriter,
  recordsetsOf,
} from '../../model/recordset-run.ts'
import type { Zone } from '../../model/zone.ts'
import type { PastCommit, Store, ZoneCommit } from '../../store/store.ts'
import { inSlices, type Steps, TimeSlice } from '../../time-slice.ts'
import { type StoredZone, storedRuns } from '../changes/stored-runs.ts'
import { type Pair, zoneIdOf } from './zone-entry.ts'

// A zone at an earlier moment: the stored zone with all later changes undone.

/** Commits that are read in one go. */
const batchCommits = 100
/** Recordsets of a run. */
const runRecordsets = 500
/** Octets of the log that are read for one zone, which take as much memory meanwhile. */
const maxOctets = 512 * 1024 * 1024
/** How often the zone may be changed while it is read. */
const maxTries = 8

/** Finds the commits to undo: the latest of the zone, newest first. */
export type Choose = () => Promise<readonly ZoneCommit[]>

/** The earlier state of each recordset that has changed since; undefined where there was none. */
type Earlier = Map<string, PlacedRecordset | undefined>

/** A zone without the changes of its latest commits.
 *  @returns undefined where there was no such zone then
 *  @throws ApiError not_found the log does not have all of them; conflict the zone changes all the time; and what
 *  `choose` throws */
export async function pastZone(
  store: Store,
  zoneId: string,
  choose: Choose,
): Promise<StoredZone | undefined> {
  const slice = new TimeSlice()
  for (let left = maxTries; left > 0; left -= 1) {
    const stored = await storedRuns(store, zoneId)
    const commits = await choose()
    const past = await takeBack(store, { zoneId, stored, commits })
    if (past !== 'changed') return past
    // The log may not yet have everything that is stored.
    await slice.yield()
  }
  throw new ApiError('conflict', 'The zone is changed too often to be read as it was')
}

async function takeBack(
  store: Store,
  parts: {
    readonly zoneId: string
    readonly stored: StoredZone | undefined
    readonly commits: readonly ZoneCommit[]
  },
): Promise<StoredZone | undefined | 'changed'> {
  const { zoneId, stored, commits } = parts
  const earlier: Earlier = new Map()
  let zone = stored?.zone
  for await (const commit of readWhole(store, commits)) {
    const row = zoneChangeOf(commit, zoneId)
    // Each commit continues from the state that the one before it left, or a commit is missing.
    if (row !== undefined && row.after?.version !== zone?.version) {
      if (zone === stored?.zone) return 'changed'
      throw notWhole()
    }
    if (row !== undefined) zone = row.before
    await inSlices(noteEarlier(earlier, zoneId, commit))
  }
  // A change made during the reading is in neither.
  if (commits.length === 0 && store.get('zones', zoneId) !== stored?.zone) return 'changed'
  return zone && { zone, runs: await runsOf(stored?.runs ?? [], earlier) }
}

function* noteEarlier(earlier: Earlier, zoneId: string, { changes }: PastCommit): Steps<void> {
  for (const change of changes) {
    if (change.collection === 'recordsets' && zoneIdOf(change) === zoneId)
      earlier.set(change.id, change.packedBefore)
    yield
  }
}

/** Refuses to read too much of the log.
 *  @throws ApiError bad_request */
export function requireSmall(commits: readonly ZoneCommit[]): readonly ZoneCommit[] {
  const octets = commits.reduce((sum, { octetCount }) => sum + octetCount, 0)
  if (octets <= maxOctets) return commits
  throw new ApiError('bad_request', 'That is more of the log than is read at once')
}

/** Reads commits in their order, whichever that is.
 *  @throws ApiError not_found the log does not have all of them */
export async function* readWhole(
  store: Store,
  commits: readonly ZoneCommit[],
): AsyncGenerator<PastCommit> {
  for (let at = 0; at < commits.length; at += batchCommits) {
    const batch = commits.slice(at, at + batchCommits)
    const read = new Map<number, PastCommit>()
    for await (const commit of store.readCommits(batch.toSorted((a, b) => a.lsn - b.lsn)))
      read.set(commit.lsn, commit)
    if (read.size < batch.length) throw notWhole()
    for (const { lsn } of batch) yield read.get(lsn) as PastCommit
  }
}

export function notWhole(): ApiError {
  return new ApiError('not_found', 'The history of the zone is not whole from there on')
}

/** What a commit did to the zone's own row. */
export function zoneChangeOf({ changes }: PastCommit, zoneId: string): Pair<Zone> | undefined {
  const change = changes.find(({ collection, id }) => collection === 'zones' && id === zoneId)
  return change && { before: change.before as Zone | undefined, after: change.after as Zone }
}

/** The recordsets as they were, in order of creation. */
async function runsOf(
  stored: readonly RecordsetRun[],
  earlier: Earlier,
): Promise<readonly RecordsetRun[]> {
  // Recordsets that were deleted in pieces come newest piece first.
  const back = [...earlier.values()].filter(record => record !== undefined).sort(compareRecords)
  const runs: RecordsetRun[] = []
  const writer = new RunWriter()
  const slice = new TimeSlice()
  for (const record of merged(stored, { earlier, back })) {
    writer.addPacked(record)
    if (writer.count === runRecordsets) runs.push(writer.take())
    if (slice.isSpent) await slice.yield()
  }
  if (writer.count > 0) runs.push(writer.take())
  return runs
}

function* merged(
  stored: readonly RecordsetRun[],
  { earlier, back }: { readonly earlier: Earlier; readonly back: readonly PlacedRecordset[] },
): Generator<PlacedRecordset> {
  let next = 0
  for (const run of stored) {
    for (const record of recordsetsOf(run)) {
      if (earlier.has(recordsetUnpacker.idOf(record))) continue
      for (; next < back.length && compareRecords(back[next] as PlacedRecordset, record) < 0; )
        yield back[next++] as PlacedRecordset
      yield record
    }
  }
  yield* back.slice(next)
}

function compareRecords(one: PlacedRecordset, other: PlacedRecordset): number {
  const order = comparePacked(one, other)
  if (order !== undefined) return order
  const [left, right] = [recordsetUnpacker.placeOf(one), recordsetUnpacker.placeOf(other)]
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt
  return left.id < right.id ? -1 : 1
}
