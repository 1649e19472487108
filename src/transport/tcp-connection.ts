import type { Socket } from 'node:net'
import { maxBatchRequests } from '../nameserver/request-batch.ts'
import type { TransferRequest } from '../nameserver/transfer.ts'
import type { Answer, Report, Respond } from './answer.ts'
import type { AnswerBatch } from './answer-batch.ts'
import { FrameReader, framed } from './frames.ts'
import { clientCertificateOf } from './tls-client.ts'
import type { OutgoingTransfer, Transfers } from './transfers.ts'

// One client over TCP (RFC 7766). Queries that arrive together are answered together, in order, with one
// write. Three rules bound the cost of a client: it gets a bounded number of consecutive answers before other
// clients have their turn; nothing is read from it while it does not read; and each state has a deadline that
// only whole messages extend (single octets do not).

/** Consecutive answers of one connection: a few milliseconds of work at most. */
const maxQueriesPerTurn = 512
/** Requests of one client whose answers are deferred (`Later`); further ones wait. */
const maxPending = 16

export type ConnectionTimeouts = {
  /** From the connection to the end of the TLS handshake, where there is one. */
  readonly handshakeMs: number
  /** From the last answer to the next query (RFC 7766 section 6.2.3). */
  readonly idleMs: number
  /** From the first octet of a message to its last. */
  readonly messageMs: number
  /** For a client to read the answers that are queued for it. */
  readonly writeMs: number
  /** After the server has closed its side, for the client to read the rest and close its own. */
  readonly lingerMs: number
}

export type ConnectionOptions = {
  /** Whether the socket emits `secure`, once, before anything can be read from it or written to it. */
  readonly isSecured: boolean
  /** The client's address. */
  readonly address: string
  readonly answer: Answer
  readonly report: Report
  readonly batch: AnswerBatch
  /** Undefined: no zones are sent. */
  readonly transfers: Transfers | undefined
  readonly timeouts: ConnectionTimeouts
}

type Deadline = keyof ConnectionTimeouts

/** The requests that are being answered; the connections of a thread use this in turn. */
const together = Array.from({ length: maxBatchRequests }, () => new Uint8Array(0))

/** Answers one client until either side closes. Never throws. */
export class TcpConnection {
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  readonly #frames = new FrameReader()
  readonly #later = () => this.#takeOver()
  #deadline: Deadline
  #timer: NodeJS.Timeout | undefined
  #idleSinceMs = performance.now()
  /** The client must read its answers, its deferred requests are answered first, or others have their turn; nothing is
   *  read meanwhile. */
  #isWaiting = false
  #isTransferring = false
  #isFinishing = false
  #isClosing = false
  #pendingCount = 0

