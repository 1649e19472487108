import { setImmediate as nextImmediate } from 'node:timers/promises'
import { Mutex } from '../mutex.ts'
import type { FileSystem } from './file-system.ts'
import { frameHeaderLength, frameLengthAt, framePayload, nextFrameAt } from './frame.ts'
import {
  batchHeaderLength,
  decodeBatch,
  firstOfBatchAt,
  type LogBatch,
  type LogPlace,
  markOf,
  type Segment,
  segmentHeaderLength,
} from './log-segment.ts'

// Reads a log while it is written to and shortened. No file is held open: a segment dropped during the read ends early, and its
// remaining entries are missing from the result, as are damaged ones.

type PieceReader = Pick<FileSystem, 'readPiece' | 'size'>

export type LogHistorySource = {
  readonly files: PieceReader
  /** The present segments, oldest first. */
  readonly segments: () => readonly Segment[]
  /** The last entry that may be read: a write may be in progress after it. */
  readonly lastNumber: () => number
}

/** An entry read back from the log. */
export type PastEntry = {
  readonly number: number
  readonly entry: Buffer
  /** The place of its batch. */
  readonly place: LogPlace
}

type PlacedBatch = LogBatch & { readonly place: LogPlace }

/** Octets per read, unless a batch is longer. */
const pieceOctets = 256 * 1024

/** How far a segment has been read. */
type Cursor = {
  readonly files: PieceReader
  readonly path: string
  readonly segment: number
  readonly mark: Buffer
  offset: number
}

/** The entries that a log still has. */
export class LogHistory {
  readonly #source: LogHistorySource
  readonly #mutex = new Mutex()

  constructor(source: LogHistorySource) {
    this.#source = source
  }

  /** Reads entries after a number, oldest first; dropped or damaged ones are left out. Holds in memory a piece of a segment and
   *  its longest batch, or a file of an earlier form. With any number of concurrent readers, other work waits for at most one
   *  piece.
   *  @param place of the first one, if known: then no search is needed */
  async *read(after: number, place?: LogPlace): AsyncGenerator<PastEntry> {
    let next = after + 1
    for (let segment = this.#first(next); segment !== undefined; ) {
      const begun = segment
      const at = place?.segment === begun.first ? place.at : undefined
      const cursor = await this.#inTurn(() => this.#cursorBefore(begun, next, at))
      // Determined before the end is reached: entries appended meanwhile may go into this segment or into another.
      let later: Segment | undefined
      for (;;) {
        later = this.#next(segment)
        const batches = cursor && (await this.#inTurn(() => this.#readPiece(cursor)))
        if (batches === undefined) break
        for (const past of batches.flatMap(entriesOf)) {
          const { number } = past
          if (number < next) continue
          if (number > this.#source.lastNumber()) return
          next = number + 1
          yield past
        }
      }
      segment = later
    }
  }

  /** The segment that contains an entry, or else the first one. */
  #first(number: number): Segment | undefined {
    const segments = this.#source.segments()
    return segments.findLast(({ first }) => first <= number) ?? segments[0]
  }

  #next(last: Segment): Segment | undefined {
    return this.#source.segments().find(({ first }) => first > last.first)
  }

  /** Finds by bisection the beginning of a batch that contains an entry or shortly precedes it. Undefined if there is no segment. */
  async #cursorBefore(
    segment: Segment,
    number: number,
    offset?: number,
  ): Promise<Cursor | undefined> {
    const { path } = segment
    const files = await filesOf(segment, this.#source.files)
    const mark = markOf(await files.readPiece(path, 0, segmentHeaderLength))
    if (mark === undefined) return undefined
    const cursor = { files, path, segment: segment.first, mark }
    if (offset !== undefined) return { ...cursor, offset }
    let low = segmentHeaderLength
    let high = await files.size(path)
    while (high - low > pieceOctets) {
      const middle = Math.floor((low + high) / 2)
      const piece = await files.readPiece(path, middle, pieceOctets)
      const at = nextFrameAt(piece, 0, mark)
      const found = at === undefined ? undefined : firstOfBatchAt(piece, at)
      // If nothing can be read from the middle on, the batch may be on the left.
      if (at === undefined || found === undefined || found > number) high = middle
      else low = middle + at
    }
    return { ...cursor, offset: low }
  }

  /** The sound batches of a piece; undefined at the end of the segment. */
  async #readPiece(cursor: Cursor): Promise<readonly PlacedBatch[] | undefined> {
    const { files, path, segment, mark } = cursor
    let piece = await files.readPiece(path, cursor.offset, pieceOctets)
    const length = frameLengthAt(piece, 0, mark) ?? 0
    // A batch longer than the segment is damaged, or being written.
    if (length > piece.length && cursor.offset + length <= (await files.size(path)))
      piece = await files.readPiece(path, cursor.offset, length)
    const batches: PlacedBatch[] = []
    let at = 0
    while (at < piece.length) {
      const payload = framePayload(piece, at, mark)
      if (payload !== undefined) {
        const place = { segment, at: cursor.offset + at }
        batches.push({ ...decodeBatch(payload), place })
        at += frameHeaderLength + payload.length
      } else if (at > 0 && isCut(piece, at, mark)) {
        // The next piece begins with it.
        break
      } else if (at === 0 && this.#isBeingWritten(piece, mark)) {
        return undefined
      } else at = nextStartAt(piece, at + 1, mark)
    }
    cursor.offset += at
    return at === 0 ? undefined : batches
  }

  /** Whether a piece begins with a batch that is not durable yet. */
  #isBeingWritten(piece: Buffer, mark: Buffer): boolean {
    if (piece.length < batchHeaderLength) return true
    const isBatch = frameLengthAt(piece, 0, mark) !== undefined
    return isBatch && firstOfBatchAt(piece, 0) > this.#source.lastNumber()
  }

  /** Runs a piece of work after all work requested earlier, and lets timers and sockets run first. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(async () => {
      await nextImmediate()
      return work()
    })
  }
}

/** The files of a segment; for a file of an earlier form, its equivalent as a segment. */
async function filesOf({ octets }: Segment, files: PieceReader): Promise<PieceReader> {
  if (octets === undefined) return files
  const all = await octets()
  return {
    readPiece: async (_, from, lengthOctets) => all.subarray(from, from + lengthOctets),
    size: async () => all.length,
  }
}

/** Whether the frame that begins at `at` extends past the piece. */
function isCut(piece: Buffer, at: number, mark: Buffer): boolean {
  const rest = piece.length - at
  return rest < batchHeaderLength || (frameLengthAt(piece, at, mark) ?? 0) > rest
}

/** Where the next frame may begin. */
function nextStartAt(piece: Buffer, at: number, mark: Buffer): number {
  const next = piece.indexOf(mark, at)
  if (next >= 0) return next
  // The end of the piece may split a mark.
  return Math.max(at, piece.length - mark.length + 1)
}

function entriesOf({ first, entries, place }: PlacedBatch): readonly PastEntry[] {
  return entries.map((entry, i) => ({ number: first + i, entry, place }))
}
