import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely, type TLSSocket } from 'node:tls'
import type { ListenAddress } from '../../src/transport/answer.ts'

/** Puts a message behind its length. */
export function frame(message: Uint8Array | string): Buffer {
  const octets = Buffer.from(message)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(octets.length)
  return Buffer.concat([length, octets])
}

/** A bare client over TCP or TLS: the test decides what it sends; what it receives is split into messages in the simplest
 *  way. */
export class TcpClient {
  readonly socket: Socket
  /** What carries it: itself in the clear. */
  readonly below: Socket
  /** Resolves when the connection is closed, for whatever reason. */
  readonly closed: Promise<void>
  #received = Buffer.alloc(0)
  #wake: () => void = () => undefined
  #isOver = false

  private constructor(socket: Socket, below = socket) {
    this.socket = socket
    this.below = below
    socket.setNoDelay(true)
    socket.on('data', octets => {
      this.#received = Buffer.concat([this.#received, octets])
      this.#wake()
    })
    const over = (): void => {
      this.#isOver = true
      this.#wake()
    }
    socket.on('end', over)
    socket.on('error', over)
    this.closed = new Promise(resolve => socket.on('close', () => resolve()))
  }

  /** @param from the client's own address, where that matters */
  static async connect({ host, port }: ListenAddress, from?: string): Promise<TcpClient> {
    const own = from === undefined ? {} : { localAddress: from }
    const socket = connect({ host, port, allowHalfOpen: true, ...own })
    await once(socket, 'connect')
    return new TcpClient(socket)
  }

  /** Over TLS; the certificate's name is not verified unless the options ask for it.
   *  @throws Error the handshake failed. */
  static async connectSecurely(
    { host, port }: ListenAddress,
    options: ConnectionOptions = {},
  ): Promise<TcpClient & { readonly socket: TLSSocket }> {
    const below = connect({ host, port, allowHalfOpen: true })
    const socket = connectSecurely({ socket: below, rejectUnauthorized: false, ...options })
    const client = new TcpClient(socket, below)
    await once(socket, 'secureConnect')
    return client as TcpClient & { readonly socket: TLSSocket }
  }

  /** Writes and waits until the kernel has the octets. */
  write(octets: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.write(octets, error => (error ? reject(error) : resolve()))
    })
  }

  /** Returns the next message, or undefined when the server has closed. */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      const message = this.#take()
      if (message !== undefined || this.#isOver) return message
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  async ask(message: Uint8Array | string): Promise<string | undefined> {
    await this.write(frame(message))
    return (await this.read())?.toString()
  }

  #take(): Buffer | undefined {
    if (this.#received.length < 2) return undefined
    const end = 2 + this.#received.readUInt16BE(0)
    if (this.#received.length < end) return undefined
    const message = this.#received.subarray(2, end)
    this.#received = this.#received.subarray(end)
    return message
  }
}
