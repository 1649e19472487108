import type { OnDamage } from '../durable/damage.ts'
import type { Place } from '../durable/file-system.ts'
import type { Steps } from '../time-slice.ts'
import { DirtyDocuments } from './dirty-documents.ts'
import { journalDirectory, listSegments, type Segment } from './journal.ts'
import { type JournalChange, type JournalEntry, packedOf } from './journal-line.ts'
import { type JournalContents, readJournal } from './journal-recovery.ts'
import { documentPath } from './layout.ts'
import { type LoadedDocuments, loadDocuments } from './load-documents.ts'
import { LoadedRows, type OnDuplicate } from './loaded-rows.ts'
import { emptyManifest, type Manifest, manifestPath, readManifest } from './manifest.ts'
import { PackedChange } from './packed-change.ts'
import type { Commit } from './store.ts'
import type { Tables } from './tables.ts'

/** What a directory holds: the state up to its last durable commit, and how it lies there. */
export type StoreContents = {
  readonly tables: Tables
  /** To be done before record sets are changed, or found but by their zone; who is asked about anything else does
   *  not have to wait for it.
   *  @throws DamageError two of them claim one key */
  readonly indexRecordsets: () => Steps<void>
  /** Whether there is no store yet. */
  readonly isNew: boolean
  /** Documents, the manifest among them, that could not be read and whose previous generation stood in. */
  readonly healedPaths: readonly string[]
  readonly manifest: Manifest
  readonly documents: LoadedDocuments
  readonly segments: readonly Segment[]
  readonly journal: JournalContents
  /** What the next checkpoint has to write: what was put together again, and what the journal changed. */
  readonly dirty: DirtyDocuments
  readonly lastAtMicros: number
}

/** Reads documents and journal, and changes nothing. */
export async function readStore(place: Place, onDamage: OnDamage): Promise<StoreContents> {
  const { files, directory } = place
  const stored = await readManifest(place, onDamage)
  const manifest = stored?.manifest ?? emptyManifest
  const rows = new LoadedRows()
  const documents = await loadDocuments(place, rows, { manifest, onDamage })
  const dirty = dirtyAfter(documents, manifest)
  const replay = new Replay(rows, manifest.atMicros)
  const segments = await listSegments(files, directory)
  const afterLsn = documents.healed.size > 0 ? manifest.previousLsn : manifest._lsn
  const apply = (entry: JournalEntry) => dirty.note(replay.apply(entry))
  const journal = await readJournal(files, segments, { afterLsn, apply })
  checkJournal(journal, {
    heldLsn: Math.max(manifest._lsn, documents.lastLsn),
    directory,
    onDamage,
  })
  for (const zoneId of documents.missingZoneIds) {
    if (replay.deletedZoneIds.has(zoneId)) continue
    onDamage(documentPath(directory, { kind: 'zone', zoneId }), 'it is missing')
  }
  const onDuplicate: OnDuplicate = ({ collection, index, holderId, id }) => {
    onDamage(directory, `${collection} ${id} has the same ${index} as ${holderId}`)
  }
  return {
    tables: rows.indexZones(onDuplicate),
    indexRecordsets: () => rows.indexRecordsets(onDuplicate),
    isNew: stored === undefined,
    healedPaths: [
      ...(stored?.isPrevious === true ? [manifestPath(directory)] : []),
      ...documents.healed.keys(),
    ],
    manifest,
    documents,
    segments,
    journal,
    dirty,
    lastAtMicros: replay.lastAtMicros,
  }
}

/** What is behind already, before the journal is read. */
function dirtyAfter({ shardsByZone, healed }: LoadedDocuments, { _lsn }: Manifest): DirtyDocuments {
  const dirty = new DirtyDocuments(shardsByZone)
  if (_lsn === 0) dirty.addZoneList()
  for (const key of healed.values()) {
    if (key === undefined) dirty.addZoneList()
    else dirty.add(key)
  }
  return dirty
}

/** A change is only written to a document once the journal has it on the disk, so a journal that ends earlier
 *  than the documents has lost its end, however whole the rest may look. */
function checkJournal(
  journal: JournalContents,
  expected: {
    /** The last change that any document knows of. */
    readonly heldLsn: number
    readonly directory: string
    readonly onDamage: OnDamage
  },
): void {
  const { heldLsn, directory, onDamage } = expected
  if (journal.break?.isDamage === true) {
    const { segment, problem, offset } = journal.break
    onDamage(segment.path, `${problem}, at octet ${offset}, and later changes follow`)
  } else if (journal.lastLsn < heldLsn) {
    const problem = `it ends with change ${journal.lastLsn}, but the documents hold changes up to ${heldLsn}`
    onDamage(journalDirectory(directory), problem)
  }
}

/** Applies journal entries. They hold whole rows, so applying one twice, or to documents that are newer,
 *  does no harm as long as all that follow are applied too. */
export class Replay {
  readonly #rows: LoadedRows
  readonly deletedZoneIds = new Set<string>()
  lastAtMicros: number

  constructor(rows: LoadedRows, lastAtMicros: number) {
    this.#rows = rows
    this.lastAtMicros = lastAtMicros
  }

  /** Returns what the entry changes. Nobody keeps it: a journal may hold more than the memory. */
  apply(entry: JournalEntry): Commit['changes'] {
    const { at, changes } = entry
    const applied = changes.map(change => this.#changeOf(change))
    for (const packed of packedOf(entry)) applied.push(new PackedChange(packed))
    this.#rows.apply(applied)
    for (const { collection, id, row } of changes) {
      if (collection === 'zones' && row === null) this.deletedZoneIds.add(id)
    }
    this.lastAtMicros = Math.max(this.lastAtMicros, at)
    return applied
  }

  #changeOf({ collection, id, row }: JournalChange): Commit['changes'][number] {
    const before = this.#rows.get(collection, id)
    return { collection, id, before, after: row ?? undefined } as Commit['changes'][number]
  }
}
