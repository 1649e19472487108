import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { decodeMessage, type ResourceRecord } from '../../src/dns/message.ts'
import type { Name } from '../../src/dns/name.ts'
import { FrameReader } from '../../src/transport/frames.ts'
import { soaNumbersIn } from '../../src/zone/soa.ts'
import { frame } from './tcp-client.ts'
import { recordsFromText, type TransferMessage, transferMessage } from './transfer.ts'

/** One query as a script sees it, and the ways to answer it. */
export type MasterTurn = {
  readonly id: number
  readonly zone: Name
  readonly type: number
  readonly hasEdns: boolean
  /** Of IXFR. */
  readonly serial: number | undefined
  /** Sends a message that is correct except for the given parts. */
  reply(message: Partial<TransferMessage> & { readonly records: readonly ResourceRecord[] }): void
  /** Sends octets as they are. */
  raw(octets: Uint8Array): void
  readonly socket: Socket
}

export type MasterScript = (turn: MasterTurn) => void

/** A primary that a test scripts. */
export class ScriptedMaster {
  /** Types asked for, in order. */
  readonly asked: number[] = []
  readonly #server: Server

  readonly #sockets: Set<Socket>

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server
    this.#sockets = sockets
  }

  static async start(t: Test, script: MasterScript, host = '127.0.0.1'): Promise<ScriptedMaster> {
    const sockets = new Set<Socket>()
    const server = createServer(socket => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      const frames = new FrameReader()
      socket.on('data', segment => {
        frames.push(segment)
        for (let query = frames.next(); query !== undefined; query = frames.next()) {
          const turn = turnOf(query, socket)
          master.asked.push(turn.type)
          script(turn)
        }
      })
    })
    const master = new ScriptedMaster(server, sockets)
    server.listen(0, host)
    await once(server, 'listening')
    t.teardown(() => master.stop())
    return master
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  get address(): { host: string; port: number } {
    const { address, port } = this.#server.address() as { address: string; port: number }
    return { host: address, port }
  }
}

/** Serves a zone given as text whose first line is its SOA. */
export function honestScript(apex: Name, text: string): MasterScript {
  const records = recordsFromText(apex, text)
  const soa = records.slice(0, 1)
  return turn => turn.reply({ records: turn.type === types.SOA ? soa : [...records, ...soa] })
}

function turnOf(query: Uint8Array, socket: Socket): MasterTurn {
  const { header, questions, authorities, edns } = decodeMessage(query)
  const [soa] = authorities
  const [question] = questions
  if (question === undefined) throw new Error('a query without a question')
  const { name: zone, type } = question
  return {
    id: header.id,
    zone,
    type,
    hasEdns: edns !== undefined,
    serial: soa && soaNumbersIn(soa.rdata).serial,
    reply: message =>
      socket.write(frame(transferMessage({ id: header.id, zone, type, ...message }))),
    raw: octets => socket.write(octets),
    socket,
  }
}
