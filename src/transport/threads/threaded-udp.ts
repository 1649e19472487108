import type { ListenAddress } from '../answer.ts'
import type { BoundUdp, UdpEngine } from '../udp-engine.ts'
import {
  closeDatagramSockets,
  type DatagramSocket,
  openDatagramSockets,
} from './datagram-socket.ts'
import { messageFlags } from './layout.ts'
import { checkBatches } from './self-test.ts'
import { SupervisedThread } from './supervised-thread.ts'
import { type LoadKoffi, openSystemCalls, type SystemCalls } from './system-calls.ts'
import type { AnsweringOptions, UdpThreadData, WayBack } from './thread-data.ts'
import {
  type DatagramCounters,
  newThreadMemory,
  sumCounters,
  type ThreadMemory,
} from './thread-memory.ts'

export type ThreadedUdpOptions = AnsweringOptions & {
  readonly hosts: readonly string[]
  /** The number of answering threads; each has its own socket for every address. */
  readonly count: number
  readonly load?: LoadKoffi
}

/** Answering makes almost no garbage, so a small heap suffices, and collecting it takes almost no time. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 }
/** The batches that may have arrived are answered in a tenth of this time. */
const endTimeoutMs = 2_000

/** UDP answered by threads, in batches, each through its own sockets. Requests that arrive while a thread is restarted wait in
 *  them. */
export class ThreadedUdp implements UdpEngine {
  readonly #calls: SystemCalls
  readonly #options: ThreadedUdpOptions
  readonly #socketsByAddress = new Set<readonly DatagramSocket[]>()
  /** Of each thread. */
  readonly #memories: readonly ThreadMemory[]
  #threads: readonly SupervisedThread[] = []

  private constructor(calls: SystemCalls, options: ThreadedUdpOptions) {
    this.#calls = calls
    this.#options = options
    this.#memories = Array.from({ length: options.count }, newThreadMemory)
  }

  /** @throws Error this machine does not support it; the message says why. */
  static async open(options: ThreadedUdpOptions): Promise<ThreadedUdp> {
    const calls = await openSystemCalls(options.load)
    checkBatches(calls, options.hosts)
    return new ThreadedUdp(calls, options)
  }

  /** The sums over all threads and all their lives since the start. */
  get counters(): DatagramCounters {
    return sumCounters(this.#memories)
  }

  async bind(wanted: ListenAddress): Promise<BoundUdp> {
    const { sockets, address } = openDatagramSockets(this.#calls, wanted, this.#options.count)
    this.#socketsByAddress.add(sockets)
    return { address, close: async () => this.#closeSockets(sockets) }
  }

  /** Resolves when all threads are at work.
   *  @throws Error one cannot be started; `close` ends the others */
  async start(): Promise<void> {
    const started = this.#memories.map((memory, thread) => this.#startThread(memory, thread))
    const starts = await Promise.allSettled(started)
    this.#threads = starts.flatMap(start => (start.status === 'fulfilled' ? start.value : []))
    const failure = starts.find(start => start.status === 'rejected')
    if (failure !== undefined) throw failure.reason
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.close()))
    for (const sockets of this.#socketsByAddress) this.#closeSockets(sockets)
  }

  #startThread(memory: ThreadMemory, thread: number): Promise<SupervisedThread> {
    const { openReader, responder: module, report, onNotify, onHanded } = this.#options
    const sockets = [...this.#socketsByAddress].flatMap(group => group[thread] ?? [])
    return SupervisedThread.start({
      module: './udp-thread',
      resourceLimits,
      beginLife: () => {
        Atomics.store(memory.ending, 0, 0)
        const reader = openReader()
        const responder = { module, handle: reader.handle }
        const data: UdpThreadData = { sockets, memory, responder }
        return { data, release: () => reader.close() }
      },
      askToEnd: () => Atomics.store(memory.ending, 0, 1),
      endTimeoutMs,
      report,
      onNotify,
      onHanded: (request, way) => onHanded?.(request, response => this.#send(response, way)),
    })
  }

  /** Sends the response to a passed-on request; if the socket has several addresses, routing chooses the source. */
  #send(response: Uint8Array | undefined, way: WayBack): void {
    if (response === undefined || !('descriptor' in way)) return
    const { descriptor, peer } = way
    const isOpen = [...this.#socketsByAddress].some(sockets =>
      sockets.some(socket => socket.descriptor === descriptor),
    )
    const { length } = response
    if (!isOpen) return
    this.#calls.sendto(descriptor, response, length, messageFlags.doNotWait, peer, peer.length)
  }

  #closeSockets(sockets: readonly DatagramSocket[]): void {
    // If a descriptor were closed twice, its number might already be in use for another file.
    if (this.#socketsByAddress.delete(sockets)) closeDatagramSockets(this.#calls, sockets)
  }
}
