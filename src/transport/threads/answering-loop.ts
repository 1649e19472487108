import type { Responder } from '../../nameserver/responder.ts'
import {
  type HandedRequest,
  handedTransfer,
  monotonicMillis,
  monotonicSeconds,
  unixSeconds,
} from '../answer.ts'
import { HandedThrottle } from '../handed-throttle.ts'
import { hmac } from '../hmac.ts'
import type { NotifyThrottle } from '../notify-throttle.ts'
import type { BatchSocket } from './batch-socket.ts'
import type { DatagramBuffers } from './datagram-buffers.ts'
import { DeepInlining } from './deep-inlining.ts'
import { messageFlags } from './layout.ts'
import type { SocketPoll } from './socket-poll.ts'
import type { WayBack } from './thread-data.ts'
import { counterIndexes, type ThreadMemory } from './thread-memory.ts'

/** Maximum consecutive batches of one socket while other sockets may have requests. */
const maxBatchesInARow = 8
/** Maximum batches at the end, when requests that the kernel has received are answered although more may keep arriving. */
const maxLastBatches = 128

export type AnsweringLoopOptions = {
  readonly sockets: readonly BatchSocket[]
  /** Waits for the same sockets. */
  readonly poll: SocketPoll
  /** The sockets' buffers. */
  readonly buffers: DatagramBuffers
  readonly responder: Responder
  readonly memory: ThreadMemory
  /** Called with errors that the responder should never throw. */
  readonly report: (error: unknown) => void
  readonly throttle: NotifyThrottle
  readonly handOn: (request: HandedRequest, way: WayBack) => void
}

/** Answers the queries of its sockets until it is asked to end. */
export class AnsweringLoop {
  readonly #options: AnsweringLoopOptions
  readonly #counters: Float64Array
  readonly #inlining = new DeepInlining()
  /** The socket whose requests are being answered. */
  #answering: BatchSocket | undefined

  constructor(options: AnsweringLoopOptions) {
    this.#options = options
    this.#counters = options.memory.counters
    const { responder, throttle } = options
    const updates = new HandedThrottle()
    const transfers = new HandedThrottle()
    responder.host = {
      onUpdate: (i, update) => {
        // The client repeats a request above the bound.
        if (updates.take(update.apex, update.keyId !== undefined)) this.#handOn(i, update)
        return true
      },
      onTransfer: (request, i) => {
        const isTaken = transfers.take(request.apex, request.signer !== undefined)
        if (isTaken) this.#handOn(i, handedTransfer(request))
        return isTaken
      },
      onNotified: (apex, i, keyId) =>
        throttle.take(apex, this.#answering?.peerAddress(i) ?? '', keyId),
      readClient: (i, into) => this.#answering?.readPeer(i, into) ?? 0,
      nowSeconds: monotonicSeconds,
      nowMillis: monotonicMillis,
      unixMillis: Date.now,
      unixSeconds,
      hmac,
    }
  }

  #handOn(i: number, request: Omit<HandedRequest, 'address' | 'transport'>): void {
    const socket = this.#answering
    if (socket === undefined) return
    const octets = new Uint8Array(request.octets)
    const address = socket.peerAddress(i)
    const way = { descriptor: socket.descriptor, peer: socket.peerOctets(i) }
    this.#options.handOn({ ...request, octets, address, transport: 'udp' }, way)
  }

  /** Returns when it is asked to end and the requests received until then are answered.
   *  @throws Error a descriptor is no longer a socket. */
  run(): void {
    const { sockets, throttle } = this.#options
    const [only] = sockets
    while (Atomics.load(this.#options.memory.ending, 0) === 0) {
      // Waiting in the read call saves a system call for each batch.
      const hasAnswered =
        sockets.length === 1 && only !== undefined
          ? this.#answerBatch(only, messageFlags.waitForOne) > 0
          : this.#answerReady()
      if (!hasAnswered) this.#inlining.rest()
      throttle.settle()
    }
    for (const socket of sockets) this.#answerArrived(socket, maxLastBatches)
  }

  /** Returns whether there were any requests. */
  #answerReady(): boolean {
    const { sockets, poll } = this.#options
    if (poll.wait() === 0) return false
    for (let i = 0; i < sockets.length; i += 1) {
      const socket = sockets[i]
      if (socket !== undefined && poll.isReady(i)) this.#answerArrived(socket, maxBatchesInARow)
    }
    return true
  }

  #answerArrived(socket: BatchSocket, maxBatches: number): void {
    for (let i = 0; i < maxBatches; i += 1) {
      if (this.#answerBatch(socket, messageFlags.doNotWait) === 0) return
    }
  }

  /** Returns the number of requests. */
  #answerBatch(socket: BatchSocket, flags: number): number {
    const count = socket.receive(flags)
    if (count === 0) return 0
    const { responder } = this.#options
    let keptCount = 0
    this.#answering = socket
    responder.enter()
    for (let i = 0; i < count; i += 1) this.#take(socket, i)
    responder.prefetch(count)
    for (let i = 0; i < count; i += 1) {
      const octets = this.#respond(socket, i, keptCount)
      if (octets === 0) continue
      socket.keep(keptCount, octets, i)
      keptCount += 1
    }
    // Sending may wait, and the table must not be held meanwhile.
    responder.leave()
    const sentCount = socket.send(keptCount)
    responder.sent()
    this.#inlining.answered(count)
    this.#count(counterIndexes.batchCount, 1)
    this.#count(counterIndexes.receivedCount, count)
    this.#count(counterIndexes.sentCount, sentCount)
    this.#count(counterIndexes.unsentCount, keptCount - sentCount)
    this.#count(counterIndexes.silentCount, count - keptCount)
    return count
  }

  #take(socket: BatchSocket, i: number): void {
    const { responder, buffers } = this.#options
    const request = buffers.requests[i]
    if (request !== undefined) responder.take(i, request, socket.requestOctets(i), 'udp')
  }

  /** Answers request `i` in response `n`. Returns the octets, 0 for none. */
  #respond(socket: BatchSocket, i: number, n: number): number {
    const { responder, buffers } = this.#options
    const response = buffers.responses[n]
    if (response === undefined || !socket.isAnswerable(i)) return 0
    try {
      return responder.respond(i, response)
    } catch (error) {
      this.#count(counterIndexes.failedCount, 1)
      this.#options.report(error)
      return 0
    }
  }

  #count(index: number, more: number): void {
    this.#counters[index] = (this.#counters[index] ?? 0) + more
  }
}
