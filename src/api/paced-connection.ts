import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

const endOfHead = Buffer.from('\r\n\r\n')

/** A connection that passes its octets to the HTTP parser a request at a time. The parser alone would take thousands of
 *  pipelined requests (RFC 9112 section 9.3.2) out of one read and have all of them answered before any other connection.
 *
 *  No piece passed on goes past the end of a request's head, and none is passed on while a request waits for its answer,
 *  except to complete that request's body. So at most two requests of a connection are unanswered: one in progress, and one
 *  whose head came after its body. Further octets from the client stay in one chunk here and in the kernel. After an answer
 *  all other connections have a turn before the next piece. */
export class PacedConnection extends Duplex {
  readonly #socket: Socket
  /** Octets received and not yet passed on. */
  #held: Buffer = Buffer.alloc(0)
  /** Whether the parser has requested more. */
  #isWanted = false
  #hasEnded = false
  #latest: IncomingMessage | undefined
  #unansweredCount = 0

  constructor(socket: Socket) {
    // One octet: the stream asks for the next piece only after the parser has had the last one.
    super({ readableHighWaterMark: 1, decodeStrings: false, allowHalfOpen: true })
    this.#socket = socket
    socket.on('data', chunk => this.#receive(chunk))
    socket.once('end', () => this.#receiveEnd())
    socket.on('timeout', () => this.emit('timeout'))
    socket.once('error', error => this.destroy(error))
    socket.once('close', () => this.destroy())
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  get localAddress(): string | undefined {
    return this.#socket.localAddress
  }

  get localPort(): number | undefined {
    return this.#socket.localPort
  }

  /** Requests whose heads were passed on and that have no answer yet. */
  get unansweredCount(): number {
    return this.#unansweredCount
  }

  /** Notes that the parser has produced a request. */
  began(request: IncomingMessage, response: ServerResponse): void {
    this.#latest = request
    this.#unansweredCount += 1
    response.once('close', () => {
      this.#unansweredCount -= 1
      if (this.#held.length > 0) setImmediate(() => this.#handOn())
    })
  }

  /** Closes the connection after that much silence; the HTTP server listens for `timeout`. */
  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    if (onTimeout !== undefined) this.once('timeout', onTimeout)
    this.#socket.setTimeout(milliseconds)
    return this
  }

  /** Closes the connection once all writes are sent. */
  destroySoon(): void {
    this.end(() => this.#socket.destroySoon())
  }

  override _read(): void {
    this.#isWanted = true
    this.#handOn()
  }

  override _write(
    chunk: Buffer | string,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ) {
    this.#socket.write(chunk, encoding, done)
  }

  override _writev(
    chunks: readonly { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#socket.cork()
    for (const { chunk, encoding } of chunks.slice(0, -1)) this.#socket.write(chunk, encoding)
    for (const { chunk, encoding } of chunks.slice(-1)) this.#socket.write(chunk, encoding, done)
    this.#socket.uncork()
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  #receive(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#handOn()
    if (this.#held.length > 0) this.#socket.pause()
  }

  /** Handed on at once where nothing comes before it: an answer that goes on for long ends with its client. */
  #receiveEnd(): void {
    this.#hasEnded = true
    if (this.#held.length === 0) this.push(null)
  }

  #handOn(): void {
    if (!this.#isWanted || this.destroyed) return
    if (this.#held.length === 0) this.#socket.resume()
    if (this.#held.length === 0 || !this.#mayHandOn()) return
    this.#isWanted = false
    const headEndsAt = this.#held.indexOf(endOfHead)
    const cutAt = headEndsAt < 0 ? this.#held.length : headEndsAt + endOfHead.length
    const piece = this.#held.subarray(0, cutAt)
    this.#held = this.#held.subarray(cutAt)
    this.push(piece)
    if (this.#hasEnded && this.#held.length === 0) this.push(null)
  }

  #mayHandOn(): boolean {
    if (this.#unansweredCount === 0) return true
    return this.#unansweredCount === 1 && this.#latest?.complete === false
  }
}
