import t, { type Test } from 'tap'
import { replyFrom } from '../helpers/ask.ts'
import { DatagramClient } from '../helpers/datagram-client.ts'
import { Dice } from '../helpers/dice.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'
import {
  afterTransfer,
  kindOf,
  toSerial,
  transferFrom,
  transferQuery,
} from '../helpers/zone-difference.ts'

const dataDirectory = serverFolder(t)
let { app, admin } = await startWholeServer(t, { dataDirectory })
let server = app.dns[0] as { host: string; port: number }

/** What IXFR over UDP is answered with; an rcode where that is one. */
async function datagramFrom(apex: string, serial: number): Promise<readonly string[]> {
  const client = await DatagramClient.connect(server)
  try {
    const response = Buffer.from(await client.ask(transferQuery(apex, serial)), 'latin1')
    const { rcode, answer } = replyFrom(response)
    return rcode === 'NOERROR' ? answer : [rcode]
  } finally {
    client.close()
  }
}

/** A zone that others may have, with some names. */
async function newZone(name: string, nameCount: number): Promise<string> {
  const attributes = { allow_transfer: '127.0.0.1' }
  const { body } = await admin.post('/v2/zones', { name, email: 'a@example.com', attributes })
  const create = Array.from({ length: nameCount }, (_, i) => ({
    name: `n${i}.${name}`,
    type: 'A',
    records: [`192.0.2.${i % 250}`],
  }))
  const { status } = await admin.post(`/v2/zones/${body.id}/changes`, { create })
  t.equal(status, 200)
  return body.id
}

/** Changes a zone at random, and holds each version that becomes the present one against that. */
async function follow(t: Test, apex: string, id: string): Promise<void> {
  const dice = new Dice(1995)
  const versions = [await transferFrom(server, apex)]
  const names = Array.from({ length: 30 }, (_, i) => `r${i}.${apex}`)
  for (let round = 0; round < 60; round += 1) {
    const name = dice.pick(names)
    const { body } = await admin.get(`/v2/zones/${id}/recordsets?name=${name}`)
    const [known] = body.recordsets as { id: string }[]
    const records = Array.from(new Set([dice.below(4), dice.below(4)]), n => `198.51.100.${n}`)
    const path = `/v2/zones/${id}/recordsets`
    if (known === undefined) await admin.post(path, { name, type: 'A', records })
    else if (dice.below(3) === 0) await admin.delete(`${path}/${known.id}`)
    else await admin.put(`${path}/${known.id}`, { records, ttl: 60 + dice.below(2) })
    versions.push(await transferFrom(server, apex))
  }
  const present = afterTransfer([], versions.at(-1) ?? [])
  const kinds = new Set<string>()
  for (const version of versions) {
    const response = await transferFrom(server, apex, toSerial(version))
    kinds.add(kindOf(response))
    t.same(afterTransfer(afterTransfer([], version), response), present)
  }
  t.same([...kinds].toSorted(), ['current', 'difference'])
}

t.test('each earlier version becomes the present one by its difference', async t => {
  const apex = 'random.example.'
  await follow(t, apex, await newZone(apex, 200))
})

t.test(
  'so does each of a zone that is signed here, and without signatures all is sent',
  async t => {
    const apex = 'signed.example.'
    const id = await newZone(apex, 200)
    const unsigned = await transferFrom(server, apex)
    await admin.put(`/v2/zones/${id}/dnssec`, {})
    await until(
      () => admin.get(`/v2/zones/${id}/dnssec`),
      ({ body }) => body.status === 'SIGNED',
    )
    t.equal(kindOf(await transferFrom(server, apex, toSerial(unsigned))), 'zone')
    // It runs every minute, and its first run changes the zone.
    await app.runJob('roll-keys')
    await follow(t, apex, id)
    const signed = await transferFrom(server, apex)
    t.match(signed.join('\n'), /RRSIG/)
    await admin.delete(`/v2/zones/${id}/dnssec?force=true`)
    const zone = await transferFrom(server, apex, toSerial(signed))
    t.equal(kindOf(zone), 'zone')
    t.notMatch(zone.join('\n'), /RRSIG/)
  },
)

