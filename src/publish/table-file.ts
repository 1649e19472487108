import { join } from 'node:path'
import { makeDurableDirectory } from '../durable/directories.ts'
import type { AppendFile, Place } from '../durable/file-system.ts'
import {
  frameHeaderLength,
  frameLengthAt,
  frameOf,
  framePayload,
  sealFrame,
} from '../durable/frame.ts'
import { replaceFile } from '../durable/replace-file.ts'
import { version } from '../version.ts'
import { pageOctets, tableFormat } from '../zone/table/layout.ts'
import { decodeTableState, encodeTableState, type TableState } from '../zone/table/table-state.ts'
import type { Unsettled } from './publisher.ts'

// A snapshot of a zone table in files: `table/<generation>.pages` has pages as they were copied while the table changed (the later
// of two copies is valid), and after those of each snapshot the state of its writer. `table/snapshot` records how much of the file
// is a snapshot, and of what; it is replaced once all that is on the disk.
//
//   page    frame of: its number u32 | its octets
//   state   frame of: 2^32 - 1 u32 | words

/** The state that a snapshot captures. */
export type SnapshotHead = {
  /** The last commit that is in it. */
  readonly lsn: number
  readonly atMicros: number
  /** References of targets, by the names of their servers. */
  readonly targets: Readonly<Record<string, number>>
  readonly unsettled: Unsettled
}

/** A snapshot found on the disk. */
export type FoundSnapshot = SnapshotHead & {
  readonly format: string
  readonly generation: number
  /** Octets of the file of pages that belong to it. */
  readonly octets: number
}

/** The published form of a record depends on the program's version, so a table of another version is not used. */
const format = `${version} ${tableFormat}`
const stateNumber = 2 ** 32 - 1
const numberOctets = 4
const pageFrameOctets = frameHeaderLength + numberOctets + pageOctets
/** Pages copied at a time. */
const batchPages = 16
/** Octets per read. */
const pieceOctets = 64 * pageFrameOctets

/** Where the files are. */
export function tablePlace({ files, directory }: Place): Place {
  return { files, directory: join(directory, 'table') }
}

/** The pages to be appended. */
type PageSource = {
  take(from: number): { readonly page: number; readonly octets: Uint8Array } | undefined
}

/** Appends snapshots to a file of pages. */
export class TableFile {
  readonly generation: number
  readonly #place: Place
  readonly #file: AppendFile
  readonly #batch = Buffer.allocUnsafe(batchPages * pageFrameOctets)
  octetCount: number

  private constructor(
    place: Place,
    file: AppendFile,
    at: Pick<FoundSnapshot, 'generation' | 'octets'>,
  ) {
    this.#place = place
    this.#file = file
    this.generation = at.generation
    this.octetCount = at.octets
  }

  static async create(place: Place, generation: number): Promise<TableFile> {
    await makeDurableDirectory(place.files, place.directory)
    const file = await place.files.create(pagesPath(place, generation))
    return new TableFile(place, file, { generation, octets: 0 })
  }

  /** Continues after a snapshot that was found. */
  static async reopen(place: Place, found: FoundSnapshot): Promise<TableFile> {
    const file = await place.files.open(pagesPath(place, found.generation))
    await file.truncate(found.octets)
    return new TableFile(place, file, found)
  }

  /** Appends pages, a few per turn of the event loop, until there are no more. They may be written to meanwhile. */
  async appendPages(source: PageSource): Promise<void> {
    for (let from = 0; ; ) {
      let end = 0
      while (end < this.#batch.length) {
        const next = source.take(from)
        if (next === undefined) break
        const frame = this.#batch.subarray(end, end + pageFrameOctets)
        copyPage(frame, next)
        sealFrame(frame)
        end += pageFrameOctets
        from = next.page + 1
      }
      if (end === 0) return
      await this.#append(this.#batch.subarray(0, end))
    }
  }

