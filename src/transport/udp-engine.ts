import type { Answer, ListenAddress, Report } from './answer.ts'
import { type UdpCounters, UdpListener } from './udp.ts'

/** A way to answer UDP. All addresses are bound before it starts. */
export type UdpEngine = {
  readonly counters: UdpCounters
  /** @throws NodeJS.ErrnoException the address cannot be bound. */
  bind(address: ListenAddress): Promise<BoundUdp>
  start(): Promise<void>
  /** Answers the requests that have arrived and releases all addresses. Idempotent. */
  close(): Promise<void>
}

/** A bound address. */
export type BoundUdp = {
  /** With the real port. */
  readonly address: ListenAddress
  /** Releases only this address, before the engine starts. */
  close(): Promise<void>
}

/** UDP answered by dns2's sockets on this event loop, where threads are not available. */
export class EventLoopUdp implements UdpEngine {
  readonly #options: { readonly answer: Answer; readonly report: Report }
  readonly #listeners: UdpListener[] = []

  constructor(options: { readonly answer: Answer; readonly report: Report }) {
    this.#options = options
  }

  get counters(): UdpCounters {
    const sum = (name: keyof UdpCounters): number =>
      this.#listeners.reduce((total, { counters }) => total + counters[name], 0)
    return {
      receivedCount: sum('receivedCount'),
      sentCount: sum('sentCount'),
      unsentCount: sum('unsentCount'),
    }
  }

  async bind(address: ListenAddress): Promise<BoundUdp> {
    const listener = await UdpListener.open({ ...this.#options, address })
    this.#listeners.push(listener)
    return listener
  }

  /** Resolves at once: the sockets answer as soon as they are bound. */
  start(): Promise<void> {
    return Promise.resolve()
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map(listener => listener.close()))
  }
}
