import type { ListenAddress, OnHanded, OnNotify, Report } from '../answer.ts'
import type { BoundUdp, UdpEngine } from '../udp-engine.ts'
import {
  closeDatagramSockets,
  type DatagramSocket,
  openDatagramSockets,
} from './datagram-socket.ts'
import { messageFlags } from './layout.ts'
import { checkBatches } from './self-test.ts'
import { type LoadKoffi, openSystemCalls, type SystemCalls } from './system-calls.ts'
import type { OpenReader, WayBack } from './thread-data.ts'
import { type DatagramCounters, sumCounters } from './thread-memory.ts'
import { UdpThreads } from './udp-threads.ts'

export type ThreadedUdpOptions = {
  readonly hosts: readonly string[]
  /** The number of answering threads; each has its own socket for every address. */
  readonly count: number
  readonly openReader: () => OpenReader
  /** The code that answers from a reader: the URL of a module with an `openResponder`. */
  readonly responder: string
  readonly load?: LoadKoffi
  readonly report: Report
  readonly onNotify: OnNotify
  readonly onHanded?: OnHanded | undefined
}

/** UDP answered by threads, in batches. */
export class ThreadedUdp implements UdpEngine {
  readonly #calls: SystemCalls
  readonly #options: ThreadedUdpOptions
  readonly #socketsByAddress = new Set<readonly DatagramSocket[]>()
  #threads: UdpThreads | undefined

  private constructor(calls: SystemCalls, options: ThreadedUdpOptions) {
    this.#calls = calls
    this.#options = options
  }

  /** @throws Error this machine does not support it; the message says why. */
  static async open(options: ThreadedUdpOptions): Promise<ThreadedUdp> {
    const calls = await openSystemCalls(options.load)
    checkBatches(calls, options.hosts)
    return new ThreadedUdp(calls, options)
  }

  get counters(): DatagramCounters {
    return this.#threads?.counters ?? sumCounters([])
  }

  async bind(wanted: ListenAddress): Promise<BoundUdp> {
    const { sockets, address } = openDatagramSockets(this.#calls, wanted, this.#options.count)
    this.#socketsByAddress.add(sockets)
    return { address, close: async () => this.#closeSockets(sockets) }
  }

  async start(): Promise<void> {
    const { count } = this.#options
    const groups = [...this.#socketsByAddress]
    const sockets = Array.from({ length: count }, (_, thread) =>
      groups.flatMap(group => group[thread] ?? []),
    )
    const { onHanded } = this.#options
    this.#threads = await UdpThreads.start({
      ...this.#options,
      sockets,
      onHanded: (request, way) => onHanded?.(request, response => this.#send(response, way)),
    })
  }

  async close(): Promise<void> {
    await this.#threads?.close()
    for (const sockets of this.#socketsByAddress) this.#closeSockets(sockets)
  }

  /** Sends the response to a passed-on request; if the socket has several addresses, routing chooses the source. */
  #send(response: Uint8Array, way: WayBack): void {
    if (!('descriptor' in way)) return
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
