import type { ListenAddress } from './answer.ts'
import { type Protocol, TcpListener, type TcpListenerOptions } from './tcp.ts'
import type { TlsCounts } from './tls-counters.ts'
import { type TlsCredentials, TlsGate } from './tls-gate.ts'

/** A way to answer TCP: all connections in the clear, or all over TLS (RFC 7858). */
export type TcpEngine = {
  /** Listens at once, and returns the address with the real port. DNS over HTTPS requires an engine with TLS.
   *  @throws NodeJS.ErrnoException the address cannot be bound. */
  listen(address: ListenAddress, protocol?: Protocol): Promise<ListenAddress>
  /** Over TLS, uses another certificate for new connections. */
  renew(credentials: TlsCredentials): Promise<void>
  /** Takes no more connections, and resolves when the requests that have arrived are answered. Idempotent. */
  close(): Promise<void>
}

/** The data that an engine needs for TLS. */
export type EngineTls = { readonly credentials: TlsCredentials; readonly counts: TlsCounts }

export type EventLoopTcpOptions = Omit<TcpListenerOptions, 'address' | 'gate' | 'protocol'> & {
  /** If present, connections are over TLS. */
  readonly tls?: EngineTls | undefined
}

/** TCP answered on this event loop. */
export class EventLoopTcp implements TcpEngine {
  readonly #options: Omit<TcpListenerOptions, 'address' | 'protocol'>
  readonly #gate: TlsGate | undefined
  readonly #listeners: TcpListener[] = []

  constructor({ tls, ...options }: EventLoopTcpOptions) {
    if (tls !== undefined) this.#gate = new TlsGate(tls.credentials, tls.counts)
    this.#options = { ...options, gate: this.#gate }
  }

  async listen(address: ListenAddress, protocol: Protocol = 'dns'): Promise<ListenAddress> {
    const listener = await TcpListener.open({ ...this.#options, address, protocol })
    this.#listeners.push(listener)
    return listener.address
  }

  async renew(credentials: TlsCredentials): Promise<void> {
    this.#gate?.renew(credentials)
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map(listener => listener.close()))
  }
}
