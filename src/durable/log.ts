import { dirname } from 'node:path'
import { Durations } from '../durations.ts'
import { atOnce, inSlices } from '../time-slice.ts'
import type { CapturedFile, CapturedFiles } from './captured-file.ts'
import type { FileSystem } from './file-system.ts'
import { LogFile, type Meanwhile } from './log-file.ts'
import type { LogHistorySource } from './log-history.ts'
import type { LogContents } from './log-recovery.ts'
import {
  batchSteps,
  frameOctetsOf,
  type LogPlace,
  type NewEntry,
  newMark,
  type Segment,
  segmentAt,
  segmentHeader,
} from './log-segment.ts'
import { NoRoomError } from './no-room.ts'

type LogOptions = {
  readonly files: FileSystem
  /** The log's own directory; it exists before anything is written. */
  readonly directory: string
  /** The existing segments, oldest first. */
  readonly segments: readonly Segment[]
  /** The contents read from them. */
  readonly found: LogContents
  /** Octets of superfluous segments that are kept so that their entries can be read again; none by default. */
  readonly keptOctets?: number | undefined
  /** Whether appends are on the disk only after `sync`, or when the next segment begins: for entries that are also kept elsewhere. */
  readonly isSyncedLate?: boolean
}

/** A bound independent of their size: a log that is shortened every minute and changed a little all day has many. */
const maxKeptSegments = 2_000

/** Memory of a frame up to this size is reused: fresh memory costs a page fault for each page. A longer one is made in small
 *  steps. */
const maxKeptFrame = 2 ** 20

type OpenSegment = { readonly file: LogFile; readonly mark: Buffer }

/** Appends entries; the only writer of its directory. */
export class Log implements CapturedFiles {
  /** Durations of successful appends: writing and syncing. */
  readonly appendDurations = new Durations()
  readonly #options: LogOptions
  readonly #segments: Segment[]
  readonly #sizeByPath = new Map<string, number>()
  #open: OpenSegment | undefined
  /** Memory for a frame, sized by the largest batch so far up to `maxKeptFrame`. */
  #frame: Buffer = Buffer.alloc(0)
  #isSettled = false
  #isRotationDue = false
  #octetCount: number
  #appendedOctets = 0
  #lastNumber: number

  /** Continues after what has been read. Nothing is written before `settle` or the first entry. */
  constructor(options: LogOptions) {
    this.#options = options
    this.#segments = [...options.segments]
    this.#octetCount = options.found.octetCount
    this.#lastNumber = options.found.lastNumber
  }

  /** The last entry; 0 where there is none. */
  get lastNumber(): number {
    return this.#lastNumber
  }

