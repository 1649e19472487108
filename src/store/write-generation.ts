import type { Place } from '../durable/file-system.ts'
import { recordsetUnpacker } from '../model/packed-recordset.ts'
import { TimeSlice } from '../time-slice.ts'
import { DeletedIds, NumberSet, type RecordsetChanges } from './changed-recordsets.ts'
import { writeDocument } from './document.ts'
import {
  collectionOf,
  documentOf,
  documentPath,
  documentsDirectory,
  segmentPath,
  segmentsDirectory,
} from './layout.ts'
import type { RowsDocument } from './load-generation.ts'
import type { DocumentFile, Manifest, SegmentFile } from './manifest.ts'
import type { PackedRecordsets } from './packed-recordsets.ts'
import { isOfAnother, readSegment, type SegmentFrame, SegmentWriter } from './segment.ts'
import { mergedSegments } from './segment-merge.ts'
import type { Row } from './table.ts'
import type { Tables } from './tables.ts'

/** What differs from the previous generation. */
export type Changes = {
  /** Names of documents. */
  readonly documents: ReadonlySet<string>
  readonly recordsets: RecordsetChanges
}

export type GenerationOptions = Place & {
  /** The rows that it is written from. */
  readonly tables: Tables
  /** The last commit that is at least partly in the tables at this instant. */
  readonly begunLsn: () => number
  /** Aborted if the generation is no longer wanted: nothing long is begun then. */
  readonly signal?: AbortSignal
  /** Octets of earlier segments that may be rewritten with this one; by default, none. */
  readonly mergeOctets?: number
  readonly mergedAtLeast?: number | undefined
}

/** The files of a new generation, as its manifest names them. */
export type WrittenFiles = Pick<Manifest, 'generation' | 'documents' | 'segments' | 'heldLsn'> & {
  readonly octetCount: number
}

/** Writes the files of the generation after `base`, without a manifest, pausing so that other work is not delayed. Rows may
 *  change meanwhile: each is written in one of its states from now on, and the changes are in the log. All names and octets are
 *  on the disk when it resolves. */
export async function writeGeneration(
  options: GenerationOptions,
  base: Manifest,
  changes: Changes,
): Promise<WrittenFiles> {
  const writer = new GenerationWriter(options, base)
  const segments = await writer.writeRecordsets(changes.recordsets)
  const documents = await writer.writeDocuments(changes.documents)
  const { generation, octetCount } = writer
  return { generation, segments, documents, octetCount, heldLsn: options.begunLsn() }
}

class GenerationWriter {
  readonly #options: GenerationOptions
  readonly #base: Manifest
  readonly #slice = new TimeSlice()
  readonly generation: number
  octetCount = 0

  constructor(options: GenerationOptions, base: Manifest) {
    this.#options = options
    this.#base = base
    this.generation = base.generation + 1
  }

