import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { hostname } from 'node:os'
import t from 'tap'
import { opcodes, types } from '../../src/dns/codes.ts'
import { opcodeOf } from '../../src/dns/header.ts'
import { decodeMessage } from '../../src/dns/message.ts'
import { formatName } from '../../src/dns/name.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import { soaNumbersIn } from '../../src/zone/soa.ts'
import { Appliance } from '../helpers/appliance.ts'
import { queryUdp } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// The operator's part of the older API on a whole server: name servers, and the enabled extensions.

type Named = { readonly id: string; readonly name: string }

const all = { ZONEWRIGHT_EXTENSIONS_V1: 'quotas,touch,sync,reports,diagnostics' }

async function apexNs(server: Appliance, name: string): Promise<readonly string[]> {
  const { answers } = await queryUdp(server.endpoint(), { name, type: types.NS })
  return answers.map(({ type, rdata }) => formatRdata(type, rdata)).sort()
}

async function servedSerial(server: Appliance, name: string): Promise<number> {
  const { answers } = await queryUdp(server.endpoint(), { name, type: types.SOA })
  const [soa] = answers
  if (soa === undefined) throw new Error(`${name} is not served`)
  return soaNumbersIn(soa.rdata).serial
}

const draft = { name: 'operated.example.', email: 'ops@example.net' }

t.test('name servers of every zone, with ids that outlive a kill', async t => {
  const dataDirectory = serverFolder(t)
  const first = await Appliance.start({ dataDirectory })
  t.teardown(() => first.kill())
  await first.json('POST', '/v1/domains', draft)
  const made = await first.json<Named>('POST', '/servers', { name: 'a.ns.example.' })
  const [old] = await first.json<Named[]>('GET', '/servers')
  t.same(await apexNs(first, draft.name), ['a.ns.example.', old?.name])
  await first.json('PUT', `/v1/servers/${made.id}`, { name: 'b.ns.example.' })
  t.equal((await first.request('DELETE', `/servers/${old?.id}`)).status, 200)
  t.same(await apexNs(first, draft.name), ['b.ns.example.'])
  const before = await first.json('GET', '/v1/servers')
  await first.kill()
  const second = await Appliance.start({ dataDirectory })
  t.teardown(() => second.kill())
  t.same(await second.json('GET', '/v1/servers'), before)
  t.match(before, [{ id: made.id, name: 'b.ns.example.' }])
  t.same(await apexNs(second, draft.name), ['b.ns.example.'])
})

const server = await Appliance.start({ dataDirectory: serverFolder(t), environment: all })
t.teardown(() => server.kill())

t.test('touch is answered by DNS, and a ping goes through it', async t => {
  const domain = await server.json<Named & { serial: number }>('POST', '/v1/domains', draft)
  t.equal((await server.request('POST', `/v1/domains/${domain.id}/touch`)).status, 200)
  t.equal(await servedSerial(server, draft.name), domain.serial + 1)
  for (const topic of ['central', 'dns', 'store']) {
    const path = `/v1/diagnostics/ping/${topic}/${hostname()}`
    t.match(await server.json('GET', path), {
      host: hostname(),
      status: true,
      backend: { status: true, rtt: /^\d+\.\d{6}$/ },
      storage: { status: true },
    })
  }
  const counts = await server.json('GET', '/v1/reports/counts')
  t.same(counts, { tenants: 1, domains: 1, records: 2 })
  await server.request('DELETE', `/v1/domains/${domain.id}`)
})

t.test('sync tells the servers elsewhere, without a new serial', async t => {
  const elsewhere = createSocket('udp4')
  elsewhere.bind(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  t.teardown(() => elsewhere.close())
  const domain = await server.json<Named>('POST', '/v1/domains', draft)
  const serial = await servedSerial(server, draft.name)
  const { pools } = await server.json<{ pools: readonly Named[] }>('GET', '/v2/pools')
  const told = notified(elsewhere)
  const attributes = { also_notify: `127.0.0.1:${elsewhere.address().port}` }
  await server.json('PATCH', `/v2/pools/${pools[0]?.id}`, { attributes })
  t.equal(await told, draft.name, 'a server that is new to the pool is notified anyway')
  for (const path of ['/v1/domains/sync', `/domains/${domain.id}/sync`]) {
    const toldAgain = notified(elsewhere)
    t.equal((await server.request('POST', path)).status, 200)
    t.equal(await toldAgain, draft.name, path)
  }
  t.equal(await servedSerial(server, draft.name), serial)
})

/** Waits for a NOTIFY, acknowledges it, and returns what zone it is of. */
async function notified(socket: ReturnType<typeof createSocket>): Promise<string> {
  const [octets, peer] = (await once(socket, 'message')) as [Buffer, { port: number }]
  const message = decodeMessage(octets)
  if (opcodeOf(message.header.flags) !== opcodes.notify) throw new Error('no NOTIFY')
  // QR: the same message as an answer (RFC 1996 section 4.7).
  const answer = Buffer.from(octets)
  answer.writeUInt8(answer.readUInt8(2) | 0x80, 2)
  socket.send(answer, peer.port, '127.0.0.1')
  const [question] = message.questions
  return question === undefined ? '' : formatName(question.name)
}
