import { DamageError, type Mended, OtherFormatError } from './damage.ts'
import type { FileSystem } from './file-system.ts'
import {
  frameOctetsOf,
  type LogBatch,
  markOf,
  octetsOf,
  partsOf,
  type Segment,
  type SegmentPart,
  segmentHeaderLength,
} from './log-segment.ts'

// A crash can leave the append in progress at the end of a log, whole or torn. It was not acknowledged, so a torn one is cut off.
// An unsound frame that is followed by a sound one or another segment was once durable: that is damage, and only an operator may
// decide to lose it. If nothing follows it, a torn frame cannot be distinguished from one damaged later: it is cut off, and
// reported as perhaps acknowledged.

/** The usable contents of a log. */
export type LogContents = {
  /** The last usable entry: the end, or a break, follows it. */
  readonly lastNumber: number
  /** Usable octets of the last segment. */
  readonly lastOctets: number
  /** The mark of the last segment; undefined if it has no header. */
  readonly lastMark: Buffer | undefined
  /** Octets of the requested entries. */
  readonly octetCount: number
  readonly break: LogBreak | undefined
}

/** The place in a segment after which nothing is usable. */
type LogBreak = {
  readonly segment: Segment
  readonly offset: number
  readonly lengthOctets: number
  /** Whether the lost part was once durable; otherwise it is what a crash left of an append. */
  readonly isDamage: boolean
  readonly problem: string
}

type ReadLogOptions = {
  /** Entries up to this number are not needed. */
  readonly after: number
  /** Called with each entry after that number, in order. Its octets are part of a segment's. */
  readonly apply: (number: number, entry: Buffer) => void
  /** Whether appends to the last segment were not synced one by one: then a loss of power may leave sound ones after unsound ones. */
  readonly isSyncedLate?: boolean
}

/** Reads the segments that hold entries after `after`, in order and up to the first break. Older ones may be partly gone:
 *  nothing waits for their removal. */
export async function readLog(
  files: FileSystem,
  segments: readonly Segment[],
  options: ReadLogOptions,
): Promise<LogContents> {
  const needed = neededSegments(segments, options.after)
  const reading = new Reading(needed, options)
  for (const segment of needed) {
    const octets = await octetsOf(files, segment).catch(damageIn)
    if (octets instanceof DamageError) reading.endAt(segment, octets.problem)
    else reading.readSegment(segment, octets)
    if (reading.break !== undefined) break
  }
  return reading
}

/** What a start cuts off: torn by a crash, or damaged later. */
export type LogCut = { readonly path: string; readonly offset: number; readonly octets: number }

/** The torn end of a log; undefined if it is whole. @throws DamageError it has another break */
export function tornEndOf({ break: found }: LogContents): LogCut | undefined {
  if (found === undefined) return undefined
  const { segment, problem, offset, lengthOctets, isDamage } = found
  if (isDamage) throw new DamageError(segment.path, { problem: `${problem}, at octet ${offset}` })
  return { path: segment.path, offset, octets: lengthOctets - offset }
}

/** What a start that has not been made yet will do with the torn end of a log. */
export function mendedEnd({ path, offset, octets }: LogCut): Mended {
  const problem = `its last ${octets} octets, from octet ${offset} on, were torn by a crash, or damaged later`
  return { file: path, problem, remedy: 'The next start cuts them off' }
}

/** The segments that hold entries after a number. */
export function neededSegments(segments: readonly Segment[], after: number): readonly Segment[] {
  return segments.slice(
    Math.max(
      0,
      segments.findLastIndex(({ first }) => first <= after + 1),
    ),
  )
}

/** The sound batches of a segment, skipping anything between them. */
export function soundBatches(octets: Buffer): {
  readonly batches: readonly LogBatch[]
  /** Whether there is anything else. */
  readonly isBroken: boolean
} {
  const parts = [...partsOf(octets)]
  const batches = parts.flatMap(part => (part.kind === 'batch' ? part.batch : []))
  return { batches, isBroken: batches.length < parts.length }
}

/** The sound batches of a segment's file; none if it cannot be read. */
export async function soundBatchesOf(
  files: FileSystem,
  segment: Segment,
): Promise<ReturnType<typeof soundBatches>> {
  const octets = await octetsOf(files, segment).catch(damageIn)
  return octets instanceof DamageError ? { batches: [], isBroken: true } : soundBatches(octets)
}

function damageIn(error: unknown): DamageError {
  if (error instanceof DamageError && !(error instanceof OtherFormatError)) return error
  throw error
}

class Reading implements LogContents {
  readonly #options: ReadLogOptions
  readonly #lastSegment: Segment | undefined
  lastNumber: number
  lastOctets = 0
  lastMark: Buffer | undefined
  octetCount = 0
  break: LogBreak | undefined

  constructor(segments: readonly Segment[], options: ReadLogOptions) {
    this.#options = options
    this.#lastSegment = segments.at(-1)
    const first = segments[0]?.first ?? 1
    this.lastNumber = Math.min(options.after, first - 1)
  }

  /** Ends with a segment that cannot be read. */
  endAt(segment: Segment, problem: string): void {
    this.break = { segment, offset: 0, lengthOctets: 0, isDamage: true, problem }
  }

  readSegment(segment: Segment, octets: Buffer): void {
    const breakAt = (offset: number, problem: string, isDamage = true): void => {
      this.break = { segment, offset, lengthOctets: octets.length, isDamage, problem }
    }
    const { first } = segment
    if (first !== this.lastNumber + 1) {
      breakAt(0, `it begins with entry ${first} instead of ${this.lastNumber + 1}`)
      return
    }
    this.lastMark = markOf(octets)
    this.lastOctets = this.lastMark === undefined ? 0 : segmentHeaderLength
    for (const part of partsOf(octets)) {
      const problem = this.#problemOf(part)
      if (problem !== undefined) {
        const isEnd = this.#options.isSyncedLate || (part.kind === 'unsound' && part.isLast)
        const isTorn = isEnd && segment === this.#lastSegment
        breakAt(part.at, problem, !isTorn)
        return
      }
      if (part.kind === 'batch') this.#take(part.batch, part.at)
    }
  }

  #problemOf(part: SegmentPart): string | undefined {
    if (part.kind === 'unsound') return 'it is damaged'
    const { first } = part.batch
    return first === this.lastNumber + 1 ? undefined : `entry ${first} follows ${this.lastNumber}`
  }

  #take(batch: LogBatch, at: number): void {
    const { first, entries } = batch
    const octets = frameOctetsOf(batch)
    this.lastNumber = first + entries.length - 1
    this.lastOctets = at + octets
    if (this.lastNumber <= this.#options.after) return
    this.octetCount += octets
    for (const [i, entry] of entries.entries())
      if (first + i > this.#options.after) this.#options.apply(first + i, entry)
  }
}
