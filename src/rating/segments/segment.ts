import { DamageError, problemOf, readOf } from '../../durable/damage.ts'
import type { FileSystem, ReadableFile } from '../../durable/file-system.ts'
import { frameHeaderLength, framePayload } from '../../durable/frame.ts'
import type { Period } from '../period.ts'
import { decodeBlock } from './block.ts'
import type { Chunk } from './chunk.ts'
import type { SegmentEntry } from './manifest.ts'
import { overlaps } from './restrict.ts'
import {
  type BlockEntry,
  decodeIndex,
  segmentEnd,
  segmentEndLength,
  totalsOf,
} from './segment-writer.ts'

/** The range of a reader: points that begin in a period, of all projects or some. */
export type Range = Period & {
  readonly projectIds?: ReadonlySet<string> | undefined
  /** Called now and then; throws when nobody wants the points any more. */
  readonly requireWanted?: (() => void) | undefined
}

/** What the manifest has of a segment: another file in its place is noticed by it. */
type Written = Pick<SegmentEntry, 'pointCount' | 'span'>

/** A segment file for readers. The file is open only while it is read. Once it is no longer part of the store, it is
 *  removed after its last reader. */
export class Segment {
  readonly #files: FileSystem
  readonly #path: string
  readonly #written: Written
  #index: Promise<readonly BlockEntry[]> | undefined
  #file: Promise<ReadableFile> | undefined
  #readerCount = 0
  #isRetired = false

  constructor(files: FileSystem, path: string, written: Written) {
    this.#files = files
    this.#path = path
    this.#written = written
  }

  /** Keeps the file until `release`. */
  retain(): void {
    this.#readerCount++
  }

  async release(): Promise<void> {
    if (--this.#readerCount > 0) return
    const file = this.#file
    this.#file = undefined
    await (await file)?.close()
    if (this.#isRetired) await this.#files.remove(this.#path)
  }

  /** Removes the file as soon as it has no reader. */
  async retire(): Promise<void> {
    this.#isRetired = true
    if (this.#readerCount === 0) await this.#files.remove(this.#path)
  }

  /** The chunks of the blocks that may hold points of a range, in order, a block at a time. The segment must be
   *  retained. Chunks are of the projects asked for, though perhaps outside the period.
   *  @throws DamageError the file is not what was written */
  async *chunks(range: Range): AsyncGenerator<readonly Chunk[]> {
    for (const entry of await this.#loadIndex()) {
      if (!overlaps(range, entry.span) || !mayHold(entry, range.projectIds)) continue
      yield decodeBlock(await this.#readFrame(entry.at, entry.length), range.projectIds)
    }
  }

  #loadIndex(): Promise<readonly BlockEntry[]> {
    this.#index ??= this.#readIndex().catch(error => {
      this.#index = undefined
      throw error
    })
    return this.#index
  }

  async #readIndex(): Promise<readonly BlockEntry[]> {
    const file = await this.#open()
    const size = await file.size()
    if (size < segmentEndLength) throw this.#damage(0)
    const end = await readOf(this.#path, file.read(size - segmentEndLength, segmentEndLength))
    const indexAt = end.readDoubleLE()
    const length = size - segmentEndLength - indexAt - frameHeaderLength
    if (!end.subarray(8).equals(segmentEnd) || !(length >= 0)) throw this.#damage(size)
    const index = decodeIndex(await this.#readFrame(indexAt, length))
    const { pointCount, span } = totalsOf(index)
    const written = this.#written
    const isSame =
      pointCount === written.pointCount &&
      span.begin === written.span.begin &&
      span.end === written.span.end
    if (isSame) return index
    throw new DamageError(this.#path, { problem: 'it is another file than was written' })
  }

  async #readFrame(at: number, length: number): Promise<Buffer> {
    const file = await this.#open()
    const frame = await readOf(this.#path, file.read(at, frameHeaderLength + length))
    const payload = framePayload(frame)
    if (payload === undefined) throw this.#damage(at)
    return payload
  }

  #open(): Promise<ReadableFile> {
    this.#file ??= readOf(this.#path, this.#files.openToRead(this.#path)).catch(error => {
      this.#file = undefined
      if (error.code !== 'ENOENT') throw error
      throw new DamageError(this.#path, { problem: problemOf(error) })
    })
    return this.#file
  }

  #damage(at: number): DamageError {
    return new DamageError(this.#path, { problem: `it is damaged at octet ${at}` })
  }
}

function mayHold(entry: BlockEntry, projectIds: ReadonlySet<string> | undefined): boolean {
  if (projectIds === undefined) return true
  for (const id of projectIds) {
    if (entry.firstProjectId <= id && id <= entry.lastProjectId) return true
  }
  return false
}
