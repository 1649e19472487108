import type { Answer, ListenAddress, Report } from './answer.ts'
import { type UdpCounters, UdpListener } from './udp.ts'

/** A way to answer UDP. First everything is bound, then it starts. */
export type UdpEngine = {
  readonly counters: UdpCounters
  /** @throws NodeJS.ErrnoException the address cannot be bound. */
  bind(address: ListenAddress): Promise<BoundUdp>
  start(): Promise<void>
  /** Answers what has arrived and gives back all addresses. Idempotent. */
  close(): Promise<void>
}

/** An address that is ours. */
export type BoundUdp = {
  /** With the real port. */
  readonly address: ListenAddress
  /** Gives back this address alone, before the engine starts. */
  close(): Promise<void>
}

/** UDP answered by dns2's sockets on this event loop: where threads cannot do it. */
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

  /** Resolves at once: its sockets answer from when they are bound. */
  start(): Promise<void> {
    return Promise.resolve()
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map(listener => listener.close()))
  }
}