t.test('who has this version, or a later one, gets the SOA alone', async t => {
  const apex = 'current.example.'
  await newZone(apex, 1)
  const zone = await transferFrom(server, apex)
  const serial = toSerial(zone)
  t.same(await transferFrom(server, apex, serial), [zone[0]])
  t.same(await transferFrom(server, apex, serial + 5), [zone[0]])
  t.equal(kindOf(await transferFrom(server, apex, 1)), 'zone', 'of a version that never was: all')
})

t.test(
  'a zone with another TTL for all, or that has changed more than it holds, is sent whole',
  async t => {
    const apex = 'ttl.example.'
    const id = await newZone(apex, 20)
    const before = await transferFrom(server, apex)
    await admin.patch(`/v2/zones/${id}`, { ttl: 77 })
    t.equal(kindOf(await transferFrom(server, apex, toSerial(before))), 'zone')
    const later = await transferFrom(server, apex)
    const keys = Array.from({ length: 20 }, (_, i) => ({ name: `n${i}.${apex}`, type: 'A' }))
    t.equal((await admin.post(`/v2/zones/${id}/changes`, { delete: keys })).status, 200)
    const response = await transferFrom(server, apex, toSerial(later))
    t.equal(kindOf(response), 'zone')
    t.equal(response.length, 3)
  },
)

t.test(
  'a zone that was deleted and made again has no differences with its former life',
  async t => {
    const apex = 'again.example.'
    const id = await newZone(apex, 20)
    const before = await transferFrom(server, apex)
    await admin.delete(`/v2/zones/${id}`)
    await newZone(apex, 3)
    const response = await transferFrom(server, apex, toSerial(before))
    t.not(kindOf(response), 'difference')
  },
)

t.test('over UDP a difference that fits is one message, and the SOA stands for more', async t => {
  const apex = 'datagram.example.'
  const id = await newZone(apex, 3)
  const serial = toSerial(await transferFrom(server, apex))
  const [earlier] = await datagramFrom(apex, serial - 1)
  t.match(earlier, / SOA /)
  await admin.post(`/v2/zones/${id}/recordsets`, { name: 'new', type: 'A', records: ['192.0.2.9'] })
  const difference = await transferFrom(server, apex, serial)
  t.equal(kindOf(difference), 'difference')
  t.same(await datagramFrom(apex, serial), difference)
  t.same(await datagramFrom(apex, serial + 1), difference.slice(0, 1))
  const client = await DatagramClient.connect(server)
  for (let i = 0; i < 100; i += 1) await client.send(transferQuery(apex, serial))
  for (const response of await client.receive(100)) {
    const { answer } = replyFrom(Buffer.from(response, 'latin1'))
    t.same(answer, answer.length === 1 ? difference.slice(0, 1) : difference, 'however many ask')
  }
  client.close()
  const create = Array.from({ length: 100 }, (_, i) => ({
    name: `later${i}.${apex}`,
    type: 'TXT',
    records: [`"${'x'.repeat(30)}"`],
  }))
  await admin.post(`/v2/zones/${id}/changes`, { create })
  const [soa] = await transferFrom(server, apex, serial)
  t.same(await datagramFrom(apex, serial), [soa])
  await admin.patch(`/v2/zones/${id}`, { attributes: { allow_transfer: '' } })
  t.same(await datagramFrom(apex, serial), ['REFUSED'])
})

t.test('after a restart the differences are there as before', async t => {
  const apex = 'random.example.'
  const { body } = await admin.get(`/v2/zones?name=${apex}`)
  const serial = (body.zones as { serial: number }[])[0]?.serial ?? 0
  await admin.post(`/v2/zones/${apex}/recordsets`, { name: 'late', type: 'TXT', records: ['"x"'] })
  const before = await transferFrom(server, apex, serial)
  t.equal(kindOf(before), 'difference')
  await app.close()
  ;({ app, admin } = await startWholeServer(t, { dataDirectory }))
  server = app.dns[0] as { host: string; port: number }
  t.same(await transferFrom(server, apex, serial), before)
})
