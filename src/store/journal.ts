import { join } from 'node:path'
import type { FileSystem } from '../durable/file-system.ts'
import { LogFile } from '../durable/log-file.ts'
import { TimeSlice } from '../time-slice.ts'
import type { CommitLog } from './committer.ts'
import { formatEntry } from './journal-line.ts'
import type { Commit } from './store.ts'

// The journal is where a commit becomes durable: segments of lines, each segment named after its first LSN. A
// checkpoint begins a new segment and drops those that no recovery can need any more.

/** A segment's file. */
export type Segment = { readonly firstLsn: number; readonly path: string }

const lsnDigits = 16
const segmentName = /^(\d{16})\.ndjson$/

export function journalDirectory(directory: string): string {
  return join(directory, 'journal')
}

export function segmentAt(directory: string, firstLsn: number): Segment {
  const name = `${String(firstLsn).padStart(lsnDigits, '0')}.ndjson`
  return { firstLsn, path: join(journalDirectory(directory), name) }
}

/** The segments of a store, oldest first. */
export async function listSegments(files: FileSystem, directory: string): Promise<Segment[]> {
  const names = await files.list(journalDirectory(directory))
  return names.flatMap(name => {
    const match = segmentName.exec(name)
    return match === null ? [] : [segmentAt(directory, Number(match[1]))]
  })
}

export type JournalOptions = {
  readonly files: FileSystem
  /** The store's; the journal has one of its own in it. */
  readonly directory: string
  /** What recovery has found. */
  readonly segments: readonly Segment[]
  /** Octets of the last of them that are sound; what is behind them is cut off. */
  readonly lastOctets: number
  /** Octets in them that no checkpoint has made superfluous. */
  readonly octetCount: number
  /** Octets of superfluous segments that are kept all the same, so that their commits can be read again; none when
   *  not given. */
  readonly keptOctets?: number | undefined
}

/** However small they are: a store that is changed a little all day makes one a minute. */
const maxKeptSegments = 2_000

/** Appends commits; the only writer of the journal directory. */
export class Journal implements CommitLog {
  readonly #options: JournalOptions
  readonly #segments: Segment[]
  readonly #sizeByPath = new Map<string, number>()
  #file: LogFile | undefined
  #isRotationDue = false
  #octetCount: number

  /** Goes on behind what recovery has read. Nothing is written before `settle` or the first commit. */
  constructor(options: JournalOptions) {
    this.#options = options
    this.#segments = [...options.segments]
    this.#octetCount = options.octetCount
  }

  /** Octets journaled since the last rotation. */
  get octetCount(): number {
    return this.#octetCount
  }

  /** Cuts off what recovery could not use, and makes durable what is in front of it. Can be done again after a failure.
   *  @throws NoRoomError the file cannot be written to at present */
  async settle(): Promise<void> {
    const last = this.#segments.at(-1)
    if (this.#file !== undefined || last === undefined) return
    this.#file = await LogFile.open(this.#options.files, last.path, this.#options.lastOctets)
  }

  /** Resolves when the commits are on the disk. After any failure but the first it must not be called again: what the
   *  file then holds is unknown.
   *  @throws NoRoomError nothing of them is in the journal */
  async append(commits: readonly Commit[]): Promise<void> {
    const batch = commits[0]?.lsn
    if (batch === undefined) return
    const file = await this.#openFor(batch)
    const octets = await formatBatch(commits, batch)
    await file.append(octets)
    this.#octetCount += octets.length
  }

  /** Oldest first. */
  get segments(): readonly Segment[] {
    return this.#segments
  }

  /** Makes the next batch begin a new segment. */
  rotate(): void {
    this.#isRotationDue = true
    this.#octetCount = 0
  }

  /** Removes the segments of which every line is at or before `lsn`, but for the newest of them that are kept for
   *  history. What is left has no gaps, whatever a power loss undoes. */
  async dropThrough(lsn: number): Promise<void> {
    const { files, directory } = this.#options
    const neededFrom = this.#segments.findLastIndex(({ firstLsn }) => firstLsn <= lsn + 1)
    const dropped = this.#segments.splice(0, await this.#keptFrom(Math.max(0, neededFrom)))
    for (const { path } of dropped) {
      this.#sizeByPath.delete(path)
      await files.remove(path)
      await files.syncDirectory(journalDirectory(directory))
    }
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  /** The oldest segment that is kept, where those before `neededFrom` are superfluous. */
  async #keptFrom(neededFrom: number): Promise<number> {
    let octetsLeft = this.#options.keptOctets ?? 0
    for (let index = neededFrom - 1; index >= 0; index -= 1) {
      octetsLeft -= await this.#sizeOf(this.#segments[index]?.path ?? '')
      if (octetsLeft < 0 || neededFrom - index > maxKeptSegments) return index + 1
    }
    return 0
  }

  /** Of a segment that is not written to any more. */
  async #sizeOf(path: string): Promise<number> {
    const known = this.#sizeByPath.get(path)
    if (known !== undefined) return known
    const size = await this.#options.files.size(path)
    this.#sizeByPath.set(path, size)
    return size
  }

  async #openFor(lsn: number): Promise<LogFile> {
    await this.settle()
    const last = this.#segments.at(-1)
    // A rotation has nothing to do where the last segment is still empty.
    if (this.#file !== undefined && (!this.#isRotationDue || last?.firstLsn === lsn)) {
      this.#isRotationDue = false
      return this.#file
    }
    const { files, directory } = this.#options
    const segment = segmentAt(directory, lsn)
    const file = await LogFile.open(files, segment.path, 0)
    await this.close()
    this.#file = file
    this.#segments.push(segment)
    this.#isRotationDue = false
    await files.syncDirectory(journalDirectory(directory))
    return file
  }
}

async function formatBatch(commits: readonly Commit[], batch: number): Promise<Buffer> {
  const slice = new TimeSlice()
  const lines: string[] = []
  for (const commit of commits) {
    lines.push(formatEntry(commit, batch))
    if (slice.isSpent) await slice.rest()
  }
  return Buffer.from(lines.join(''))
}
