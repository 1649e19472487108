import {
  createWriteStream,
  existsSync,
  openSync,
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
  /** Octets that each file begins and ends with. */
  readonly head?: Uint8Array
  readonly tail?: Uint8Array
  /** Called with a failure. A new file is begun as soon as that is possible. */
  readonly onFailed: (error: unknown) => void
  readonly retryMs?: number
}

const defaultRetryMs = 10_000

/** A file for other programs to read, which takes at most twice `maxOctets` of the disk. Its writer never waits: writes that
 *  the disk is too slow for are dropped. A file left from an earlier run becomes `<path>.old`. */
export class BoundedFile implements LogSink {
  readonly #options: BoundedFileOptions
  #stream: WriteStream | undefined
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
      this.#begin()
    }
    this.#stream?.write(octets)
    this.#octets += octets.length
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

  #begin(): void {
    const { path, head } = this.#options
    try {
      if (this.#isFailing) requireRoom(path)
      if (existsSync(path)) renameSync(path, `${path}.old`)
      // Opened synchronously: a stream that opens its file later might find the name taken, or renamed.
      const stream = createWriteStream(path, { fd: openSync(path, 'wx', 0o640) })
      stream.on('error', error => {
        if (this.#stream !== stream) return
        this.#stream = undefined
        this.#fail(error)
      })
      this.#isFailing = false
      this.#octets = 0
      this.#stream = stream
      if (head !== undefined) stream.write(head)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    if (!this.#isFailing) this.#options.onFailed(error)
    this.#isFailing = true
    const { retryMs = defaultRetryMs } = this.#options
    this.#timer = setTimeout(() => this.#begin(), retryMs)
  }

  #end(): void {
    this.#stream?.end(this.#options.tail)
    this.#stream = undefined
  }
}

/** With a little room on a full disk, each attempt would replace the old file by a short one.
 *  @throws Error there is too little */
function requireRoom(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < maxWaitingOctets) throw new Error('the disk is full')
}
