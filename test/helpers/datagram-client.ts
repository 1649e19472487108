import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

type Endpoint = { readonly host: string; readonly port: number }

/** A client of one server, which receives from no other address. */
export class DatagramClient {
  readonly #socket: Socket
  readonly #received: string[] = []
  #onReceived: () => void = () => undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', message => {
      this.#received.push(message.toString('latin1'))
      this.#onReceived()
    })
  }

  static async connect({ host, port }: Endpoint): Promise<DatagramClient> {
    const type = isIPv6(host) ? 'udp6' : 'udp4'
    const socket = createSocket({ type, recvBufferSize: 4 << 20 })
    socket.connect(port, host)
    await once(socket, 'connect')
    return new DatagramClient(socket)
  }

  /** Resolves when the kernel has accepted the datagram, which on the loopback interface also delivers it. */
  send(request: string | Uint8Array): Promise<void> {
    const octets = typeof request === 'string' ? Buffer.from(request, 'latin1') : request
    return new Promise((resolve, reject) => {
      this.#socket.send(octets, error => (error === null ? resolve() : reject(error)))
    })
  }

  /** Resolves with the next `count` responses, one char an octet. */
  async receive(count: number): Promise<string[]> {
    while (this.#received.length < count) {
      await new Promise<void>(resolve => {
        this.#onReceived = resolve
      })
    }
    return this.#received.splice(0, count)
  }

  async ask(request: string | Uint8Array): Promise<string> {
    await this.send(request)
    const [response = ''] = await this.receive(1)
    return response
  }

  close(): void {
    this.#socket.close()
  }
}
