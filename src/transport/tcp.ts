import type { AddressInfo, Socket } from 'node:net'
import { isIPv6 } from 'node:net'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { TCPServer } from 'dns2'
import { clientOf } from '../client-of.ts'
import { type ConnectionCaps, ConnectionTable } from '../connection-table.ts'
import type { Answer, ListenAddress, Report } from './answer.ts'
import { AnswerBatch } from './answer-batch.ts'
import { HttpsConnection, HttpsExchange, httpsProtocols } from './https-connection.ts'
import { type ConnectionTimeouts, TcpConnection } from './tcp-connection.ts'
import { dotProtocols, type TlsGate } from './tls-gate.ts'
import type { Transfers } from './transfers.ts'

/** The protocol of a connection: plain DNS (RFC 7766, over TLS RFC 7858), or DNS over HTTPS (RFC 8484). */
export type Protocol = 'dns' | 'https'

export type TcpLimits = ConnectionCaps & ConnectionTimeouts

/** For a server that keeps thousands of resolvers connected, at 4.7 kB each, and tolerates clients that only hold on. */
export const defaultTcpLimits: TcpLimits = {
  maxConnections: 10_240,
  maxConnectionsPerClient: 256,
  handshakeMs: 5_000,
  idleMs: 10_000,
  messageMs: 5_000,
  writeMs: 10_000,
  lingerMs: 2_000,
}

/** A connection of HTTP/2 takes several times as much memory. */
const defaultHttpsLimits: TcpLimits = { ...defaultTcpLimits, maxConnections: 2_048 }

export type TcpListenerOptions = {
  readonly address: ListenAddress
  readonly answer: Answer
  readonly report: Report
  /** Sends zones. */
  readonly transfers?: Transfers | undefined
  readonly limits?: Partial<TcpLimits>
  /** The gate that puts connections over TLS; without it they are in the clear. */
  readonly gate?: TlsGate | undefined
  /** DNS over HTTPS needs a gate. */
  readonly protocol?: Protocol
}

/** One listening TCP socket and its connections. */
export class TcpListener {
  readonly #server = new TCPServer()
  readonly #options: TcpListenerOptions
  readonly #answer: Answer
  readonly #limits: TcpLimits
  readonly #table: ConnectionTable<TcpConnection | HttpsConnection>
  readonly #batch = new AnswerBatch()
  readonly #https: HttpsExchange | undefined
  #closed: Promise<void> | undefined

  private constructor(options: TcpListenerOptions) {
    this.#options = options
    this.#answer =
      options.gate === undefined ? options.answer : overTls(options.answer, options.gate)
    const isHttps = options.protocol === 'https'
    this.#https = isHttps ? new HttpsExchange(this.#answer, options.report) : undefined
    this.#limits = { ...(isHttps ? defaultHttpsLimits : defaultTcpLimits), ...options.limits }
    this.#table = new ConnectionTable(this.#limits)
    // dns2's own would parse what arrives.
    this.#server.removeAllListeners('connection').on('connection', socket => this.#accept(socket))
  }

  /** @throws NodeJS.ErrnoException the address cannot be bound. */
  static async open(options: TcpListenerOptions): Promise<TcpListener> {
    const { host, port } = options.address
    const listener = new TcpListener(options)
    const server = listener.#server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      // IPv6 sockets do not take IPv4, so that both can be configured on the same port.
      server.listen({ host, port, ipv6Only: isIPv6(host) }, resolve)
    })
    server.removeAllListeners('error').on('error', options.report)
    return listener
  }

  /** The bound address, with the real port. */
  get address(): ListenAddress {
    const { address, port } = this.#server.address() as AddressInfo
    return { host: address, port }
  }

  get connectionCount(): number {
    return this.#table.size
  }

  /** Takes no more connections, answers the queries that have arrived, and resolves when all clients have
   *  disconnected, which the deadlines of a connection bound. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#finish()
    return this.#closed
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const client = clientOf(address)
    if (this.#closed !== undefined || !this.#table.makeRoom(client)) {
      socket.destroy()
      return
    }
    const { gate } = this.#options
    const protocols = this.#https === undefined ? dotProtocols : httpsProtocols
    const stream = gate === undefined ? socket : gate.open(socket, protocols)
    const connection = this.#serve(stream, address)
    this.#table.add(connection, client)
    stream.on('close', () => this.#table.delete(connection))
  }

  #serve(stream: Socket | TLSSocket, address: string): TcpConnection | HttpsConnection {
    const { report, transfers } = this.#options
    const timeouts = this.#limits
    const isSecured = stream instanceof TLSSocket
    if (isSecured && this.#https !== undefined)
      return new HttpsConnection(stream, { exchange: this.#https, address, timeouts })
    const answer = this.#answer
    const batch = this.#batch
    const own = { isSecured, address, answer, report, batch, transfers, timeouts }
    return new TcpConnection(stream, own)
  }

  async #finish(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    // Two, so that a whole turn of the event loop reads what the kernel has already received.
    await nextImmediate()
    await nextImmediate()
    for (const connection of this.#table.connections()) connection.finish()
    return closed
  }
}

/** As `answer`, for clients over TLS, whose answers are encrypted. */
function overTls(answer: Answer, gate: TlsGate): Answer {
  const counted: Answer = (request, transport, buffer, address, later) => {
    const response = answer(request, transport, buffer, address, later, true)
    if (response instanceof Uint8Array) gate.countResponse()
    return response
  }
  return Object.assign(counted, { together: answer.together })
}
