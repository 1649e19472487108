import type { Place } from '../durable/file-system.ts'
import type { CollectionName } from '../model/collections.ts'
import { listSegments } from './journal.ts'
import type { JournalEntry } from './journal-line.ts'
import { wholeEntries } from './journal-recovery.ts'
import { type LoadedDocuments, loadDocuments } from './load-documents.ts'
import { LoadedRows } from './loaded-rows.ts'
import { emptyManifest, type Manifest, readManifest } from './manifest.ts'
import { Replay } from './recovery.ts'
import { collectionNames, type Tables } from './tables.ts'

/** Changes by their numbers, both ends included. */
export type LsnRange = { readonly firstLsn: number; readonly lastLsn: number }

/** All of a damaged store that fits together. */
export type Salvage = {
  readonly tables: Tables
  readonly documents: LoadedDocuments
  /** Small collections that have a document or rows. */
  readonly collections: readonly CollectionName[]
  /** The last change that is in it. */
  readonly endLsn: number
  /** No change has a later number, be it one that is given up. */
  readonly lastLsn: number
  readonly lastAtMicros: number
  readonly givenUpChanges: readonly LsnRange[]
  readonly agedDocuments: readonly string[]
  readonly orphanCount: number
  /** Their documents may still be there. */
  readonly deletedZoneIds: ReadonlySet<string>
  /** Paths of the segments that hold anything that could not be used. */
  readonly spoiledSegments: ReadonlySet<string>
}

/** Reads what can be read: the documents, and on top of them the longest unbroken run of changes from where
 *  they end. What comes behind a gap is not used, however whole: it may build on what is lost. */
export async function salvage(place: Place): Promise<Salvage> {
  const ignore = () => undefined
  const manifest = (await readManifest(place, ignore))?.manifest ?? emptyManifest
  const rows = new LoadedRows()
  const documents = await loadDocuments(place, rows, { manifest, onDamage: ignore })
  const heldLsn = Math.max(manifest._lsn, documents.lastLsn)
  const wantedLsn = documents.healed.size > 0 ? manifest.previousLsn : manifest._lsn
  const journal = await readWholeLines(place, wantedLsn)
  // The first run that does not end before the documents do: an older one would undo what they hold. Where the
  // manifest is lost, damage in what was only kept for history must not cost what comes behind it.
  const starts = [wantedLsn, manifest._lsn, ...journal.startLsns]
  const afterLsn = starts.find(lsn => runEnd(journal.entries, lsn) >= heldLsn) ?? heldLsn
  const endLsn = runEnd(journal.entries, afterLsn)
  const replay = new Replay(rows, manifest.atMicros)
  for (const entry of journal.entries) {
    if (entry.lsn > afterLsn && entry.lsn <= endLsn) replay.apply(entry)
  }
  const tables = rows.index(ignore)
  const orphanCount = dropOrphans(tables)
  const lastLsn = Math.max(heldLsn, endLsn, ...journal.entries.slice(-1).map(({ lsn }) => lsn))
  return {
    tables,
    documents,
    collections: collectionsOf(tables, manifest),
    endLsn,
    lastLsn,
    lastAtMicros: Math.max(replay.lastAtMicros, journal.lastAtMicros, lastStamp(tables)),
    givenUpChanges: rangesOf([
      { firstLsn: wantedLsn + 1, lastLsn: afterLsn },
      { firstLsn: endLsn + 1, lastLsn },
    ]),
    agedDocuments: afterLsn === wantedLsn ? [] : [...documents.healed.keys()],
    orphanCount,
    deletedZoneIds: replay.deletedZoneIds,
    spoiledSegments: journal.spoiledSegments(endLsn),
  }
}

type WholeLines = {
  readonly entries: readonly JournalEntry[]
  readonly lastAtMicros: number
  /** The changes right before each segment. */
  readonly startLsns: readonly number[]
  spoiledSegments(endLsn: number): ReadonlySet<string>
}

/** Reads the segments with changes behind `afterLsn`. */
async function readWholeLines({ files, directory }: Place, afterLsn: number): Promise<WholeLines> {
  const segments = await listSegments(files, directory)
  const first = segments.findLastIndex(({ firstLsn }) => firstLsn <= afterLsn + 1)
  const needed = segments.slice(Math.max(0, first))
  const entries: JournalEntry[] = []
  const broken = new Set<string>()
  const lastLsnBySegment = new Map<string, number>()
  for (const { path } of needed) {
    const octets = (await files.read(path)) ?? Buffer.alloc(0)
    const whole = wholeEntries(octets)
    if (whole.isBroken) broken.add(path)
    for (const entry of whole.entries) {
      entries.push(entry)
      lastLsnBySegment.set(path, entry.lsn)
    }
  }
  return {
    entries,
    startLsns: needed.map(({ firstLsn }) => firstLsn - 1).filter(lsn => lsn > afterLsn),
    lastAtMicros: entries.reduce((last, { at }) => Math.max(last, at), 0),
    spoiledSegments: endLsn => {
      const behind = [...lastLsnBySegment].filter(([, lsn]) => lsn > endLsn)
      return new Set([...broken, ...behind.map(([path]) => path)])
    },
  }
}

/** The last change of the unbroken run that begins behind a change. */
function runEnd(entries: readonly JournalEntry[], afterLsn: number): number {
  let lsn = afterLsn
  for (const entry of entries) if (entry.lsn === lsn + 1) lsn = entry.lsn
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

function collectionsOf(tables: Tables, { collections }: Manifest): readonly CollectionName[] {
  return collectionNames.filter(
    name =>
      name !== 'zones' &&
      name !== 'recordsets' &&
      (collections.includes(name) || tables.table(name).size > 0),
  )
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