  /** Owns `socket` from here on, which must allow half-open connections. */
  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    socket.setNoDelay(true)
    socket.on('data', segment => this.#receive(segment))
    socket.on('drain', () => this.#continue())
    // A client that closes its side still gets the answers to its queries.
    socket.on('end', () => this.#finishAnswers())
    // A client may reset the connection at any time; 'close' follows.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => clearTimeout(this.#timer))
    this.#deadline = options.isSecured ? 'handshakeMs' : 'idleMs'
    socket.once('secure', () => this.#arm('idleMs'))
    this.#arm(this.#deadline)
  }

  /** Since when the connection is idle, as of `performance.now()`; undefined while busy. A handshake counts as idle: a
   *  client that only begins one makes room for others. */
  get idleSinceMs(): number | undefined {
    const isBusy =
      this.#isWaiting ||
      this.#pendingCount > 0 ||
      this.#socket.writableLength > 0 ||
      this.#frames.isInsideMessage
    return isBusy ? undefined : this.#idleSinceMs
  }

  /** Answers what has arrived in full, then closes. */
  finish(): void {
    if (this.#isTransferring) this.destroy()
    else this.#finishAnswers()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #finishAnswers(): void {
    this.#isFinishing = true
    if (!this.#isWaiting) this.#closeGently()
  }

  #receive(segment: Uint8Array): void {
    if (this.#isClosing) return
    this.#frames.push(segment)
    this.#answerArrived()
  }

  #answerArrived(): void {
    for (let answeredCount = 0; answeredCount < maxQueriesPerTurn; ) {
      const count = this.#frames.take(together)
      if (count === 0) {
        this.#awaitMore(answeredCount)
        return
      }
      if (!this.#answerTogether(count)) return
      answeredCount += count
    }
    if (!this.#flush()) return
    this.#wait()
    setImmediate(() => this.#continue())
  }

  /** Answers the first `count` of `together`, and returns whether more can be answered now. Unanswered ones are kept. */
  #answerTogether(count: number): boolean {
    const { answer, batch } = this.#options
    answer.together?.begin(together, count, 'tcp')
    try {
      for (let i = 0; i < count; i += 1) {
        if (!this.#put(together[i] as Uint8Array)) {
          this.#closeGently()
          return false
        }
        if (this.#pendingCount === maxPending) this.#awaitPending()
        else if (!this.#isTransferring && (!batch.isFull || this.#flush())) continue
        if (i + 1 < count) this.#frames.putBack(together[i + 1] as Uint8Array)
        return false
      }
      return true
    } finally {
      answer.together?.end()
    }
  }

  /** Answers a request; returns false if it deserves no answer. Over TCP such a request is not a query, so the client
   *  does not speak DNS, and no answer at all would only keep it waiting. */
  #put(request: Uint8Array): boolean {
    const { answer, batch, report, address } = this.#options
    const pendingBefore = this.#pendingCount
    try {
      const room = batch.room()
      const answered = answer(request, 'tcp', room, address, this.#later)
      if (answered instanceof Uint8Array) {
        batch.add(answered, room)
        return true
      }
      if (this.#pendingCount > pendingBefore) return true
      if (answered === undefined || this.#options.transfers === undefined) return false
      this.#isTransferring = true
      void this.#transfer(answered, this.#options.transfers)
      return true
    } catch (error) {
      report(error)
      return false
    }
  }

  /** Sends a zone. Other requests of the client wait meanwhile. */
  async #transfer(request: TransferRequest, transfers: Transfers): Promise<void> {
    const { address, report, isSecured } = this.#options
    this.#flush()
    this.#wait()
    // No deadline applies to the client while a zone is prepared.
    clearTimeout(this.#timer)
    this.#timer = undefined
    let transfer: OutgoingTransfer | undefined
    try {
      const certificate = clientCertificateOf(this.#socket)
      transfer = await transfers.open(request, { address, certificate, isEncrypted: isSecured })
      await this.#send(transfer, transfers)
    } catch (error) {
      if (!this.#socket.destroyed) report(error)
      this.destroy()
    } finally {
      transfer?.end()
      this.#isTransferring = false
    }
    this.#continue()
  }

  /** For a client that does not read, only the socket's buffer and one message are held, until its deadline. */
  async #send(transfer: OutgoingTransfer, transfers: Transfers): Promise<void> {
    const { address } = this.#options
    const socket = this.#socket
    while (!socket.destroyed) {
      await transfers.turn(address)
      if (socket.destroyed) return
      const message = transfer.next()
      if (message === undefined) return
      if (socket.write(message)) continue
      this.#arm('writeMs')
      await drained(socket)
    }
  }

  /** Defers the answer to the current request; others may be answered before it (RFC 7766 section 6.2.1.1). */
  #takeOver(): Respond {
    this.#pendingCount += 1
    return response => {
      this.#pendingCount -= 1
      if (this.#socket.destroyed) return
      // The client would wait for the response: it can ask again on another connection.
      if (response === undefined) this.#isFinishing = true
      else this.#socket.write(framed(response))
      this.#idleSinceMs = performance.now()
      if (this.#isWaiting) this.#continue()
      else if (this.#isFinishing) this.#closeGently()
    }
  }

  /** Answers no more of the client's requests until one of those that are deferred has its answer. */
  #awaitPending(): void {
    this.#flush()
    this.#wait()
    this.#arm('writeMs')
  }

  /** Writes the batch to the socket; false if the client must read some of it before more is read from it. */
  #flush(): boolean {
    const { batch } = this.#options
    if (batch.isEmpty) return true
    const octets = batch.take()
    if (this.#options.isSecured) this.#holdWrites()
    if (this.#socket.write(octets)) return true
    this.#wait()
    this.#arm('writeMs')
    return false
  }

  /** Combines the writes until all queries that arrived together are answered: TLS returns them record by record, and
   *  most clients send each query as a record. */
  #holdWrites(): void {
    if (this.#socket.writableCorked > 0) return
    this.#socket.cork()
    setImmediate(() => this.#socket.uncork())
  }

  #wait(): void {
    this.#isWaiting = true
    this.#socket.pause()
  }

  #continue(): void {
    if (!this.#isWaiting || this.#isClosing || this.#socket.destroyed) return
    if (this.#isTransferring || this.#pendingCount === maxPending) return
    if (this.#socket.writableNeedDrain) return
    this.#isWaiting = false
    this.#answerArrived()
  }

  #awaitMore(answeredCount: number): void {
    if (!this.#flush()) return
    if (this.#isFinishing) {
      this.#closeGently()
      return
    }
    this.#idleSinceMs = performance.now()
    if (!this.#frames.isInsideMessage) this.#arm('idleMs')
    else if (answeredCount > 0 || this.#deadline !== 'messageMs') this.#arm('messageMs')
    this.#socket.resume()
  }

  /** Sends what is queued, then FIN, and discards further input: closing at once with octets unread would make the
   *  kernel send RST, which discards answers that are still in transit. */
  #closeGently(): void {
    if (this.#isClosing) return
    if (this.#pendingCount > 0) {
      this.#isFinishing = true
      this.#arm('writeMs')
      return
    }
    if (this.#deadline === 'handshakeMs') {
      // No query has arrived, and TLS cannot be closed properly yet.
      this.destroy()
      return
    }
    this.#flush()
    this.#isClosing = true
    this.#arm(this.#socket.writableLength > 0 ? 'writeMs' : 'lingerMs')
    this.#socket.end()
    this.#socket.resume()
  }

  #arm(deadline: Deadline): void {
    if (deadline === this.#deadline && this.#timer !== undefined) {
      this.#timer.refresh()
      return
    }
    clearTimeout(this.#timer)
    this.#deadline = deadline
    this.#timer = setTimeout(() => this.#expire(), this.#options.timeouts[deadline])
  }

  #expire(): void {
    if (this.#deadline === 'writeMs' || this.#deadline === 'lingerMs') this.destroy()
    else this.#closeGently()
  }
}

/** Resolves when the socket accepts more data, or is destroyed. */
function drained(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    socket.on('drain', settle).on('close', settle)
  })
}
