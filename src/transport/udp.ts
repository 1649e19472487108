import type { RemoteInfo } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { UDPServer } from 'dns2'
import { maxMessageOctets } from '../dns/message.ts'
import type { Answer, ListenAddress, Report, Respond } from './answer.ts'

// One datagram in, at most one out. dns2's server is the socket; its parser, which one hostile datagram costs seconds, is
// taken off.

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
  readonly #server: UDPServer
  readonly #answer: Answer
  readonly #report: Report
  readonly #buffer = Buffer.alloc(maxMessageOctets)
  readonly #counters = { receivedCount: 0, sentCount: 0, unsentCount: 0 }
  #pendingCount = 0
  #closed: Promise<void> | undefined

  private constructor({ address, answer, report }: UdpListenerOptions) {
    this.#answer = answer
    this.#report = report
    this.#server = new UDPServer({ type: socketOptions(address.host) })
    this.#server
      .removeAllListeners('message')
      .on('message', (data, from) => this.#handle(data, from))
  }

  /** @throws NodeJS.ErrnoException the address cannot be bound. */
  static async open(options: UdpListenerOptions): Promise<UdpListener> {
    const { host, port } = options.address
    const listener = new UdpListener(options)
    const server = listener.#server
    await new Promise<void>((resolve, reject) => {
      server.once('error', error => server.close(() => reject(error)))
      // Not dns2's listen(), which never settles when the port is taken.
      server.bind({ address: host, port }, resolve)
    })
    server.removeAllListeners('error').on('error', options.report)
    return listener
  }

  /** The bound address, with the real port. */
  get address(): ListenAddress {
    const { address, port } = this.#server.address()
    return { host: address, port }
  }

  get counters(): UdpCounters {
    return this.#counters
  }

  /** Stops at once: answers are sent as soon as they are made, so there is nothing to wait for. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= new Promise(resolve => this.#server.close(resolve))
    return this.#closed
  }

  #handle(data: Buffer, from: RemoteInfo): void {
    this.#counters.receivedCount += 1
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

  readonly #onSent = (error: Error | null): void => {
    this.#pendingCount -= 1
    // Any client can choose the destination, so a refused send is counted, not reported.
    if (error === null) this.#counters.sentCount += 1
    else this.#counters.unsentCount += 1
  }

  #send(response: Uint8Array, to: RemoteInfo): void {
    if (this.#pendingCount >= maxPendingSends || this.#closed !== undefined) {
      this.#counters.unsentCount += 1
      return
    }
    this.#pendingCount += 1
    // dgram sends on a later tick and holds the octets until the kernel takes them, so the shared buffer is
    // copied. Lending out a pool of buffers instead measured the same.
    this.#server.send(Buffer.from(response), to.port, to.address, this.#onSent)
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
