import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'

// A TCP relay that cuts a connection in front of, or behind, a piece of what goes through it.

export type Cut = {
  /** From the client to the server, or back. */
  readonly way: 'there' | 'back'
  /** Pieces that pass before it; those of each way are counted apart. */
  readonly after: number
  /** Whether the piece still gets through. */
  readonly isBehind: boolean
}

export class Relay {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #cut: (Cut & { readonly of: (first: Buffer) => boolean }) | undefined
  #passed = { there: 0, back: 0 }

  private constructor(server: Server) {
    this.#server = server
  }

  /** Relays to a port of 127.0.0.1. */
  static async start(targetPort: number): Promise<Relay> {
    const server = createServer()
    const relay = new Relay(server)
    server.on('connection', client =>
      relay.#relay(client, createConnection(targetPort, '127.0.0.1')),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return relay
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  /** Whether the cut that was asked for is yet to come. */
  get isArmed(): boolean {
    return this.#cut !== undefined
  }

  /** Cuts once.
   *  @param of which connections count, by the first piece of their clients */
  arm(cut: Cut, of: (first: Buffer) => boolean): void {
    this.#passed = { there: 0, back: 0 }
    this.#cut = { ...cut, of }
  }

  disarm(): void {
    this.#cut = undefined
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #relay(client: Socket, server: Socket): void {
    let first: Buffer | undefined
    const end = () => {
      client.destroy()
      server.destroy()
    }
    const pass = (way: Cut['way'], piece: Buffer, to: Socket) => {
      const cut = this.#cut
      const counts = cut !== undefined && first !== undefined && cut.of(first)
      if (!counts || cut.way !== way || this.#passed[way] < cut.after) {
        if (counts) this.#passed[way] += 1
        to.write(piece)
        return
      }
      this.#cut = undefined
      if (!cut.isBehind) end()
      // What gets through is read by the other end before it hears of the end.
      else {
        to.end(piece)
        const from = to === server ? client : server
        from.destroy()
      }
    }
    client.on('data', piece => {
      first ??= piece as Buffer
      pass('there', piece as Buffer, server)
    })
    server.on('data', piece => pass('back', piece as Buffer, client))
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        end()
      })
    }
  }
}
