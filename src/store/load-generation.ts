import type { Defect } from '../durable/damage.ts'
import type { Place } from '../durable/file-system.ts'
import type { Zone } from '../model/zone.ts'
import { type Document, readDocument } from './document.ts'
import { collectionOf, documentPath, segmentPath } from './layout.ts'
import { LoadedRows } from './loaded-rows.ts'
import type { DocumentFile, Manifest, SegmentFile } from './manifest.ts'
import { lostRecordsets, readSegment, type SegmentFrame } from './segment.ts'
import { SharedParts } from './shared-parts.ts'
import type { Row } from './table.ts'

/** The document of a collection, or of a share of it. */
export type RowsDocument = Document & {
  /** No change behind it is in the document. */
  readonly _lsn: number
  readonly rows: readonly Row[]
}

/** The rows of a generation, as far as its files can be read. */
export type LoadedGeneration = {
  readonly rows: LoadedRows
  readonly defects: readonly Defect[]
  /** The last change that any document may have. */
  readonly heldLsn: number
  /** Documents read from another generation. */
  readonly agedDocuments: readonly string[]
  /** Record sets that are in unreadable parts of segments, by the id of their zone. */
  readonly lostByZone: ReadonlyMap<string, number>
}

/** Reads the files that a manifest names.
 *  @param older where a document that cannot be read is looked for */
export async function loadGeneration(
  place: Place,
  manifest: Manifest,
  older?: Manifest,
): Promise<LoadedGeneration> {
  const loaded = await loadDocuments(place, manifest, older)
  const { defects, lostByZone } = await loadSegments(place, manifest, loaded.rows)
  return { ...loaded, defects: [...loaded.defects, ...defects], lostByZone }
}

/** Reads the documents that a manifest names: all rows but recordsets. */
export async function loadDocuments(
  place: Place,
  { documents }: Manifest,
  older?: Manifest,
): Promise<Omit<LoadedGeneration, 'lostByZone'>> {
  const loader = new DocumentLoader(place, older)
  for (const document of documents) await loader.load(document)
  const { rows, defects, heldLsn, agedDocuments } = loader
  return { rows, defects, heldLsn, agedDocuments }
}

/** Reads the segments that a manifest names. */
export async function loadSegments(
  place: Place,
  { segments }: Manifest,
  rows: LoadedRows,
): Promise<Pick<LoadedGeneration, 'defects' | 'lostByZone'>> {
  const loader = new SegmentLoader(place, rows)
  for (const segment of segments) await loader.load(segment)
  // Nothing of what was read is behind what is on the disk.
  rows.recordsets.changed.take()
  const { defects, lostByZone } = loader
  return { defects, lostByZone }
}

class DocumentLoader {
  readonly #place: Place
  readonly #older: Manifest | undefined
  readonly #parts = new SharedParts()
  readonly rows = new LoadedRows()
  readonly defects: Defect[] = []
  readonly agedDocuments: string[] = []
  heldLsn = 0

  constructor(place: Place, older: Manifest | undefined) {
    this.#place = place
    this.#older = older
  }

  async load({ name, generation }: DocumentFile): Promise<void> {
    const path = documentPath(this.#place.directory, name, generation)
    const document = (await this.#read(path)) ?? (await this.#readOlder(name, path))
    this.heldLsn = Math.max(this.heldLsn, document?._lsn ?? 0)
    const collection = collectionOf(name)
    for (const row of document?.rows ?? []) {
      if (collection === 'zones') this.#parts.share(row as Zone)
      this.rows.put(collection, row as never)
    }
  }

  async #read(path: string): Promise<RowsDocument | undefined> {
    let problem = 'it is missing'
    try {
      const document = await readDocument<RowsDocument>(this.#place.files, path)
      if (document !== undefined) return document
    } catch (error) {
      problem = problemOf(error)
    }
    this.defects.push({ file: path, problem })
    return undefined
  }

  async #readOlder(name: string, path: string): Promise<RowsDocument | undefined> {
    const older = this.#older?.documents.find(document => document.name === name)
    if (older === undefined) return undefined
    const olderPath = documentPath(this.#place.directory, name, older.generation)
    if (olderPath === path) return undefined
    const document = await readDocument<RowsDocument>(this.#place.files, olderPath).catch(
      () => undefined,
    )
    if (document !== undefined) this.agedDocuments.push(path)
    return document
  }
}

class SegmentLoader {
  readonly #place: Place
  readonly #rows: LoadedRows
  readonly defects: Defect[] = []
  readonly lostByZone = new Map<string, number>()

  constructor(place: Place, rows: LoadedRows) {
    this.#place = place
    this.#rows = rows
  }

  async load({ generation, octets, rows }: SegmentFile): Promise<void> {
    const { files, directory } = this.#place
    const path = segmentPath(directory, generation)
    const problems: string[] = []
    let rowCount = 0
    try {
      for await (const frame of readSegment(files, path)) {
        const taken = this.#take(frame)
        if (typeof taken === 'string') problems.push(taken)
        else rowCount += taken
      }
    } catch (error) {
      problems.push(problemOf(error))
    }
    const size = await files.size(path)
    // Of a segment that no manifest names it is not known.
    if (problems.length === 0 && octets >= 0 && (size !== octets || rowCount !== rows))
      problems.push(
        `it has ${size} octets and ${rowCount} record sets instead of ${octets} and ${rows}`,
      )
    if (problems.length === 0) return
    const lost = await lostRecordsets(files, path).catch(() => new Map<string, number>())
    for (const [zoneId, count] of lost) {
      this.lostByZone.set(zoneId, (this.lostByZone.get(zoneId) ?? 0) + count)
    }
    const ofZones =
      lost.size === 0 ? '' : `, with record sets of the zones ${namesOf([...lost.keys()])}`
    this.defects.push({ file: path, problem: problems.join('; ') + ofZones })
  }

  /** Returns how many record sets a frame has, or what is wrong with it. */
  #take(frame: SegmentFrame): number | string {
    switch (frame.kind) {
      case 'rows': {
        let count = 0
        for (const record of frame.rows) {
          this.#rows.putStored(record)
          count += 1
        }
        return count
      }
      case 'deleted':
        for (const id of frame.ids) this.#rows.deleteStored(id)
        return 0
      case 'damaged':
        return `octets ${frame.at} to ${frame.at + frame.octets} are not as they were written`
      case 'zones':
        return 0
    }
  }
}

const namedZones = 10

function namesOf(zoneIds: readonly string[]): string {
  const rest = zoneIds.length - namedZones
  return zoneIds.slice(0, namedZones).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

function problemOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'it is missing' : `it cannot be read (${message})`
}
