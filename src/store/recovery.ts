import type { Defect, OnDamage } from '../durable/damage.ts'
import type { Place } from '../durable/file-system.ts'
import { type LogContents, readLog } from '../durable/log-recovery.ts'
import type { Segment } from '../durable/log-segment.ts'
import { inSlices, type Steps, TimeSlice } from '../time-slice.ts'
import { decodeCommit } from './commit-entry.ts'
import { listLog, logDirectory } from './commit-log.ts'
import { documentNames, documentOf } from './layout.ts'
import {
  type LoadedGeneration,
  loadDocuments,
  loadGeneration,
  loadSegments,
} from './load-generation.ts'
import type { LoadedRows, OnDuplicate } from './loaded-rows.ts'
import {
  emptyManifest,
  isManifest,
  type Manifest,
  manifestPath,
  readManifests,
  rebuiltManifest,
} from './manifest.ts'
import { hasOlderDocuments, loadOlderDocuments } from './older-documents.ts'
import type { Change, PastCommit } from './store.ts'
import type { Tables } from './tables.ts'

/** The contents of a directory: the state up to its last durable commit, and how it is stored. */
export type StoreContents = {
  readonly tables: Tables
  /** Indexes zones and reads recordsets; from then on zones can be found other than by id, and recordsets by their zone.
   *  @returns what the files turned out to hold instead
   *  @throws DamageError they are not as they were written */
  readonly loadRecordsets: () => Promise<Pick<StoredRows, 'manifest' | 'healed'>>
  /** To be run after `loadRecordsets`, before recordsets are changed or found other than by their zone; other requests need not
   *  wait for it.
   *  @throws DamageError two of them claim one key */
  readonly indexRecordsets: () => Steps<void>
  /** The commits after a requested moment, oldest first, readable any number of times; undefined if the log does not have all of
   *  them, or the moment never existed. */
  readonly commitsBehind: Iterable<PastCommit> | undefined
  /** Whether there is no store yet. */
  readonly isNew: boolean
  /** Whether everything is still in documents of an earlier format. */
  readonly isOlder: boolean
  /** Files that could not be read and were replaced by those of the previous generation. */
  readonly healed: readonly Defect[]
  readonly manifest: Manifest
  readonly segments: readonly Segment[]
  readonly log: LogContents
  /** Documents that the next checkpoint has to write. */
  readonly dirtyDocuments: ReadonlySet<string>
  readonly lastAtMicros: number
}

/** Identifies a commit, and thereby the state right after it. */
export type Moment = { readonly lsn: number; readonly atMicros: number }

/** The rows onto which the log is to be applied. */
type StoredRows = Pick<StoreContents, 'isNew' | 'isOlder' | 'healed' | 'manifest'> &
  Omit<LoadedGeneration, 'defects' | 'heldLsn'> & {
    /** Set if segments are still to be read: the manifest that names them, and the previous one. */
    readonly unread?: { readonly current: Manifest; readonly previous: Manifest | undefined }
    readonly afterLsn: number
    /** The last change that any file knows of. */
    readonly heldLsn: number
    readonly atMicros: number
    /** Missing documents: expected if the log deletes their zones. */
    readonly missingZones: readonly { readonly id: string; readonly path: string }[]
  }

