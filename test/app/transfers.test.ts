import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { OutgoingZones } from '../../src/app/transfers.ts'
import { parseName } from '../../src/dns/name.ts'
import type { HandedRequest } from '../../src/transport/answer.ts'
import { FrameReader } from '../../src/transport/frames.ts'
import type { TransferOffer } from '../../src/transport/transfers.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

const { app, admin } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
const { host, port } = app.dns[0] as { host: string; port: number }
const attributes = { allow_transfer: '127.0.0.1' }
const names = 400
const soa =
  '@ 60 SOA ns1.example.net. host.example.net. 1 3600 600 86400 60\n@ 60 NS ns1.zonewright.example.'
await admin.post('/v2/zones', { name: 'closed.example.', email: 'a@example.com' })

async function open(): Promise<Socket> {
  const socket = connect({ host, port })
  await once(socket, 'connect')
  return socket
}

function ask(socket: Socket, question: string): void {
  const query = queryFor(question)
  socket.write(Buffer.concat([Buffer.from([query.length >> 8, query.length & 255]), query]))
}

/** Reads messages until the SOA has come again, or one with an error. */
async function readZone(socket: Socket): Promise<readonly string[]> {
  const frames = new FrameReader()
  const records: string[] = []
  for await (const segment of socket) {
    frames.push(segment as Uint8Array)
    for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
      const { rcode, answer } = replyFrom(new Uint8Array(frame))
      if (rcode !== 'NOERROR') return [rcode]
      records.push(...answer)
      if (records.length > 1 && records[0] === records.at(-1)) return records
    }
  }
  throw new Error('closed before the end')
}

async function axfr(question = 'big.example. AXFR'): Promise<readonly string[]> {
  const socket = await open()
  ask(socket, question)
  try {
    return await readZone(socket)
  } finally {
    socket.destroy()
  }
}

t.test('a zone that is closed is REFUSED, and so are all before there is a store', async t => {
  t.strictSame(await axfr('closed.example. AXFR'), ['REFUSED'])
  const wanted = { zone: 'big.example.', serial: undefined, keyId: undefined, address: '' }
  t.match(await new OutgoingZones().offer(undefined, wanted), { kind: 'refused' })
})

t.test('each of many transfers at once, while the zone changes, is of one version', async t => {
  const text = Array.from({ length: names }, (_, i) => `n${i} 60 A 192.0.2.${i % 250}`).join('\n')
  const { body } = await admin.call('POST', '/v2/zones/tasks/imports', {
    headers: { 'content-type': 'text/dns' },
    body: `$ORIGIN big.example.\n${soa}\n${text}\n`,
  })
  await until(
    async () => (await admin.get(`/v2/zones/tasks/imports/${body.id}`)).body.status,
    status => status !== 'PENDING',
  )
  await admin.patch('/v2/zones/big.example.', { attributes })
  const transfers = Array.from({ length: 50 }, () => axfr())
  for (let i = 0; i < 50; i += 1) {
    // Each change adds a name, and the serial counts the changes.
    const name = `changed${i}`
    await admin.post('/v2/zones/big.example./recordsets', {
      name,
      type: 'A',
      records: ['192.0.2.1'],
    })
  }
  const sizes = new Map<string, number>()
  for (const records of await Promise.all([...transfers, axfr()])) {
    const serial = records[0]?.split(' ')[5] ?? ''
    t.equal(new Set(records).size, records.length - 1)
    t.equal(sizes.get(serial) ?? records.length, records.length)
    sizes.set(serial, records.length)
  }
  t.equal(Math.max(...sizes.values()), names + 50 + 3)
})

t.test('queries on the same connection wait for the transfer, and are answered', async t => {
  const socket = await open()
  ask(socket, 'big.example. AXFR')
  ask(socket, 'n7.big.example. A')
  const frames = new FrameReader()
  const answers: string[] = []
  for await (const segment of socket) {
    frames.push(segment as Uint8Array)
    for (let frame = frames.next(); frame !== undefined; frame = frames.next())
      answers.push(replyFrom(new Uint8Array(frame)).question)
    if (answers.at(-1) === 'n7.big.example. A') break
  }
  t.ok(answers.length > 1)
})

t.test('IXFR over UDP of one project leaves room for that of others', async t => {
  const { promise, resolve } = Promise.withResolvers<TransferOffer>()
  const offered: string[] = []
  const offer: OutgoingZones['offer'] = (_zones, { zone, isSoaEnough }) => {
    if (!isSoaEnough) offered.push(zone)
    return promise
  }
  const outgoing = Object.assign(new OutgoingZones(), { offer })
  const list = (_rows: string, index: string, name: string) => {
    const projectId = name === 'quiet.example.' ? 'quiet' : 'loud'
    // Another pool has zones of all these names.
    const all = ['other', projectId].map(owner => ({ projectId: owner, poolId: owner }))
    return index === 'byLowerName' ? all : []
  }
  const zones = {}
  const zonesOf = (poolId: string) => (poolId === 'other' ? undefined : zones)
  const parts = { store: { list }, zonesOf }
  outgoing.begin(parts as unknown as Parameters<OutgoingZones['begin']>[0])
  const answered: number[] = []
  const ask = (name: string) => {
    const octets = queryFor(`${name} IXFR`)
    const handed = { apex: parseName(name), serial: 1, keyId: undefined, address: '192.0.2.1' }
    const respond = () => void answered.push(octets.length)
    return outgoing.answerDatagram(zones, { ...handed, octets } as HandedRequest, respond)
  }
  const asked = Array.from({ length: 200 }, (_, i) => ask(`${i % 8}.loud.example.`))
  asked.push(ask('quiet.example.'))
  t.equal(offered.length, 26)
  t.equal(offered.at(-1), 'quiet.example.')
  resolve({ kind: 'refused', rcode: 5 })
  await Promise.all(asked)
  t.equal(answered.length, 201)
})