  /** Writes one segment, which replaces some earlier ones; none if there is nothing to write. */
  async writeRecordsets(changes: RecordsetChanges): Promise<readonly SegmentFile[]> {
    const { segments } = this.#base
    const { files, directory, tables } = this.#options
    const { recordsets } = tables
    const isLacking = segments.length === 0 && recordsets.count > 0
    if (changes.numbers.size + changes.deleted.size === 0 && !isLacking) return segments
    const octets = changes.numbers.size * averageOctets(recordsets)
    const { liveOctets } = recordsets
    const merged = mergedSegments(segments, { ...this.#options, octets, liveOctets })
    const kept = segments.slice(0, segments.length - merged.length)
    const delta = kept.length === 0 ? undefined : await this.#withMerged(changes, merged)
    await files.makeDirectory(segmentsDirectory(directory))
    const segment = await this.#writeSegment(delta ?? allOf(recordsets))
    await files.syncDirectory(segmentsDirectory(directory))
    await files.syncDirectory(directory)
    return delta === undefined ? [segment] : [...kept, segment]
  }

  async writeDocuments(names: ReadonlySet<string>): Promise<Manifest['documents']> {
    const { files, directory } = this.#options
    const kept = this.#base.documents.filter(({ name }) => !names.has(name))
    if (names.size === 0) return kept
    await files.makeDirectory(documentsDirectory(directory))
    const written: DocumentFile[] = []
    for (const [name, rows] of await this.#rowsOf(names)) {
      if (rows.length === 0) continue
      this.#options.signal?.throwIfAborted()
      const path = documentPath(directory, name, this.generation)
      const document: RowsDocument = { _lsn: this.#options.begunLsn(), rows }
      const { octetCount, checksum } = await writeDocument(files, path, document)
      this.octetCount += octetCount
      written.push({ name, generation: this.generation, checksum })
    }
    await files.syncDirectory(documentsDirectory(directory))
    await files.syncDirectory(directory)
    return [...kept, ...written]
  }

  /** Adds to changes what some segments say that still holds: their record sets in the present state, and the deleted ones.
   *  Undefined if the segments cannot be read. */
  async #withMerged(
    { numbers, deleted }: RecordsetChanges,
    merged: readonly SegmentFile[],
  ): Promise<RecordsetChanges | undefined> {
    if (merged.length === 0) return { numbers, deleted }
    const { files, directory } = this.#options
    const all = { numbers: new NumberSet(), deleted: new DeletedIds() }
    all.numbers.addAll(numbers)
    all.deleted.addAll(deleted)
    try {
      for (const segment of merged) {
        for await (const frame of readSegment(files, segmentPath(directory, segment.generation))) {
          this.#options.signal?.throwIfAborted()
          this.#merge(frame, segment, all)
          if (this.#slice.isSpent) await this.#slice.yield()
        }
      }
      return all
    } catch {
      this.#options.signal?.throwIfAborted()
      return undefined
    }
  }

  /** Adds the content of a frame that still holds. */
  #merge(
    frame: SegmentFrame,
    { checksum }: SegmentFile,
    { numbers, deleted }: RecordsetChanges,
  ): void {
    const table = this.#options.tables.table('recordsets')
    if (frame.kind === 'damaged' || isOfAnother(frame, checksum))
      throw new Error('a segment to be merged is not as it was written')
    if (frame.kind === 'rows') {
      for (const record of frame.rows) {
        const number = table.numberOf(recordsetUnpacker.idOf(record))
        if (number !== undefined) numbers.add(number)
      }
    } else if (frame.kind === 'deleted') {
      for (const id of frame.ids) if (table.numberOf(id) === undefined) deleted.addId(id)
    }
  }

  async #writeSegment({ numbers, deleted }: SegmentContents): Promise<SegmentFile> {
    const { files, directory, tables } = this.#options
    const path = segmentPath(directory, this.generation)
    const writer = await SegmentWriter.create(files, path)
    try {
      await writer.addDeleted(deleted)
      const rest = numbers[Symbol.iterator]()
      while (addUntilFull(writer, tables.recordsets, rest)) {
        await writer.flush()
        this.#options.signal?.throwIfAborted()
        if (this.#slice.isSpent) await this.#slice.yield()
      }
      await writer.finish()
    } catch (error) {
      await writer.close()
      // On a full disk it takes room that other files need.
      await files.remove(path).catch(() => undefined)
      throw error
    }
    await writer.close()
    this.octetCount += writer.octetCount
    const { octetCount: octets, rowCount: rows, checksum } = writer
    return { generation: this.generation, octets, rows, checksum }
  }

  /** The rows of documents, in one walk over each collection. */
  async #rowsOf(names: ReadonlySet<string>): Promise<ReadonlyMap<string, Row[]>> {
    const rowsByName = new Map<string, Row[]>()
    for (const name of names) rowsByName.set(name, [])
    for (const collection of new Set(Array.from(names, collectionOf))) {
      for (const row of this.#options.tables.rows(collection)) {
        rowsByName.get(documentOf(collection, row.id))?.push(row)
        if (this.#slice.isSpent) await this.#slice.yield()
      }
    }
    return rowsByName
  }
}

/** Adds record sets until a frame is full; returns false when there are no more. */
function addUntilFull(
  writer: SegmentWriter,
  recordsets: PackedRecordsets,
  numbers: Iterator<number>,
): boolean {
  for (let next = numbers.next(); next.done !== true; next = numbers.next()) {
    const record = recordsets.placed(next.value)
    if (record === undefined) continue
    recordsets.changed.noteStored(next.value)
    if (writer.add(record)) return true
  }
  return false
}

/** Numbers of record sets, some of which may be gone, and ids of those that are. */
type SegmentContents = {
  readonly numbers: Iterable<number>
  readonly deleted: DeletedIds
}

/** All record sets there are; nothing has to be said of those that are gone. */
function allOf({ last }: PackedRecordsets): SegmentContents {
  function* numbers() {
    for (let number = 1; number <= last; number += 1) yield number
  }
  return { numbers: numbers(), deleted: new DeletedIds() }
}

function averageOctets({ liveOctets, count }: PackedRecordsets): number {
  return liveOctets / Math.max(1, count)
}