/** Reads segments, documents and log, and changes nothing. */
export async function readStore(
  place: Place,
  onDamage: OnDamage,
  options: {
    /** The moment whose later commits are requested. */
    readonly moment?: Moment | undefined
    /** Whether the log was not synced with each append. */
    readonly isSyncedLate?: boolean
  } = {},
): Promise<StoreContents> {
  const { files, directory } = place
  const { moment, isSyncedLate = false } = options
  const segments = await listLog(place)
  const stored = await readStored(place, { segments, onDamage, isInParts: true })
  const { rows, isOlder, afterLsn, heldLsn } = stored
  const replay = new Replay(rows, stored.atMicros)
  const dirtyDocuments = new Set(isOlder ? documentNames : [])
  const entries: LoggedEntry[] = []
  const noteDocuments = ({ changes }: PastCommit) => {
    for (const { collection, id } of changes.filter(isOfDocument))
      dirtyDocuments.add(documentOf(collection, id))
  }
  const apply = (lsn: number, entry: Buffer) => {
    const commit = decodeCommit(lsn, entry)
    noteDocuments(commit)
    if (stored.unread === undefined) replay.apply(commit)
    else {
      entries.push({ lsn, entry })
      replay.apply({ ...commit, changes: commit.changes.filter(isOfDocument) })
    }
  }
  const log = await readLog(files, segments, { after: afterLsn, apply, isSyncedLate })
  checkLog(log, { heldLsn, directory, onDamage })
  for (const { id, path } of stored.missingZones) {
    if (!replay.deletedZoneIds.has(id)) onDamage(path, 'it is missing')
  }
  const onDuplicate: OnDuplicate = ({ collection, index, holderId, id }) => {
    onDamage(directory, `${collection} ${id} has the same ${index} as ${holderId}`)
  }
  const loadRecordsets = async () => {
    await inSlices(rows.indexZones(onDuplicate))
    const found = await loadUnread(place, stored, onDamage)
    if (found.healed.length > stored.healed.length) {
      // The log is applied from an earlier commit, as whenever the previous generation is used.
      entries.length = 0
      await readLog(files, segments, {
        after: found.manifest._lsn,
        apply: (lsn, entry) => {
          entries.push({ lsn, entry })
          noteDocuments(decodeCommit(lsn, entry))
        },
      })
    }
    const slice = new TimeSlice()
    for (const { lsn, entry } of entries.splice(0)) {
      rows.apply(decodeCommit(lsn, entry).changes.filter(change => !isOfDocument(change)))
      if (slice.isSpent) await slice.yield()
    }
    await inSlices(rows.groupRecordsets())
    return found
  }
  return {
    ...stored,
    tables: rows.indexSmall(onDuplicate),
    loadRecordsets,
    indexRecordsets: () => rows.indexRecordsets(onDuplicate),
    commitsBehind: moment && (await commitsBehind(place, moment, { ...stored, segments, log })),
    segments,
    log,
    dirtyDocuments,
    lastAtMicros: replay.lastAtMicros,
  }
}

/** Reads the files onto which the log is to be applied. */
export async function readStored(place: Place, options: ReadOptions): Promise<StoredRows> {
  const { segments, onDamage } = options
  const found = await readManifests(place)
  const path = manifestPath(place.directory)
  const newest = found.current ?? found.previous
  if (newest === undefined) {
    if (found.problem === undefined && !(await holdsData(place))) {
      const nothing = await loadGeneration(place, emptyManifest)
      return { ...storedOf(emptyManifest, nothing), isNew: true }
    }
    onDamage(path, found.problem ?? 'it is missing beside other data')
  }
  const firstLsn = (segments[0]?.first ?? 1) - 1
  if (newest === undefined ? await hasOlderDocuments(place) : !isManifest(newest)) {
    const older = await loadOlderDocuments(place, { manifest: newest, firstLsn, onDamage })
    return { ...older, manifest: emptyManifest, isNew: false, isOlder: true }
  }
  const current = (newest as Manifest | undefined) ?? (await rebuiltManifest(place, firstLsn))
  const before = found.current === undefined ? undefined : found.previous
  const previous = isManifest(before) ? before : undefined
  const stored = await readGenerations(place, { current, previous }, options)
  const isPrevious = found.current === undefined && newest !== undefined
  if (!isPrevious) return stored
  const { problem = 'it is missing' } = found
  return { ...stored, healed: [{ file: path, problem }, ...stored.healed] }
}

type LoggedEntry = { readonly lsn: number; readonly entry: Buffer }

/** Reads the segments of the latest generation or, if only those of the previous one can be read, those. */
async function loadUnread(
  place: Place,
  { rows, unread, manifest, healed }: StoredRows,
  onDamage: OnDamage,
): Promise<Pick<StoredRows, 'manifest' | 'healed'>> {
  if (unread === undefined) return { manifest, healed }
  const { current, previous } = unread
  const latest = await loadSegments(place, current, rows)
  if (latest.defects.length === 0) return { manifest, healed }
  if (previous !== undefined) {
    rows.dropRecordsets()
    const before = await loadSegments(place, previous, rows)
    if (before.defects.length === 0)
      return { manifest: previous, healed: [...healed, ...latest.defects] }
  }
  for (const { file, problem } of latest.defects) onDamage(file, problem)
  return { manifest, healed }
}

async function commitsBehind(
  { files }: Place,
  { lsn, atMicros }: Moment,
  {
    manifest,
    segments,
    log,
  }: Pick<StoredRows, 'manifest'> & Pick<StoreContents, 'segments' | 'log'>,
): Promise<Iterable<PastCommit> | undefined> {
  const isManifests = manifest._lsn === lsn && manifest.atMicros === atMicros
  // A log that reaches further back has the commit itself, which shows that it is the same one.
  const after = isManifests ? lsn : lsn - 1
  if (lsn > log.lastNumber || (segments[0]?.first ?? 1) > after + 1) return undefined
  const entries: LoggedEntry[] = []
  await readLog(files, segments, {
    after,
    apply: (number, entry) => entries.push({ lsn: number, entry }),
  })
  if (after + entries.length !== log.lastNumber) return undefined
  const own = isManifests ? undefined : entries.shift()
  if (own !== undefined && decodeCommit(own.lsn, own.entry).atMicros !== atMicros) return undefined
  return { [Symbol.iterator]: () => decoded(entries) }
}

