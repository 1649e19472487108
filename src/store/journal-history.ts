import { TimeSlice } from '../time-slice.ts'
import type { FileSystem } from './file-system.ts'
import type { Segment } from './journal.ts'
import { type JournalEntry, lsnOfLine, parseEntry } from './journal-line.ts'
import type { PastCommit } from './store.ts'

// Reads the journal while it is written to and shortened. Nothing is held open: a segment that is dropped under the
// reading ends early, and what it held is missing from what is read, as is a line that is damaged.

export type HistorySource = {
  readonly files: Pick<FileSystem, 'readPiece'>
  /** Those there are now, oldest first. */
  readonly segments: () => readonly Segment[]
  /** The last commit that may be read: behind it the journal may be in the middle of a write. */
  readonly lastLsn: () => number
}

const pieceOctets = 256 * 1024

/** Reads commits behind an LSN, oldest first; those that are gone or damaged are left out. In memory at a time are a
 *  piece of a segment and its longest line. */
export async function* readHistory(
  source: HistorySource,
  afterLsn: number,
): AsyncGenerator<PastCommit> {
  const slice = new TimeSlice()
  let nextLsn = afterLsn + 1
  for (
    let segment = firstSegment(source, nextLsn);
    segment;
    segment = nextSegment(source, segment)
  ) {
    for await (const line of linesOf(source, segment)) {
      const lsn = lsnOfLine(line)
      if (lsn === undefined || lsn < nextLsn) continue
      if (lsn > source.lastLsn()) return
      const entry = parseEntry(line)
      if (entry === undefined) continue
      nextLsn = lsn + 1
      yield pastCommit(entry)
      if (slice.isSpent) await slice.rest()
    }
  }
}

/** The segment that a commit is in, or else the first there is. */
function firstSegment({ segments }: HistorySource, lsn: number): Segment | undefined {
  return segments().findLast(({ firstLsn }) => firstLsn <= lsn) ?? segments()[0]
}

function nextSegment({ segments }: HistorySource, last: Segment): Segment | undefined {
  return segments().find(({ firstLsn }) => firstLsn > last.firstLsn)
}

/** The lines that have a line feed, without it. */
async function* linesOf({ files }: HistorySource, { path }: Segment): AsyncGenerator<Buffer> {
  let begun: Buffer = Buffer.alloc(0)
  for (let from = 0; ; ) {
    const piece = await files.readPiece(path, from, pieceOctets)
    if (piece.length === 0) return
    from += piece.length
    const octets = begun.length === 0 ? piece : Buffer.concat([begun, piece])
    let at = 0
    for (let end = octets.indexOf(lineFeed, begun.length); end >= 0; ) {
      yield octets.subarray(at, end)
      at = end + 1
      end = octets.indexOf(lineFeed, at)
    }
    begun = octets.subarray(at)
  }
}

const lineFeed = 0x0a

function pastCommit({ lsn, at, changes, facts }: JournalEntry): PastCommit {
  const past = changes.map(({ collection, id, row }) => ({
    collection,
    id,
    after: row ?? undefined,
  }))
  return { lsn, atMicros: at, changes: past as PastCommit['changes'], facts }
}
