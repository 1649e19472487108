import { setImmediate as nextImmediate } from 'node:timers/promises'
import type { FileSystem } from '../durable/file-system.ts'
import type { Segment } from './journal.ts'
import { type JournalEntry, lsnOfLine, packedOf, parseEntry } from './journal-line.ts'
import { PackedChange } from './packed-change.ts'
import type { PastChange, PastCommit } from './store.ts'

// Reads the journal while it is written to and shortened. Nothing is held open: a segment that is dropped under the
// reading ends early, and what it held is missing from what is read, as is a line that is damaged.

export type HistorySource = {
  readonly files: Pick<FileSystem, 'readPiece' | 'size'>
  /** Those there are now, oldest first. */
  readonly segments: () => readonly Segment[]
  /** The last commit that may be read: behind it the journal may be in the middle of a write. */
  readonly lastLsn: () => number
}

/** What is parsed in one go: a few milliseconds. */
const pieceOctets = 256 * 1024

/** How far a segment has been read. */
type Cursor = {
  readonly path: string
  offset: number
  /** A line of which the rest is still to be read. */
  begun: Buffer
}

type Piece = {
  /** Those wanted of the lines that ended in it. */
  readonly entries: readonly JournalEntry[]
  /** Nothing more can be read: the segment ends here, or all that is visible has been read. */
  readonly end: 'of segment' | 'of history' | undefined
}

/** The commits that the journal still has. */
export class JournalHistory {
  readonly #source: HistorySource
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(source: HistorySource) {
    this.#source = source
  }

  /** Reads commits behind an LSN, oldest first; those that are gone or damaged are left out. In memory at a time are
   *  a piece of a segment and its longest line. However many read at the same time, others wait for one piece. */
  async *read(afterLsn: number): AsyncGenerator<PastCommit> {
    let nextLsn = afterLsn + 1
    for (let segment = this.#first(nextLsn); segment; segment = this.#next(segment)) {
      const { path } = segment
      const offset = await this.#inTurn(() => this.#offsetBefore(path, nextLsn))
      const cursor: Cursor = { path, offset, begun: Buffer.alloc(0) }
      for (let end: Piece['end']; end !== 'of segment'; ) {
        const piece: Piece = await this.#inTurn(() => this.#readPiece(cursor, nextLsn))
        for (const entry of piece.entries) {
          nextLsn = entry.lsn + 1
          yield pastCommit(entry)
        }
        end = piece.end
        if (end === 'of history') return
      }
    }
  }

  /** The segment that a commit is in, or else the first there is. */
  #first(lsn: number): Segment | undefined {
    const segments = this.#source.segments()
    return segments.findLast(({ firstLsn }) => firstLsn <= lsn) ?? segments[0]
  }

  #next(last: Segment): Segment | undefined {
    return this.#source.segments().find(({ firstLsn }) => firstLsn > last.firstLsn)
  }

  /** The beginning of a line that is that of a commit or comes before it, and not long before. By bisection. */
  async #offsetBefore(path: string, lsn: number): Promise<number> {
    const { files } = this.#source
    let low = 0
    let high = await files.size(path)
    while (high - low > pieceOctets) {
      const middle = Math.floor((low + high) / 2)
      const piece = await files.readPiece(path, middle, pieceOctets)
      const lineAt = piece.indexOf(lineFeed) + 1
      const found = lineAt === 0 ? undefined : lsnOfLine(piece.subarray(lineAt))
      // Where nothing can be told from the middle, the line may be on the left.
      if (found === undefined || found > lsn) high = middle
      else low = middle + lineAt
    }
    return low
  }

  async #readPiece(cursor: Cursor, nextLsn: number): Promise<Piece> {
    const piece = await this.#source.files.readPiece(cursor.path, cursor.offset, pieceOctets)
    const entries: JournalEntry[] = []
    if (piece.length === 0) return { entries, end: 'of segment' }
    cursor.offset += piece.length
    for (const line of takeLines(cursor, piece)) {
      const lsn = lsnOfLine(line)
      if (lsn === undefined || lsn < nextLsn) continue
      if (lsn > this.#source.lastLsn()) return { entries, end: 'of history' }
      const entry = parseEntry(line)
      if (entry !== undefined) entries.push(entry)
    }
    return { entries, end: undefined }
  }

  /** Does a piece of work when all asked for earlier is done, and lets timers and sockets have their turn before. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(async () => {
      await nextImmediate()
      return work()
    })
    this.#lastTurn = turn.catch(() => undefined)
    return turn
  }
}

const lineFeed = 0x0a

/** The lines that end in what has been read on, without their line feeds; the rest is kept for the next piece. */
function* takeLines(cursor: Cursor, piece: Buffer): Generator<Buffer> {
  const { begun } = cursor
  const octets = begun.length === 0 ? piece : Buffer.concat([begun, piece])
  let at = 0
  for (let end = octets.indexOf(lineFeed, begun.length); end >= 0; ) {
    yield octets.subarray(at, end)
    at = end + 1
    end = octets.indexOf(lineFeed, at)
  }
  cursor.begun = octets.subarray(at)
}

function pastCommit(entry: JournalEntry): PastCommit {
  const { lsn, at, changes, facts } = entry
  const past = changes.map(({ collection, id, row }) => ({
    collection,
    id,
    after: row ?? undefined,
  })) as PastChange[]
  for (const packed of packedOf(entry)) past.push(new PackedChange(packed))
  return { lsn, atMicros: at, changes: past, facts }
}
