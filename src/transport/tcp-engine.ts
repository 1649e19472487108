import type { ListenAddress } from './answer.ts'
import { TcpListener, type TcpListenerOptions } from './tcp.ts'

/** A way to answer TCP. */
export type TcpEngine = {
  /** Listens at once, and returns the address with the real port.
   *  @throws NodeJS.ErrnoException the address cannot be bound. */
  listen(address: ListenAddress): Promise<ListenAddress>
  /** Takes no more connections, and resolves when what has arrived is answered. Idempotent. */
  close(): Promise<void>
}

/** TCP answered on this event loop. */
export class EventLoopTcp implements TcpEngine {
  readonly #options: Omit<TcpListenerOptions, 'address'>
  readonly #listeners: TcpListener[] = []

  constructor(options: Omit<TcpListenerOptions, 'address'>) {
    this.#options = options
  }

  async listen(address: ListenAddress): Promise<ListenAddress> {
    const listener = await TcpListener.open({ ...this.#options, address })
    this.#listeners.push(listener)
    return listener.address
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map(listener => listener.close()))
  }
}
