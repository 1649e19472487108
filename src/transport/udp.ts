import type { RemoteInfo } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { UDPServer } from 'dns2'
import { maxMessageOctets } from '../dns/message.ts'
import type { Answer, ListenAddress, Report, Respond } from './answer.ts'

// One datagram in, at most one out. dns2's server is the socket; its parser never sees the datagrams (one
// hostile datagram costs it seconds), because `handle` receives the raw octets.

/** Maximum answers that the kernel has not taken yet. Beyond this a socket cannot catch up, and a lost answer is
 *  requested again while a late one only delays others. */
const maxPendingSends = 1024
const receiveBufferOctets = 1 << 20

export type UdpListenerOptions = {
  readonly address: ListenAddress
  readonly answer: Answer
  readonly report: Report
}

/** Counts since the socket was opened. */
export type UdpCounters = {
  readonly receivedCount: number
  readonly sentCount: number
  /** Answers that the kernel refused or that were dropped because it was behind. */
  readonly unsentCount: number
}

/** One UDP socket that answers from the event loop. */
export class UdpListener {
  readonly #server: AnsweringServer

  private constructor(server: AnsweringServer) {
    this.#server = server
  }

  /** @throws NodeJS.ErrnoException the address cannot be bound. */
  static async open(options: UdpListenerOptions): Promise<UdpListener> {
    const { host, port } = options.address
    const server = new AnsweringServer(options)
    await new Promise<void>((resolve, reject) => {
      server.once('error', error => server.close(() => reject(error)))
      // Not dns2's listen(), which never settles when the port is taken.
      server.bind({ address: host, port }, resolve)
    })
    server.removeAllListeners('error').on('error', options.report)
    return new UdpListener(server)
  }

  /** The bound address, with the real port. */
  get address(): ListenAddress {
    const { address, port } = this.#server.address()
    return { host: address, port }
  }

  get counters(): UdpCounters {
    return this.#server.counters
  }

  /** Stops at once: answers are sent as soon as they are made, so there is nothing to wait for. Idempotent. */
  close(): Promise<void> {
    return this.#server.closeOnce()
  }
}

class AnsweringServer extends UDPServer {
  readonly #answer: Answer
  readonly #report: Report
  readonly #buffer = Buffer.alloc(maxMessageOctets)
  readonly #onSent: (error: Error | null) => void
  #receivedCount = 0
  #sentCount = 0
  #unsentCount = 0
  #pendingCount = 0
  #closed: Promise<void> | undefined

  constructor({ address, answer, report }: UdpListenerOptions) {
    super({ type: socketOptions(address.host) })
    this.#answer = answer
    this.#report = report
    this.#onSent = error => {
      this.#pendingCount -= 1
      // Any client can choose the destination, so a refused send is counted, not reported.
      if (error === null) this.#sentCount += 1
      else this.#unsentCount += 1
    }
  }

  get counters(): UdpCounters {
    return {
      receivedCount: this.#receivedCount,
      sentCount: this.#sentCount,
      unsentCount: this.#unsentCount,
    }
  }

  /** dns2 calls this with each raw datagram. */
  override handle(data: Buffer, from: RemoteInfo): void {
    this.#receivedCount += 1
    // A forged source port 0 cannot be answered; dgram would throw.
    if (from.port === 0) return
    try {
      const later = (): Respond => response => {
        if (response !== undefined) this.#send(response, from)
      }
      const response = this.#answer(data, 'udp', this.#buffer, from.address, later)
      if (response instanceof Uint8Array) this.#send(response, from)
    } catch (error) {
      this.#report(error)
    }
  }

  closeOnce(): Promise<void> {
    this.#closed ??= new Promise(resolve => this.close(resolve))
    return this.#closed
  }

  #send(response: Uint8Array, to: RemoteInfo): void {
    if (this.#pendingCount >= maxPendingSends || this.#closed !== undefined) {
      this.#unsentCount += 1
      return
    }
    this.#pendingCount += 1
    // dgram sends on a later tick and holds the octets until the kernel takes them, so the shared buffer is
    // copied. Lending out a pool of buffers instead measured the same.
    this.send(Buffer.from(response), to.port, to.address, this.#onSent)
  }
}

/** dns2 declares only the type's name, but passes the value on to dgram, which accepts options there and throws on
 *  unknown values. IPv6 sockets do not take IPv4, so that both families can be configured on the same port. */
function socketOptions(host: string): 'udp4' | 'udp6' {
  const options = isIPv6(host)
    ? { type: 'udp6', ipv6Only: true, recvBufferSize: receiveBufferOctets }
    : { type: 'udp4', recvBufferSize: receiveBufferOctets }
  return options as unknown as 'udp4' | 'udp6'
}
