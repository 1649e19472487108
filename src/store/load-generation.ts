import { type Defect, problemOf } from '../durable/damage.ts'
import type { Place } from '../durable/file-system.ts'
import type { Zone } from '../model/zone.ts'
import { type Document, readDocument } from './document.ts'
import { collectionOf, documentPath, segmentPath } from './layout.ts'
import { LoadedRows } from './loaded-rows.ts'
import type { DocumentFile, Manifest, SegmentFile } from './manifest.ts'
import { isOfAnother, lostRecordsets, readSegment, type SegmentFrame } from './segment.ts'
import { SharedParts } from './shared-parts.ts'
import type { Row } from './table.ts'

/** The document of a collection, or of a share of it. */
export type RowsDocument = Document & {
  /** No change behind it is in the document. */
  readonly _lsn: number
  readonly rows: readonly Row[]
  /** Of one that was read. */
  readonly _crc?: string
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
  if (loader.others.size > 0) {
    // What they have may be older than what other segments have.
    rows.dropRecordsets()
    const again = new SegmentLoader(place, rows)
    for (const segment of segments) if (!loader.others.has(segment)) await again.load(segment)
  }
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

  async load(file: DocumentFile): Promise<void> {
    const { name, generation } = file
    const path = documentPath(this.#place.directory, name, generation)
    const document = (await this.#read(path, file)) ?? (await this.#readOlder(name, path))
    this.heldLsn = Math.max(this.heldLsn, document?._lsn ?? 0)
    const collection = collectionOf(name)
    for (const row of document?.rows ?? []) {
      if (collection === 'zones') this.#parts.share(row as Zone)
      this.rows.put(collection, row as never)
    }
  }

  async #read(path: string, file: DocumentFile): Promise<RowsDocument | undefined> {
    let problem = 'it is missing'
    try {
      const document = await readOwn(this.#place, path, file)
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
    const document = await readOwn(this.#place, olderPath, older).catch(() => undefined)
    if (document !== undefined) this.agedDocuments.push(path)
    return document
  }
}

/** Reads a document; undefined if there is no file. @throws Error it is not the one that was written */
async function readOwn(
  { files }: Place,
  path: string,
  { checksum }: DocumentFile,
): Promise<RowsDocument | undefined> {
  const document = await readDocument<RowsDocument>(files, path)
  if (document !== undefined && checksum !== undefined && document._crc !== checksum)
    throw new Error(`it is another file than was written`)
  return document
}

class SegmentLoader {
  readonly #place: Place
  readonly #rows: LoadedRows
  readonly defects: Defect[] = []
  readonly lostByZone = new Map<string, number>()
  /** Those in whose places are other files, whole in themselves. */
  readonly others = new Set<SegmentFile>()

  constructor(place: Place, rows: LoadedRows) {
    this.#place = place
    this.#rows = rows
  }

  async load(segment: SegmentFile): Promise<void> {
    const { generation, octets, rows, checksum } = segment
    const { files, directory } = this.#place
    const path = segmentPath(directory, generation)
    const problems: string[] = []
    let rowCount = 0
    let isAnother = false
    try {
      for await (const frame of readSegment(files, path)) {
        isAnother ||= isOfAnother(frame, checksum)
        const taken = this.#take(frame)
        if (typeof taken === 'string') problems.push(taken)
        else rowCount += taken
      }
    } catch (error) {
      problems.push(problemOf(error))
    }
    const size = await files.size(path)
    // Of a segment that no manifest names it is not known.
    const isSame = octets < 0 || (size === octets && rowCount === rows)
    if (problems.length === 0 && (isAnother || !isSame)) {
      const found = `it has ${size} octets and ${rowCount} record sets`
      const written = `it is another file than was written, with ${rowCount} record sets`
      problems.push(isSame ? written : `${found} instead of ${octets} and ${rows}`)
      this.others.add(segment)
    }
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
      case 'rows':
        return this.#rows.putStored(frame.rows)
      case 'deleted':
        for (const id of frame.ids) this.#rows.deleteStored(id)
        return 0
      case 'damaged':
        return `octets ${frame.at} to ${frame.at + frame.octets} are not as they were written`
      case 'zones':
      case 'end':
        return 0
    }
  }
}

const namedZones = 10

function namesOf(zoneIds: readonly string[]): string {
  const rest = zoneIds.length - namedZones
  return zoneIds.slice(0, namedZones).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
