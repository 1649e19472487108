import type { FileSystem } from '../durable/file-system.ts'
import type { Segment } from './journal.ts'
import {
  isWholeLine,
  type JournalEntry,
  lsnOfLine,
  parseEntry,
  parseWholeLine,
} from './journal-line.ts'

// What a crash can leave at the end of the journal is the batch that was being written: some of its lines, in
// any order, whole or torn. None of them was acknowledged, so they are cut off. A line that is not whole and
// has a later batch or segment behind it was once durable: that is damage, and nobody but a person may decide
// to lose it. Where nothing is behind it, a line that was torn cannot be told from one that was damaged later: it
// is cut off, and reported as perhaps acknowledged.

/** What the journal says. */
export type JournalContents = {
  /** The last change that can be used: behind it is the end, or a break. */
  readonly lastLsn: number
  /** Octets of the last segment that can be used. */
  readonly lastOctets: number
  /** Octets of the changes that were asked for. */
  readonly octetCount: number
  readonly break: JournalBreak | undefined
}

/** The place in a segment from which on nothing can be used. */
export type JournalBreak = {
  readonly segment: Segment
  readonly offset: number
  readonly lengthOctets: number
  /** Whether what is lost was once durable; otherwise it is what a crash left of an unfinished batch. */
  readonly isDamage: boolean
  readonly problem: string
}

type ReadOptions = {
  readonly afterLsn: number
  readonly apply: (entry: JournalEntry) => void
}

/** Reads the segments that hold entries behind `afterLsn`, in order and up to the first break, and gives these
 *  entries to `apply`. Older ones may be gone in part: nothing waits for their removal. */
export async function readJournal(
  files: FileSystem,
  segments: readonly Segment[],
  options: ReadOptions,
): Promise<JournalContents> {
  const first = segments.findLastIndex(({ firstLsn }) => firstLsn <= options.afterLsn + 1)
  const needed = segments.slice(Math.max(0, first))
  const reading = new Reading(needed, options)
  for (const segment of needed) {
    const octets = (await files.read(segment.path)) ?? Buffer.alloc(0)
    reading.readSegment(segment, octets)
    if (reading.break !== undefined) break
  }
  return reading
}

class Reading implements JournalContents {
  readonly #options: ReadOptions
  readonly #lastSegment: Segment | undefined
  lastLsn: number
  lastOctets = 0
  octetCount = 0
  break: JournalBreak | undefined

  constructor(segments: readonly Segment[], options: ReadOptions) {
    this.#options = options
    this.#lastSegment = segments.at(-1)
    const firstLsn = segments[0]?.firstLsn ?? 1
    this.lastLsn = Math.min(options.afterLsn, firstLsn - 1)
  }

  readSegment(segment: Segment, octets: Buffer): void {
    const breakAt = (offset: number, problem: string, isDamage = true): void => {
      this.break = { segment, offset, lengthOctets: octets.length, isDamage, problem }
    }
    const { firstLsn } = segment
    if (firstLsn !== this.lastLsn + 1) {
      breakAt(0, `it begins with change ${firstLsn} instead of ${this.lastLsn + 1}`)
      return
    }
    let offset = 0
    this.lastOctets = 0
    for (const line of linesOf(octets)) {
      const lsn = line.isWhole ? this.#lsnOf(line.octets) : undefined
      if (lsn === undefined) {
        const isLast = segment === this.#lastSegment
        const isDamage = !isLast || hasLaterBatch(octets.subarray(offset), this.lastLsn + 1)
        breakAt(offset, 'the line is not whole', isDamage)
        return
      }
      if (lsn !== this.lastLsn + 1) {
        breakAt(offset, `change ${lsn} follows change ${this.lastLsn}`)
        return
      }
      this.#take(lsn, line.octets)
      offset += line.octets.length + 1
      this.lastOctets = offset
    }
  }

  /** Undefined where the line is not whole. */
  #lsnOf(line: Buffer): number | undefined {
    return isWholeLine(line) ? lsnOfLine(line) : undefined
  }

  #take(lsn: number, line: Buffer): void {
    this.lastLsn = lsn
    // The documents have it, which saves parsing it: after a checkpoint that is all of the last segment.
    if (lsn <= this.#options.afterLsn) return
    this.#options.apply(parseWholeLine(line))
    this.octetCount += line.length + 1
  }
}

/** The whole lines of a segment, whatever is between them. */
export function wholeEntries(octets: Buffer): {
  readonly entries: readonly JournalEntry[]
  /** Whether there is anything else. */
  readonly isBroken: boolean
} {
  const lines = [...linesOf(octets)].map(line =>
    line.isWhole ? parseEntry(line.octets) : undefined,
  )
  const entries = lines.filter(entry => entry !== undefined)
  return { entries, isBroken: entries.length < lines.length }
}

/** Whether a whole line belongs to a batch begun after the one that change `lsn` was part of. The lines of
 *  that batch itself carry its first LSN, which is at most `lsn`. */
function hasLaterBatch(octets: Buffer, lsn: number): boolean {
  return wholeEntries(octets).entries.some(({ batch }) => batch > lsn)
}

type Line = { readonly octets: Buffer; readonly isWhole: boolean }

const lineFeed = 0x0a

/** Cuts at line feeds; what follows the last one is a line that is not whole. */
function* linesOf(octets: Buffer): Generator<Line> {
  for (let at = 0; at < octets.length; ) {
    const end = octets.indexOf(lineFeed, at)
    if (end < 0) {
      yield { octets: octets.subarray(at), isWhole: false }
      return
    }
    yield { octets: octets.subarray(at, end), isWhole: true }
    at = end + 1
  }
}
