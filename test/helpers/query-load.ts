import { rcodeOf } from '../../src/dns/header.ts'
import type { Endpoint } from './appliance.ts'
import { DatagramClient } from './datagram-client.ts'
import { frame, TcpClient } from './tcp-client.ts'

/** Queries in flight at a time: few enough that no buffer overflows. */
const windowSize = 64

/** The responses received: counts by rcode, and octets. */
export type Answered = { readonly rcodes: Map<number, number>; octets: number }

/** Sends queries over UDP and waits for an answer to each of them. */
export async function askOverUdp(
  server: Endpoint,
  queries: readonly Uint8Array[],
): Promise<Answered> {
  const client = await DatagramClient.connect(server)
  const answered: Answered = { rcodes: new Map(), octets: 0 }
  for (let from = 0; from < queries.length; from += windowSize) {
    const window = queries.slice(from, from + windowSize)
    await Promise.all(window.map(query => client.send(query)))
    for (const response of await client.receive(window.length))
      count(answered, Buffer.from(response, 'latin1'))
  }
  client.close()
  return answered
}

/** Sends queries over one TCP connection, many at a time, and waits for an answer to each of them. */
export async function askOverTcp(
  server: Endpoint,
  queries: readonly Uint8Array[],
): Promise<Answered> {
  const client = await TcpClient.connect(server)
  const answered: Answered = { rcodes: new Map(), octets: 0 }
  for (let from = 0; from < queries.length; from += windowSize) {
    const window = queries.slice(from, from + windowSize)
    await client.write(Buffer.concat(window.map(query => frame(query))))
    for (let i = 0; i < window.length; i += 1) {
      const response = await client.read()
      if (response === undefined) throw new Error('the server closed the connection')
      count(answered, response)
    }
  }
  client.socket.destroy()
  return answered
}

function count(answered: Answered, response: Buffer): void {
  const rcode = rcodeOf(response.readUInt16BE(2))
  answered.rcodes.set(rcode, (answered.rcodes.get(rcode) ?? 0) + 1)
  answered.octets += response.length
}
