import type { ListenAddress } from './answer.ts'
import { TcpListener, type TcpListenerOptions } from './tcp.ts'
import type { TlsCounts } from './tls-counters.ts'
import { type TlsCredentials, TlsGate } from './tls-gate.ts'

/** How messages travel on a connection: in the clear, or over TLS (RFC 7858). */
export type StreamTransport = 'tcp' | 'tls'

/** A way to answer TCP. */
export type TcpEngine = {
  /** Listens at once, and returns the address with the real port. For `tls` the engine must have credentials.
   *  @throws NodeJS.ErrnoException the address cannot be bound. */
  listen(address: ListenAddress, transport?: StreamTransport): Promise<ListenAddress>
  /** Shows another certificate to all who connect from now on. */
  renew(credentials: TlsCredentials): Promise<void>
  /** Takes no more connections, and resolves when what has arrived is answered. Idempotent. */
  close(): Promise<void>
}

/** What an engine needs for TLS. */
export type EngineTls = { readonly credentials: TlsCredentials; readonly counts: TlsCounts }

export type EventLoopTcpOptions = Omit<TcpListenerOptions, 'address' | 'gate'> & {
  readonly tls?: EngineTls | undefined
}

/** TCP answered on this event loop. */
export class EventLoopTcp implements TcpEngine {
  readonly #options: Omit<TcpListenerOptions, 'address' | 'gate'>
  readonly #gate: TlsGate | undefined
  readonly #listeners: TcpListener[] = []

  constructor({ tls, ...options }: EventLoopTcpOptions) {
    this.#options = options
    if (tls !== undefined) this.#gate = new TlsGate(tls.credentials, tls.counts)
  }

  async listen(address: ListenAddress, transport: StreamTransport = 'tcp'): Promise<ListenAddress> {
    const gate = transport === 'tls' ? this.#requiredGate() : undefined
    const listener = await TcpListener.open({ ...this.#options, address, gate })
    this.#listeners.push(listener)
    return listener.address
  }

  async renew(credentials: TlsCredentials): Promise<void> {
    this.#gate?.renew(credentials)
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map(listener => listener.close()))
  }

  #requiredGate(): TlsGate {
    if (this.#gate === undefined) throw new Error('there is no certificate for TLS')
    return this.#gate
  }
}
