import {
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  statfsSync,
  type WriteStream,
} from 'node:fs'
import { dirname } from 'node:path'
import type { LogSink } from './query-log.ts'

/** At most this much waits for the disk; after a failure, the disk must have as much room. */
const maxWaitingOctets = 8 * 1024 * 1024

type BoundedFileOptions = {
  readonly path: string
  /** A file larger than this becomes `<path>.old` and replaces the former one. */
  readonly maxOctets: number
  /** Octets that each file begins and ends with; a file without them is one of lines. */
  readonly head?: Uint8Array
  readonly tail?: Uint8Array
  /** Called with a failure. Writing goes on as soon as that is possible. */
  readonly onFailed: (error: unknown) => void
  /** How often it is seen whether a file can be begun, or has been taken away. */
  readonly retryMs?: number
}

const defaultRetryMs = 10_000
const lineEnd = Buffer.from('\n')

/** A file for other programs to read, which takes at most twice `maxOctets` of the disk. Its writer never waits: writes that
 *  the disk is too slow for are dropped. A file that is there already is continued; one that is full, or lacks its tail, becomes
 *  `<path>.old`. One that others rename or remove, as logrotate does, is begun again. */
export class BoundedFile implements LogSink {
  readonly #options: BoundedFileOptions
  #stream: WriteStream | undefined
  #inode = 0
  #octets = 0
  #lostCount = 0
  #isFailing = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: BoundedFileOptions) {
    this.#options = options
    this.#begin()
  }

  get lostCount(): number {
    return this.#lostCount
  }

  write(octets: Uint8Array): void {
    if (this.#stream === undefined || this.#stream.writableLength > maxWaitingOctets) {
      this.#lostCount += 1
      return
    }
    if (this.#octets > this.#options.maxOctets) {
      this.#end()
      this.#begin({ isFull: true })
    }
    this.#stream?.write(octets, this.#noteWritten)
    this.#octets += octets.length
  }

  readonly #noteWritten = (error?: Error | null): void => {
    if (error) this.#lostCount += 1
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const stream = this.#stream
    if (stream === undefined) return
    const isClosed = new Promise<void>(resolve => stream.once('close', () => resolve()))
    this.#end()
    await isClosed
  }

  /** @param isFull whether the file that is there has no room, even if not all of it is on the disk yet */
  #begin({ isFull } = { isFull: false }): void {
    const { path, head, maxOctets } = this.#options
    const begun = { octets: 0, first: head }
    try {
      if (this.#isFailing) requireRoom(path)
      const found = lstatSync(path, { throwIfNoEntry: false })
      // Renaming /dev/stdout would take it from all other programs.
      if (found?.isFile() === false) throw new Error(`${path} is not a regular file`)
      // Opened synchronously: a stream that opens its file later might find the name taken, or renamed. Appended to: others may
      // have shortened it, as logrotate does with `copytruncate`.
      const hasRoom = found !== undefined && !isFull && found.size <= maxOctets
      const known = hasRoom ? reopened(path, this.#options) : undefined
      if (found !== undefined && known === undefined) renameSync(path, `${path}.old`)
      const { fd, octets, first } = known ?? { ...begun, fd: openSync(path, 'ax', 0o640) }
      const stream = createWriteStream(path, { fd })
      stream.on('error', error => {
        if (this.#stream !== stream) return
        this.#stream = undefined
        this.#fail(error)
      })
      this.#isFailing = false
      this.#octets = octets
      this.#stream = stream
      this.#inode = fstatSync(fd).ino
      if (first !== undefined) stream.write(first)
      this.#lookLater(() => this.#requirePlace())
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (!this.#isFailing) this.#options.onFailed(error)
    this.#isFailing = true
    this.#lookLater(() => this.#begin())
  }

  /** A file without its name would take what is written, and nobody could find it. */
  #requirePlace(): void {
    if (inodeOf(this.#options.path) === this.#inode) {
      this.#lookLater(() => this.#requirePlace())
      return
    }
    this.#end()
    this.#begin()
  }

  #lookLater(look: () => void): void {
    const { retryMs = defaultRetryMs } = this.#options
    clearTimeout(this.#timer)
    this.#timer = setTimeout(look, retryMs)
  }

  #end(): void {
    this.#stream?.end(this.#options.tail)
    this.#stream = undefined
  }
}

type OpenFile = {
  readonly fd: number
  readonly octets: number
  /** What comes before all that follows. */
  readonly first?: Uint8Array | undefined
}

/** Opens a file so that more can follow: behind a torn line, on the next one. Undefined where it has another end than its tail, as
 *  after a kill, or this user may not write to it. */
function reopened(
  path: string,
  { head, tail }: Pick<BoundedFileOptions, 'head' | 'tail'>,
): OpenFile | undefined {
  const fd = openedForMore(path)
  if (fd === undefined) return undefined
  const { size } = fstatSync(fd)
  if (size === 0) return { fd, octets: 0, first: head }
  const { length } = tail ?? lineEnd
  const end = Buffer.alloc(length)
  readSync(fd, end, 0, length, Math.max(0, size - length))
  const isWhole = end.equals(tail ?? lineEnd)
  if (tail === undefined) return { fd, octets: size, ...(isWhole ? {} : { first: lineEnd }) }
  if (isWhole) {
    ftruncateSync(fd, size - length)
    return { fd, octets: size - length }
  }
  closeSync(fd)
  return undefined
}

function openedForMore(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW)
  } catch {
    return undefined
  }
}

/** The inode of a file; undefined: it is not there, or cannot be seen. */
function inodeOf(path: string): number | undefined {
  try {
    return lstatSync(path).ino
  } catch {
    return undefined
  }
}

/** With a little room on a full disk, each attempt would replace the old file by a short one.
 *  @throws Error there is too little */
function requireRoom(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < maxWaitingOctets) throw new Error('the disk is full')
}
