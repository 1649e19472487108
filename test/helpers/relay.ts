import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'

// A TCP relay that cuts a connection before or after a piece of its data, holds pieces back, or passes
// nothing, as a partitioned network does.

export type Cut = {
  /** From the client to the server, or back. */
  readonly way: 'there' | 'back'
  /** Pieces that pass before it, counted per direction. */
  readonly after: number
  /** Whether the piece still passes. */
  readonly isBehind: boolean
}

const lateMs = 20

/** The treatment of a piece: as long as pieces end and begin with messages, one that comes twice is messages that do. */
export type Fate = 'passes' | 'is late' | 'comes twice'

/** A connection through the relay, and the data held back from it. */
type Line = { isHeld: boolean; readonly kept: (() => void)[] }

/** Which piece of a client is held back. */
type Hold = {
  readonly isIt: (piece: Buffer) => boolean
  readonly passing: (piece: Buffer) => number
  readonly held: (line: Line) => void
}

/** @param isWhole whether the piece is of whole messages */
type Disturb = (piece: Buffer, isWhole: boolean) => Fate

const lengthOctets = 4

/** Finds the messages of PostgreSQL's protocol in the pieces of one direction. */
class Messages {
  /** The first message of a client has no octet for its type. */
  #typeOctets: number
  /** Of a message whose length is not known yet. */
  #begun: Buffer = Buffer.alloc(0)
  #missing = 0

  constructor(from: 'client' | 'server') {
    this.#typeOctets = from === 'client' ? 0 : 1
  }

  /** Takes a piece; returns whether it is of whole messages. */
  take(piece: Buffer): boolean {
    const isAtBegin = this.#missing === 0 && this.#begun.length === 0
    let rest = Buffer.concat([this.#begun, piece])
    this.#begun = Buffer.alloc(0)
    while (rest.length > 0) {
      if (this.#missing === 0) {
        if (rest.length < this.#typeOctets + lengthOctets) {
          this.#begun = rest
          return false
        }
        this.#missing = this.#typeOctets + rest.readUInt32BE(this.#typeOctets)
        this.#typeOctets = 1
      }
      const count = Math.min(this.#missing, rest.length)
      this.#missing -= count
      rest = rest.subarray(count)
    }
    return isAtBegin && this.#missing === 0
  }
}

export class Relay {
  readonly #server: Server
  readonly #lines = new Set<Line>()
  #hold: Hold | undefined
  #isCutOff = false
  #fate: Disturb = () => 'passes'
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

  /** The URL of a server that is behind the relay. */
  urlOf(url: string): string {
    return Object.assign(new URL(url), { port: String(this.port) }).href
  }

  /** Whether the requested cut is still pending. */
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

  /** Holds back the first piece of a client that contains some octets, and everything after it in both directions.
   *  @param passing how many octets of the piece still pass */
  holdBack(octets: string, passing: Hold['passing'] = () => 0) {
    const { promise, resolve } = Promise.withResolvers<Line>()
    this.#hold = { isIt: piece => piece.includes(octets), passing, held: resolve }
    return {
      /** Resolves when a piece is held back. */
      held: promise.then(() => undefined),
      letGo: async () => letGo(await promise),
    }
  }

  /** Calls a function for the treatment of each piece from now on. Pieces behind a late one in either direction are late, too. */
  disturb(fate: Disturb): void {
    this.#fate = fate
  }

  /** From now on passes nothing: no pieces, no ends, no new connections. */
  cutOff(): void {
    this.#isCutOff = true
  }

  /** Passes the data held back, and everything from now on. */
  heal(): void {
    this.#isCutOff = false
    for (const line of this.#lines) letGo(line)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #relay(client: Socket, server: Socket): void {
    const line: Line = { isHeld: false, kept: [] }
    this.#lines.add(line)
    let first: Buffer | undefined
    const end = () => {
      client.destroy()
      server.destroy()
      this.#lines.delete(line)
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
      // The other end reads the data that passes before it sees the end.
      else {
        to.end(piece)
        const from = to === server ? client : server
        from.destroy()
      }
    }
    const whenLetGo = (act: () => void, piece: Buffer, messages: Messages) => {
      const fate = this.#fate(piece, messages.take(piece))
      if (fate === 'comes twice') line.kept.push(act)
      line.kept.push(act)
      if (line.isHeld || this.#isCutOff) return
      if (fate !== 'is late') return letGo(line)
      line.isHeld = true
      setTimeout(() => letGo(line), lateMs)
    }
    const [asked, answered] = [new Messages('client'), new Messages('server')]
    client.on('data', (piece: Buffer) => {
      first ??= piece
      const hold = this.#hold
      if (hold?.isIt(piece) !== true)
        return whenLetGo(() => pass('there', piece, server), piece, asked)
      this.#hold = undefined
      asked.take(piece)
      const count = hold.passing(piece)
      if (count > 0) server.write(piece.subarray(0, count))
      line.isHeld = true
      line.kept.push(() => pass('there', piece.subarray(count), server))
      hold.held(line)
    })
    server.on('data', (piece: Buffer) =>
      whenLetGo(() => pass('back', piece, client), piece, answered),
    )
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        if (this.#isCutOff || line.isHeld) line.kept.push(end)
        else end()
      })
    }
  }
}

function letGo(line: Line): void {
  line.isHeld = false
  for (const act of line.kept.splice(0)) act()
}
