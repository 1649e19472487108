import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { isTurnOverrun } from '../time-slice.ts'

const endOfHead = Buffer.from('\r\n\r\n')
const nothing: Buffer = Buffer.alloc(0)
/** How many connections have octets for which the turn of the event loop had no time left. */
let waitingCount = 0

/** Passes the octets of a socket to the HTTP parser a request at a time. The parser alone would take thousands of pipelined
 *  requests (RFC 9112 section 9.3.2) out of one read and have all of them answered before any other connection.
 *
 *  No piece passed on goes past the end of a request's head, and none is passed on while a request waits for its answer,
 *  except to complete that request's body. So at most two requests of a connection are unanswered: one in progress, and one
 *  whose head came after its body. Further octets from the client stay in one chunk here and in the kernel. After an answer
 *  all other connections have a turn before the next piece.
 *
 *  Once requests have overrun the slice of a turn of the event loop, further ones wait for the next turn. What thirty clients send
 *  at once would otherwise be one turn, a long one while V8 marks garbage, which it does in steps as memory is allocated.
 *
 *  It comes before the listeners of the server, not before the socket: a stream between the two would cost every request
 *  more than its routing. */
export class PacedConnection {
  readonly #socket: Socket
  readonly #takePiece: (piece: Buffer) => void
  readonly #takeEnd: () => void
  /** Octets received and not yet passed on. */
  #held = nothing
  #isWaiting = false
  #hasEnded = false
  #isPausedByServer = false
  #latest: IncomingMessage | undefined
  #idleSinceMs = performance.now()
  /** No `Set` of all connections: V8 copies a set whose items come and go, and a copy that has become old refers to the next one.
   *  Each keeps its responses, and all they refer to, from the quick collections of new garbage. */
  readonly #unanswered: ServerResponse[] = []

  /** @param socket has the listeners of the server, which get its octets and its end from here from now on */
  constructor(socket: Socket) {
    this.#socket = socket
    this.#takePiece = takeOver(socket, 'data', chunk => this.#receive(chunk))
    this.#takeEnd = takeOver(socket, 'end', () => this.#receiveEnd())
    socket.pause = () => {
      this.#isPausedByServer = true
      return this.#pauseOrResume()
    }
    socket.resume = () => {
      this.#isPausedByServer = false
      if (this.#held.length > 0) process.nextTick(() => this.#handOn())
      return this.#pauseOrResume()
    }
  }

  /** Since when no request waits for its answer, as of `performance.now()`; undefined where one does. */
  get idleSinceMs(): number | undefined {
    return this.#unanswered.length > 0 || this.#held.length > 0 ? undefined : this.#idleSinceMs
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** The responses to requests whose heads were passed on and that have no answer yet. */
  get unanswered(): readonly ServerResponse[] {
    return this.#unanswered
  }

  /** Notes that the parser has produced a request. */
  began(request: IncomingMessage, response: ServerResponse): void {
    this.#latest = request
    this.#unanswered.push(response)
    response.on('close', () => {
      this.#unanswered.splice(this.#unanswered.indexOf(response), 1)
      this.#idleSinceMs = performance.now()
      if (this.#held.length > 0) setImmediate(() => this.#handOn())
    })
  }

  #receive(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    if (this.#isWaiting) this.#pauseOrResume()
    else if (waitingCount === 0 && !isTurnOverrun()) this.#handOn()
    else {
      this.#isWaiting = true
      waitingCount += 1
      setImmediate(() => this.#takeTurn())
    }
  }

  /** What a request has done at once is over before the next connection's turn, which would not be so in a loop over them. */
  #takeTurn(): void {
    if (isTurnOverrun()) setImmediate(() => this.#takeTurn())
    else {
      this.#isWaiting = false
      waitingCount -= 1
      this.#handOn()
    }
  }

  /** Handed on at once where nothing comes before it: an answer that goes on for long ends with its client. */
  #receiveEnd(): void {
    this.#hasEnded = true
    if (this.#held.length === 0) this.#takeEnd()
  }

  #handOn(): void {
    while (this.#mayHandOn()) {
      const headEndsAt = this.#held.indexOf(endOfHead)
      const cutAt = headEndsAt < 0 ? this.#held.length : headEndsAt + endOfHead.length
      const piece = this.#held.subarray(0, cutAt)
      this.#held = this.#held.subarray(cutAt)
      this.#takePiece(piece)
      if (this.#hasEnded && this.#held.length === 0) this.#takeEnd()
    }
    this.#pauseOrResume()
  }

  #mayHandOn(): boolean {
    if (this.#held.length === 0 || this.#isPausedByServer || this.#socket.destroyed) return false
    if (this.#unanswered.length === 0) return true
    return this.#unanswered.length === 1 && this.#latest?.complete === false
  }

  #pauseOrResume(): Socket {
    const socket = this.#socket
    const mustPause = this.#held.length > 0 || this.#isPausedByServer
    if (mustPause === socket.isPaused()) return socket
    return mustPause ? Socket.prototype.pause.call(socket) : Socket.prototype.resume.call(socket)
  }
}

/** Replaces the listener for an event that was added last. Returns it. */
function takeOver<T extends unknown[]>(
  socket: Socket,
  event: 'data' | 'end',
  take: (...values: T) => void,
): (...values: T) => void {
  const listener = socket.listeners(event).at(-1) as ((...values: T) => void) | undefined
  if (listener === undefined) throw new Error(`there is no listener for ${event}`)
  socket.on(event, take as (...values: unknown[]) => void)
  socket.off(event, listener as (...values: unknown[]) => void)
  return listener
}