  /** Copies the remaining pages and the present state; the returned function appends them. */
  copyRest(source: PageSource, state: TableState): () => Promise<void> {
    const frames: Buffer[] = []
    for (let next = source.take(0); next !== undefined; next = source.take(next.page + 1)) {
      const frame = Buffer.allocUnsafe(pageFrameOctets)
      copyPage(frame, next)
      frames.push(frame)
    }
    const words = encodeTableState(state)
    const payload = Buffer.allocUnsafe(numberOctets + words.byteLength)
    payload.writeUInt32LE(stateNumber)
    payload.set(new Uint8Array(words.buffer), numberOctets)
    return async () => {
      for (const frame of frames) await this.#append(sealFrame(frame))
      await this.#append(frameOf(payload))
    }
  }

  /** Makes everything appended the current snapshot, replacing the previous one. */
  async seal(head: SnapshotHead): Promise<void> {
    const { files, directory } = this.#place
    await this.#file.sync()
    const { generation, octetCount: octets } = this
    const found: FoundSnapshot = { ...head, format, generation, octets }
    await replaceFile(files, headPath(this.#place), frameOf(Buffer.from(JSON.stringify(found))))
    await files.syncDirectory(directory)
    await removeOthers(this.#place, generation)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #append(frames: Buffer): Promise<void> {
    await this.#file.append(frames)
    this.octetCount += frames.length
  }
}

/** Finds the last finished snapshot; undefined if there is none of this version. */
export async function findSnapshot(place: Place): Promise<FoundSnapshot | undefined> {
  const octets = await place.files.read(headPath(place))
  const payload = octets && framePayload(octets)
  if (payload === undefined) return undefined
  const found = JSON.parse(payload.toString()) as FoundSnapshot
  return found.format === format ? found : undefined
}

/** Reads the pages of a snapshot into memory; returns the state of its writer, or undefined if any part is not as it was written. */
export async function readPages(
  place: Place,
  { generation, octets }: FoundSnapshot,
  memory: SharedArrayBuffer,
): Promise<TableState | undefined> {
  const path = pagesPath(place, generation)
  if ((await place.files.size(path)) < octets) return undefined
  const file = await place.files.openToRead(path)
  let state: Buffer | undefined
  let lengthOctets = pieceOctets
  try {
    for (let at = 0; at < octets; ) {
      const piece = await file.read(at, Math.min(lengthOctets, octets - at))
      lengthOctets = pieceOctets
      let offset = 0
      for (;;) {
        const payload = framePayload(piece, offset)
        if (payload === undefined) break
        const number = payload.readUInt32LE()
        const content = payload.subarray(numberOctets)
        if (number === stateNumber) state = content
        else new Uint8Array(memory, number * pageOctets, pageOctets).set(content)
        offset += frameHeaderLength + payload.length
      }
      if (offset === 0) {
        const needed = frameLengthAt(piece, 0) ?? 0
        if (needed <= piece.length || at + needed > octets) return undefined
        lengthOctets = needed
      }
      at += offset
    }
  } finally {
    await file.close()
  }
  return state && decodeTableState(new Int32Array(new Uint8Array(state).buffer))
}

function copyPage(
  frame: Buffer,
  { page, octets }: NonNullable<ReturnType<PageSource['take']>>,
): void {
  frame.writeUInt32LE(page, frameHeaderLength)
  frame.set(octets, frameHeaderLength + numberOctets)
}

function headPath({ directory }: Place): string {
  return join(directory, 'snapshot')
}

function pagesPath({ directory }: Place, generation: number): string {
  return join(directory, `${generation}${pagesSuffix}`)
}

const pagesSuffix = '.pages'

async function removeOthers({ files, directory }: Place, generation: number): Promise<void> {
  for (const name of await files.list(directory)) {
    if (name.endsWith(pagesSuffix) && name !== `${generation}${pagesSuffix}`)
      await files.remove(join(directory, name))
  }
}
