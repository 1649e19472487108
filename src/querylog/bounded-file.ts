import { createWriteStream, existsSync, openSync, renameSync, type WriteStream } from 'node:fs'

/** At most this much waits for the disk. */
const maxWaitingOctets = 8 * 1024 * 1024

type BoundedFileOptions = {
  readonly path: string
  /** A file larger than this becomes `<path>.old` and replaces the former one. */
  readonly maxOctets: number
  /** Octets that each file begins and ends with. */
  readonly head?: Uint8Array
  readonly tail?: Uint8Array
  /** Called once; nothing is written after it. */
  readonly onFailed: (error: unknown) => void
}

/** A file for other programs to read, which takes at most twice `maxOctets` of the disk. Its writer never waits: writes that
 *  the disk is too slow for are dropped. A file left from an earlier run becomes `<path>.old`. */
export class BoundedFile {
  readonly #options: BoundedFileOptions
  #stream: WriteStream | undefined
  #octets = 0
  #lostCount = 0

  constructor(options: BoundedFileOptions) {
    this.#options = options
    this.#begin()
  }

  /** The number of dropped writes. */
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
    const stream = this.#stream
    if (stream === undefined) return
    const isClosed = new Promise<void>(resolve => stream.once('close', () => resolve()))
    this.#end()
    await isClosed
  }

  #begin(): void {
    const { path, head, onFailed } = this.#options
    try {
      if (existsSync(path)) renameSync(path, `${path}.old`)
      // Opened synchronously: a stream that opens its file later might find the name taken, or renamed.
      const stream = createWriteStream(path, { fd: openSync(path, 'wx', 0o640) })
      stream.on('error', error => {
        if (this.#stream !== stream) return
        this.#stream = undefined
        onFailed(error)
      })
      this.#octets = 0
      this.#stream = stream
      if (head !== undefined) stream.write(head)
    } catch (error) {
      onFailed(error)
    }
  }

  #end(): void {
    this.#stream?.end(this.#options.tail)
    this.#stream = undefined
  }
}