function* decoded(entries: readonly LoggedEntry[]): Generator<PastCommit> {
  for (const { lsn, entry } of entries) yield decodeCommit(lsn, entry)
}

type ReadOptions = {
  readonly segments: readonly Segment[]
  readonly onDamage: OnDamage
  /** Whether to read the latest generation even if it is damaged and the previous one is whole. */
  readonly isLatest?: boolean
  /** Whether to leave segments for later if all documents of the latest generation can be read. */
  readonly isInParts?: boolean
}

/** Reads the latest generation or, if only the previous one can be read, that. */
async function readGenerations(
  place: Place,
  { current, previous }: { readonly current: Manifest; readonly previous: Manifest | undefined },
  { onDamage, isLatest = false, isInParts = false }: ReadOptions,
): Promise<StoredRows> {
  const documents = await loadDocuments(place, current, previous)
  if (isInParts && documents.defects.length === 0) {
    const loaded = { ...documents, lostByZone: new Map<string, number>() }
    return { ...storedOf(current, loaded), unread: { current, previous } }
  }
  const inSegments = await loadSegments(place, current, documents.rows)
  const latest = {
    ...documents,
    ...inSegments,
    defects: [...documents.defects, ...inSegments.defects],
  }
  if (latest.defects.length === 0) return storedOf(current, latest)
  if (previous !== undefined && !isLatest) {
    const { heldLsn } = current
    const before = await loadGeneration(place, previous)
    if (before.defects.length === 0)
      return { ...storedOf(previous, before), healed: latest.defects, heldLsn }
  }
  for (const { file, problem } of latest.defects) onDamage(file, problem)
  return storedOf(current, latest)
}

function storedOf(manifest: Manifest, loaded: LoadedGeneration): StoredRows {
  const { rows, agedDocuments, lostByZone } = loaded
  return {
    rows,
    agedDocuments,
    lostByZone,
    manifest,
    isNew: false,
    isOlder: false,
    healed: [],
    afterLsn: manifest._lsn,
    heldLsn: Math.max(manifest.heldLsn, loaded.heldLsn),
    atMicros: manifest.atMicros,
    missingZones: [],
  }
}

/** Whether there are any files of a store. */
export async function holdsData({ files, directory }: Place): Promise<boolean> {
  const names = await files.list(directory)
  const own = ['journal', 'segments', 'documents', 'zones', 'system', 'zones.json']
  return own.some(name => names.includes(name))
}

function isOfDocument({ collection }: Change): boolean {
  return collection !== 'recordsets'
}

/** A change is written to a file only once the log has it on the disk, so a log that ends earlier than the files has lost its
 *  end, even if the rest looks whole. */
function checkLog(
  log: LogContents,
  expected: {
    /** The last change that any file knows of. */
    readonly heldLsn: number
    readonly directory: string
    readonly onDamage: OnDamage
  },
): void {
  const { heldLsn, directory, onDamage } = expected
  if (log.break?.isDamage === true) {
    const { segment, problem, offset } = log.break
    onDamage(segment.path, `${problem}, at octet ${offset}, and later changes follow`)
  } else if (log.lastNumber < heldLsn) {
    const problem = `it ends with change ${log.lastNumber}, but the other files hold changes up to ${heldLsn}`
    onDamage(logDirectory(directory), problem)
  }
}

/** Applies commits of the log. They hold whole rows, so applying one twice, or to newer files, is harmless as long as all later
 *  ones are applied too. */
export class Replay {
  readonly #rows: LoadedRows
  readonly deletedZoneIds = new Set<string>()
  lastAtMicros: number

  constructor(rows: LoadedRows, lastAtMicros: number) {
    this.#rows = rows
    this.lastAtMicros = lastAtMicros
  }

  apply({ atMicros, changes }: PastCommit): void {
    this.#rows.apply(changes)
    for (const change of changes) {
      if (change.collection === 'zones' && change.after === undefined)
        this.deletedZoneIds.add(change.id)
    }
    this.lastAtMicros = Math.max(this.lastAtMicros, atMicros)
  }
}
