import { connect, type Socket } from 'node:net'
import { readerFrame, readyFrame, startFrame, stopFrame } from './dnstap.ts'
import type { LogSink } from './query-log.ts'

/** At most this much waits for the reader. */
const maxWaitingOctets = 8 * 1024 * 1024
const retryMs = 1000
/** How long to wait for a reader to accept, and at the end to confirm that it has received everything. */
const patienceMs = 2000

type DnstapSocketOptions = {
  /** Of a unix socket that a reader listens on. */
  readonly path: string
  /** Called when a reader has accepted frames, and when it is gone or there is none yet. */
  readonly onChanged: (hasReader: boolean) => void
}

/** Sends frames to a reader on this machine (bidirectional Frame Streams), such as `fstrm_capture`. Without a reader it retries
 *  the connection every second; frames written meanwhile are lost, as are those that a slow reader does not take. */
export class DnstapSocket implements LogSink {
  readonly #options: DnstapSocketOptions
  #socket: Socket | undefined
  #hasReader: boolean | undefined
  #isClosing = false
  #timer: NodeJS.Timeout | undefined
  #lostCount = 0

  constructor(options: DnstapSocketOptions) {
    this.#options = options
    this.#connect()
  }

  get lostCount(): number {
    return this.#lostCount
  }

  write(octets: Uint8Array): void {
    const socket = this.#socket
    if (this.#hasReader && socket !== undefined && socket.writableLength <= maxWaitingOctets)
      socket.write(octets, this.#noteWritten)
    else this.#lostCount += 1
  }

  readonly #noteWritten = (error?: Error | null): void => {
    if (error) this.#lostCount += 1
  }

  /** Resolves when the reader has received everything, or has taken too long. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#timer)
    const socket = this.#socket
    if (socket === undefined) return
    if (this.#hasReader) socket.write(stopFrame())
    else socket.destroy()
    this.#hasReader = false
    const timer = setTimeout(() => socket.destroy(), patienceMs)
    await new Promise<void>(resolve => socket.once('close', () => resolve()))
    clearTimeout(timer)
  }

  #connect(): void {
    const socket = connect({ path: this.#options.path })
    this.#socket = socket
    let received = Buffer.alloc(0)
    socket.on('connect', () => socket.write(readyFrame()))
    socket.on('data', octets => {
      received = Buffer.concat([received, octets])
      const frame = readerFrame(received)
      if (frame === undefined) return
      if (frame === 'nonsense' || frame.kind === 'finished') socket.destroy()
      else if (!this.#hasReader && !this.#isClosing) this.#begin(socket)
      if (frame !== 'nonsense') received = received.subarray(frame.octets)
    })
    socket.on('end', () => socket.destroy())
    // 'close' follows.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#end())
    this.#timer = setTimeout(() => socket.destroy(), patienceMs)
  }

  #begin(socket: Socket): void {
    clearTimeout(this.#timer)
    this.#hasReader = true
    socket.write(startFrame())
    this.#options.onChanged(true)
  }

  #end(): void {
    this.#socket = undefined
    clearTimeout(this.#timer)
    if (this.#hasReader !== false) this.#options.onChanged(false)
    this.#hasReader = false
    if (!this.#isClosing) this.#timer = setTimeout(() => this.#connect(), retryMs)
  }
}
