// A plain dns2 server, as its documentation shows one: its sockets, its parser, its packets, and a Map of records.
// It shows what Zonewright would be without optimization, and supports neither wildcards nor delegations.
// Usage: dns2-server.ts PORT NAME-COUNT, on 127.0.0.1

import DNS, { type Packet, type Question, type Resource } from 'dns2'
import { origin, zoneRecords } from '../load/zone.ts'

const { TYPE, CLASS, RCODE } = DNS.Packet
const [, , port, nameCount] = process.argv

type Data = { readonly type: number } & Readonly<Record<string, unknown>>

const apex = origin.slice(0, -1)
const dataByName = new Map<string, Data[]>()
for (const { owner, type, rdata } of zoneRecords(Number(nameCount))) {
  const name = absolute(owner)
  const data = dataOf(type, rdata)
  const known = dataByName.get(name)
  if (known === undefined) dataByName.set(name, [data])
  else known.push(data)
}

const server = DNS.createServer({
  udp: true,
  tcp: true,
  handle: (request, send) => {
    const response = DNS.Packet.createResponseFromRequest(request)
    response.header.aa = 1
    const [question] = request.questions
    if (question !== undefined) answer(question, response)
    send(response)
  },
})
await server.listen({
  udp: { port: Number(port), address: '127.0.0.1' },
  tcp: { port: Number(port), address: '127.0.0.1' },
})

function answer({ name, type = TYPE.A }: Question, response: Packet): void {
  const known = dataByName.get(name)
  if (known === undefined) response.header.rcode = RCODE.NXDOMAIN
  const found = known?.filter(data => data.type === type || data.type === TYPE.CNAME) ?? []
  for (const data of found) put(response.answers, name, data)
  const [alias] = found
  if (alias?.type === TYPE.CNAME) {
    for (const data of dataByName.get(String(alias.domain)) ?? [])
      put(response.answers, String(alias.domain), data)
  }
  if (found.length === 0) {
    const soa = dataByName.get(apex)?.find(data => data.type === TYPE.SOA)
    if (soa !== undefined) put(response.authorities, apex, soa)
  }
}

function put(section: Resource[], name: string, data: Data): void {
  section.push({ name, class: CLASS.IN, ttl: 300, ...data } as unknown as Resource)
}

function dataOf(type: string, rdata: string): Data {
  const [first = '', second = ''] = rdata.split(' ')
  switch (type) {
    case 'A':
      return { type: TYPE.A, address: rdata }
    case 'MX':
      return { type: TYPE.MX, priority: Number(first), exchange: absolute(second) }
    case 'CNAME':
      return { type: TYPE.CNAME, domain: absolute(rdata) }
    case 'NS':
      return { type: TYPE.NS, ns: absolute(rdata) }
    case 'SOA':
      return soaData(rdata)
    default:
      throw new Error(`no data for ${type}`)
  }
}

function soaData(rdata: string): Data {
  const [primary = '', admin = '', ...numbers] = rdata.split(' ')
  const [serial, refresh, retry, expiration, minimum] = numbers.map(Number)
  const names = { primary: absolute(primary), admin: absolute(admin) }
  return { type: TYPE.SOA, ...names, serial, refresh, retry, expiration, minimum }
}

/** The absolute name as dns2 writes names: without the final dot. */
function absolute(name: string): string {
  return name === '@' ? apex : `${name}.${apex}`
}
