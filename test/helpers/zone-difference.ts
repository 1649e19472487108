import { types } from '../../src/dns/codes.ts'
import { decodeMessage, encodeMessage } from '../../src/dns/message.ts'
import type { ListenAddress } from '../../src/transport/answer.ts'
import { queryFor, replyFrom } from './ask.ts'
import { frame, TcpClient } from './tcp-client.ts'

// The client of AXFR and IXFR as text: a record a line.

const isSoa = (line = '') => line.split(' ')[2] === 'SOA'
const serialOf = (soa = '') => Number(soa.split(' ')[5])

/** A request for IXFR from a serial, or for AXFR. */
export function transferQuery(apex: string, serial?: number): Uint8Array {
  if (serial === undefined) return queryFor(`${apex} AXFR`)
  const message = decodeMessage(queryFor(`${apex} IXFR`))
  const rdata = Buffer.alloc(22)
  rdata.writeUInt32BE(serial, 2)
  const owner = message.questions[0]?.name ?? ('' as never)
  const authorities = [{ owner, type: types.SOA, class: 1, ttlSeconds: 0, rdata }]
  return encodeMessage({ ...message, authorities })
}

/** Asks for a zone, and returns all records of the response as they came; for an error, its rcode. */
export async function transferFrom(
  server: ListenAddress,
  apex: string,
  serial?: number,
  from?: string,
): Promise<readonly string[]> {
  const client = await TcpClient.connect(server, from)
  await client.write(frame(transferQuery(apex, serial)))
  const records: string[] = []
  try {
    do {
      const { rcode, answer } = replyFrom((await client.read()) ?? Buffer.alloc(0))
      if (rcode !== 'NOERROR') return [rcode]
      records.push(...answer)
    } while (!isWhole(records, serial))
    return records
  } finally {
    client.socket.destroy()
  }
}

/** What kind of response to IXFR records are (RFC 1995 section 4). */
export function kindOf(records: readonly string[]): 'current' | 'zone' | 'difference' {
  if (records.length === 1) return 'current'
  return isSoa(records[1]) && records[1] !== records[0] ? 'difference' : 'zone'
}

/** The version that a response brings. */
export function toSerial([soa]: readonly string[]): number {
  return serialOf(soa)
}

/** The zone that a client has after a response, sorted, each record once. As strict as a client may be. */
export function afterTransfer(
  before: readonly string[],
  response: readonly string[],
): readonly string[] {
  const kind = kindOf(response)
  if (kind === 'current') return before
  if (kind === 'zone') return response.slice(1).toSorted()
  const records = new Set(before)
  let isAdding = true
  for (const line of response.slice(1, -1)) {
    if (isSoa(line)) isAdding = !isAdding
    const isKnown = records.has(line)
    if (isKnown === isAdding) throw new Error(`${line} ${isAdding ? 'is there' : 'is missing'}`)
    if (isAdding) records.add(line)
    else records.delete(line)
  }
  return [...records].toSorted()
}

function isWhole(records: readonly string[], serial: number | undefined): boolean {
  const [first] = records
  const count = records.filter(line => line === first).length
  if (serial !== undefined && kindOf(records) === 'difference') return count === 3
  return count === 2 || (serial !== undefined && records.length === 1 && serialOf(first) <= serial)
}
