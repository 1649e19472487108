import type { Place } from '../durable/file-system.ts'
import { soundBatchesOf } from '../durable/log-recovery.ts'
import { decodeCommit } from './commit-entry.ts'
import { listLog } from './commit-log.ts'
import { Replay, readStored } from './recovery.ts'
import type { PastCommit } from './store.ts'
import { collectionNames, type Tables } from './tables.ts'

/** Changes by their numbers, both ends included. */
export type LsnRange = { readonly firstLsn: number; readonly lastLsn: number }

/** The consistent part of a damaged store. */
export type Salvage = Awaited<ReturnType<typeof salvage>>

/** Reads what can be read: segments and documents, and on top of them the longest unbroken run of changes from where they end,
 *  with the changes before it that are kept for history: those restore what they have of lost files. Changes after a gap are not
 *  used, even if whole: they may build on lost ones. */
export async function salvage(place: Place) {
  const { stored, log } = await readSound(place)
  const { rows, heldLsn, afterLsn: wantedLsn } = stored
  // The first run that does not end before the files do: an older one would undo what they hold. If the manifest is lost, damage in
  // a part kept only for history must not cost what follows it.
  const starts = [
    ...[wantedLsn, stored.manifest._lsn],
    ...log.startLsns.filter(lsn => lsn > wantedLsn),
  ]
  const afterLsn = starts.find(lsn => runEnd(log.commits, lsn) >= heldLsn) ?? heldLsn
  const endLsn = runEnd(log.commits, afterLsn)
  const beganLsn = log.begunBefore(afterLsn)
  const replay = new Replay(rows, stored.atMicros)
  for (const commit of log.commits) {
    if (commit.lsn > beganLsn && commit.lsn <= endLsn) replay.apply(commit)
  }
  const isRestored =
    (stored.isOlder && afterLsn === wantedLsn) || beganLsn <= stored.manifest.previousLsn
  const tables = rows.index(ignore)
  const orphanCount = dropOrphans(tables)
  const lastLsn = Math.max(heldLsn, endLsn, ...log.commits.slice(-1).map(({ lsn }) => lsn))
  return {
    tables,
    /** The number of the last generation of files. */
    generation: stored.manifest.generation,
    /** The change before the first that the log restored: 0 if the log has restored all there ever was. */
    beganLsn,
    /** The last change that is in it. */
    endLsn,
    /** No change, even a given-up one, has a later number. */
    lastLsn,
    lastAtMicros: Math.max(replay.lastAtMicros, log.lastAtMicros, lastStamp(tables)),
    givenUpChanges: rangesOf([
      { firstLsn: wantedLsn + 1, lastLsn: afterLsn },
      { firstLsn: endLsn + 1, lastLsn },
    ]),
    /** Those that the log has and that are not given up. */
    logged: rangesOf([{ firstLsn: beganLsn + 1, lastLsn: endLsn }]),
    agedDocuments: isRestored ? [] : stored.agedDocuments,
    orphanCount,
    /** Record sets in unreadable parts of segments, by the id of their zone. */
    lostByZone: beganLsn === 0 ? new Map<string, number>() : stored.lostByZone,
    /** Paths of the segments with any unusable part. */
    spoiledSegments: log.spoiledSegments(endLsn),
  }
}

const ignore = () => undefined

/** The latest generation or, where that cannot be read, the one before it, if the log completes that. */
async function readSound(place: Place) {
  const segments = await listLog(place)
  const stored = await readStored(place, { segments, onDamage: ignore })
  const log = await readSoundEntries(place)
  const isComplete = runEnd(log.commits, stored.afterLsn) >= stored.heldLsn
  if (isComplete || stored.isOlder || stored.healed.length === 0) return { stored, log }
  return { stored: await readStored(place, { segments, onDamage: ignore, isLatest: true }), log }
}

async function readSoundEntries(place: Place) {
  const segments = await listLog(place)
  const commits: PastCommit[] = []
  const broken = new Set<string>()
  const lastLsnBySegment = new Map<string, number>()
  for (const segment of segments) {
    const { path } = segment
    const { batches, isBroken } = await soundBatchesOf(place.files, segment)
    if (isBroken) broken.add(path)
    for (const { first, entries } of batches) {
      for (const [i, entry] of entries.entries()) commits.push(decodeCommit(first + i, entry))
      lastLsnBySegment.set(path, first + entries.length - 1)
    }
  }
  return {
    commits,
    /** The changes right before each segment, oldest first. */
    startLsns: segments.map(({ first }) => first - 1),
    lastAtMicros: commits.reduce((last, { atMicros }) => Math.max(last, atMicros), 0),
    /** The change before the first of those that lead to one; that one itself, if any is missing or unsound: an interrupted repair
     *  may have given up what follows. */
    begunBefore(lsn: number): number {
      const before = (segments[0]?.first ?? 1) - 1
      return broken.size === 0 && runEnd(commits, before) >= lsn ? before : lsn
    },
    spoiledSegments(endLsn: number): ReadonlySet<string> {
      const behind = [...lastLsnBySegment].filter(([, lsn]) => lsn > endLsn)
      return new Set([...broken, ...behind.map(([path]) => path)])
    },
  }
}

/** The last change of the unbroken run that begins behind a change. */
function runEnd(commits: readonly PastCommit[], afterLsn: number): number {
  let lsn = afterLsn
  for (const commit of commits) if (commit.lsn === lsn + 1) lsn = commit.lsn
  return lsn
}

function rangesOf(ranges: readonly LsnRange[]): readonly LsnRange[] {
  return ranges.filter(({ firstLsn, lastLsn }) => firstLsn <= lastLsn)
}

/** Removes record sets without a zone; nothing could ever list or delete them. */
function dropOrphans(tables: Tables): number {
  const recordsets = tables.table('recordsets')
  const orphans: string[] = []
  for (const { id } of recordsets.values()) {
    const zoneId = tables.get('recordsets', id)?.zoneId ?? ''
    if (tables.get('zones', zoneId) === undefined) orphans.push(id)
  }
  for (const id of orphans) recordsets.delete(id)
  return orphans.length
}

function lastStamp(tables: Tables): number {
  let last = 0
  for (const collection of collectionNames) {
    for (const { createdAt, updatedAt } of tables.table(collection).values()) {
      last = Math.max(last, createdAt, updatedAt ?? 0)
    }
  }
  return last
}
