import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { types } from '../../src/dns/codes.ts'
import { decodeMessage, encodeQuery, type Message } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import type { Endpoint } from './appliance.ts'

/** UDP loses datagrams when a machine is busy, so a query is sent again as a resolver would. */
const retryMs = 2_000

/** Sends one query over UDP until it is answered, and returns the decoded response. */
export async function queryUdp(
  { host, port }: Endpoint,
  question: { readonly name: string; readonly type: number },
): Promise<Message> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const query = encodeQuery({ id: 1, name: parseName(question.name), type: question.type })
  socket.connect(port, host)
  await once(socket, 'connect')
  const retry = setInterval(() => socket.send(query), retryMs)
  try {
    const answered = once(socket, 'message')
    socket.send(query)
    const [octets] = await answered
    return decodeMessage(octets as Uint8Array)
  } finally {
    clearInterval(retry)
    socket.close()
  }
}

/** The A records of a name as the server answers them, in presentation form; empty if it has none. */
export async function queryAddresses(server: Endpoint, name: string): Promise<string[]> {
  const { answers } = await queryUdp(server, { name, type: types.A })
  return answers.map(({ type, rdata }) => formatRdata(type, rdata))
}