  /** What a `LogHistory` reads: the last segment up to its durable end.
   *  @param lastNumber the last entry that may be read */
  pastUpTo(lastNumber: () => number): LogHistorySource {
    const { files } = this.#options
    const pieces: LogHistorySource['files'] = {
      size: async path => Math.min(this.#endOf(path), await files.size(path)),
      readPiece: (path, from, lengthOctets) => {
        const octets = Math.min(lengthOctets, this.#endOf(path) - from)
        return files.readPiece(path, from, Math.max(0, octets))
      },
    }
    return { files: pieces, segments: () => this.#segments, lastNumber }
  }

  /** Octets appended since the last rotation. */
  get octetCount(): number {
    return this.#octetCount
  }

  /** Octets appended since it was opened. */
  get appendedOctets(): number {
    return this.#appendedOctets
  }

  /** Oldest first. */
  get segments(): readonly Segment[] {
    return this.#segments
  }

  /** All segments, the last one up to its durable end. */
  capture(): readonly CapturedFile[] {
    const last = this.#segments.at(-1)
    return this.#segments.map(segment =>
      segment === last && this.#open !== undefined
        ? { path: segment.path, octets: this.#open.file.lengthOctets }
        : { path: segment.path },
    )
  }

  /** Cuts off the unusable end and makes the rest durable. Can be repeated after a failure.
   *  @throws NoRoomError the file cannot be written to at present */
  async settle(): Promise<void> {
    if (this.#isSettled) return
    const last = this.#segments.at(-1)
    if (last !== undefined) this.#open = await this.#reopen(last)
    this.#isSettled = true
  }

  /** Resolves with the place of the entries, appended all or none, when they are on the disk, unless that is deferred. After any
   *  failure but a `NoRoomError` the content of the segment is unknown, and it takes no more entries: only a log that needs
   *  nothing from before a rotation continues then.
   *  @throws NoRoomError none of them are in the log */
  async append(entries: readonly NewEntry[], meanwhile?: Meanwhile): Promise<LogPlace | undefined> {
    if (entries.length === 0) return undefined
    const first = this.#lastNumber + 1
    const { file, mark } = this.#openNow ?? (await this.#openSegment())
    const place = { segment: this.#segments.at(-1)?.first ?? first, at: file.lengthOctets }
    const batch = { first, entries }
    const isLong = frameOctetsOf(batch) > maxKeptFrame
    const steps = batchSteps(batch, mark, this.#frame)
    const octets = isLong ? await inSlices(steps) : atOnce(steps)
    if (octets.length > this.#frame.length && !isLong) this.#frame = octets
    const beganMillis = performance.now()
    await file.append(octets, meanwhile)
    this.appendDurations.note((performance.now() - beganMillis) / 1000)
    this.#lastNumber += entries.length
    this.#octetCount += octets.length
    this.#appendedOctets += octets.length
    return place
  }

  /** Resolves when all that was appended is on the disk. */
  async sync(): Promise<void> {
    await this.#open?.file.sync()
  }

  /** Begins a new segment; does nothing if the last one is still empty. No other call may be in progress.
   *  @throws NoRoomError no new segment exists then */
  async begin(): Promise<void> {
    await this.settle()
    const { directory } = this.#options
    const last = this.#segments.at(-1)
    const segment = segmentAt(directory, this.#lastNumber + 1)
    if (last?.first !== segment.first || this.#open?.file.hasFailed !== false) {
      if (this.#options.isSyncedLate) await this.sync()
      const open = await this.#newSegment(segment.path)
      // Until then it is captured up to its end, as its room may be gone when it is read.
      await closeSegment(this.#open)
      this.#open = open
      if (last?.path !== segment.path) this.#segments.push(segment)
    }
    this.#isRotationDue = false
    this.#octetCount = 0
  }

  /** Makes the next entry begin a new segment. */
  rotate(): void {
    this.#isRotationDue = true
    this.#octetCount = 0
  }

  /** Removes the segments whose entries are all at or before a number, except for the newest of them that are kept. The rest has
   *  no gaps, whatever a power loss undoes. */
  async dropThrough(number: number): Promise<void> {
    const { files, directory } = this.#options
    const neededFrom = this.#segments.findLastIndex(({ first }) => first <= number + 1)
    const dropped = this.#segments.splice(0, await this.#keptFrom(Math.max(0, neededFrom)))
    for (const { path } of dropped) {
      this.#sizeByPath.delete(path)
      await files.remove(path)
      await files.syncDirectory(directory)
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    await closeSegment(open)
  }

  /** The oldest segment to keep, given that those before `neededFrom` are superfluous. */
  async #keptFrom(neededFrom: number): Promise<number> {
    let octetsLeft = this.#options.keptOctets ?? 0
    for (let index = neededFrom - 1; index >= 0; index -= 1) {
      octetsLeft -= await this.#sizeOf(this.#segments[index]?.path ?? '')
      if (octetsLeft < 0 || neededFrom - index > maxKeptSegments) return index + 1
    }
    return 0
  }

  /** The size of a segment that is no longer written to. */
  async #sizeOf(path: string): Promise<number> {
    const known = this.#sizeByPath.get(path)
    if (known !== undefined) return known
    const size = await this.#options.files.size(path)
    this.#sizeByPath.set(path, size)
    return size
  }

  #endOf(path: string): number {
    const isLast = this.#segments.at(-1)?.path === path
    return isLast && this.#open !== undefined ? this.#open.file.lengthOctets : Infinity
  }

  /** The segment for the next entry, where it is open. */
  get #openNow(): OpenSegment | undefined {
    return this.#isSettled && !this.#isRotationDue ? this.#open : undefined
  }

  async #openSegment(): Promise<OpenSegment> {
    await this.settle()
    if (this.#openNow === undefined) await this.begin()
    return this.#open as OpenSegment
  }

  /** Undefined if the segment is not continued because it is of an earlier form. */
  async #reopen(last: Segment): Promise<OpenSegment | undefined> {
    const { files, found } = this.#options
    if (last.octets !== undefined) {
      const file = await this.#openFile(last.path, await files.size(last.path))
      await file.close()
      return undefined
    }
    const { lastOctets, lastMark } = found
    if (lastMark === undefined) return this.#newSegment(last.path)
    return { file: await this.#openFile(last.path, lastOctets), mark: lastMark }
  }

  /** Makes an empty segment; its header and its name are durable. On a full disk no file is left behind.
   *  @throws NoRoomError */
  async #newSegment(path: string): Promise<OpenSegment> {
    const { files } = this.#options
    const file = await this.#openFile(path, 0)
    const mark = newMark()
    try {
      await file.append(segmentHeader(mark))
      await file.sync()
      await files.syncDirectory(dirname(path))
      return { file, mark }
    } catch (error) {
      await file.close()
      if (error instanceof NoRoomError) await files.remove(path).catch(() => undefined)
      throw error
    }
  }

  #openFile(path: string, lengthOctets: number): Promise<LogFile> {
    const { files, isSyncedLate = false } = this.#options
    return LogFile.open(files, path, { lengthOctets, isSynced: !isSyncedLate })
  }
}

async function closeSegment(open: OpenSegment | undefined): Promise<void> {
  // Readers skip room that is left, and the next start cuts it off.
  await open?.file.trim().catch(() => undefined)
  await open?.file.close()
}
