import t, { type Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import type { ResourceRecord } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { Appliance } from '../helpers/appliance.ts'
import { type Member, newMember } from '../helpers/members.ts'
import { queryAddresses } from '../helpers/query.ts'
import { honestScript, type MasterScript, ScriptedMaster } from '../helpers/scripted-master.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { recordsFromText } from '../helpers/transfer.ts'
import { until } from '../helpers/until.ts'

// Strangers whose zones come from masters of their own: what these send, and how, is theirs to choose.

type ZoneView = { readonly id: string; readonly status: string; readonly status_reason: string }

const apex = parseName('victim.example.')
const text = (serial: number) => `
  @ 300 SOA ns host ${serial} 3600 600 86400 60
  @ 300 NS ns
  ns 300 A 192.0.2.1
  www 60 A 192.0.2.${serial}`

const server = await Appliance.start({
  dataDirectory: serverFolder(t),
  // Where the masters of these tests are.
  environment: { ZONEWRIGHT_OUTBOUND_NETWORKS: '127.0.0.0/8' },
})
t.teardown(() => server.stop())

async function newCopy({ client }: Member, name: string, master: ScriptedMaster): Promise<string> {
  const { host, port } = master.address
  const body = { name, type: 'SECONDARY', masters: [`${host}:${port}`] }
  const { status, body: zone, text } = await client.post('/v2/zones', body)
  if (status !== 201) throw new Error(`${name}: ${text}`)
  return zone.id
}

function viewOf({ client }: Member, id: string): Promise<ZoneView> {
  return client.get(`/v2/zones/${id}`).then(({ body }) => body as ZoneView)
}

/** Records of a zone that never ends, 400 at a time; those behind the quota are the same again. */
function* endless(): Generator<ResourceRecord[], undefined> {
  const batches = Array.from({ length: 5 }, (_, batch) => {
    const lines = Array.from({ length: 400 }, (_, i) => `host-${400 * batch + i} 60 A 192.0.2.1`)
    return recordsFromText(apex, lines.join('\n'))
  })
  for (;;) yield* batches
}

/** Sends for as long as somebody reads. */
function flood(serial: number): {
  readonly script: MasterScript
  readonly sent: { count: number }
} {
  const sent = { count: 0 }
  const begin = recordsFromText(apex, text(serial))
  const script: MasterScript = turn => {
    if (turn.type === types.SOA) return turn.reply({ records: begin.slice(0, 1) })
    turn.reply({ records: begin })
    const batches = endless()
    const more = () => {
      if (turn.socket.destroyed || sent.count > 2_000_000) return
      const { value } = batches.next()
      if (value === undefined) return
      sent.count += value.length
      turn.reply({ records: value })
      if (turn.socket.writableNeedDrain) turn.socket.once('drain', more)
      else setImmediate(more)
    }
    more()
  }
  return { script, sent }
}

t.test('a zone that never ends is over quota, and the copy before is served', async t => {
  const member = await newMember(server, 'greedy')
  let script = honestScript(apex, text(7))
  const master = await ScriptedMaster.start(t, turn => script(turn))
  const id = await newCopy(member, 'victim.example.', master)
  await until(
    () => viewOf(member, id),
    ({ status }) => status === 'ACTIVE',
  )
  const { script: hostile, sent } = flood(8)
  script = hostile
  await member.client.post(`/v2/zones/${id}/tasks/xfr`)
  const zone = await until(
    () => viewOf(member, id),
    ({ status }) => status === 'ERROR',
  )
  t.match(zone.status_reason, /over quota: the zone has more than 500 record/)
  t.strictSame(await queryAddresses(server.endpoint(), 'www.victim.example.'), ['192.0.2.7'])
  t.ok(sent.count < 1_000_000, `${sent.count} records were sent until the connection was closed`)
})

/** Sends a record now and then, and never the last. */
function drip(zone: string): MasterScript {
  const name = parseName(zone)
  const records = recordsFromText(name, text(1))
  return turn => {
    if (turn.type === types.SOA) return turn.reply({ records: records.slice(0, 1) })
    turn.reply({ records: records.slice(0, 2) })
    const timer = setInterval(() => turn.reply({ records: records.slice(2, 3) }), 500)
    turn.socket.on('close', () => clearInterval(timer))
  }
}

async function slowZones(t: Test, member: Member, count: number): Promise<ScriptedMaster[]> {
  const masters: ScriptedMaster[] = []
  for (let i = 0; i < count; i += 1) {
    const name = `slow-${i}.example.`
    // Each is another host, so that what is bounded for each host does not help.
    const master = await ScriptedMaster.start(t, drip(name), `127.0.1.${i + 1}`)
    await newCopy(member, name, master)
    masters.push(master)
  }
  return masters
}

t.test('slow masters of one project hold up nobody else, and are left', async t => {
  const slow = await newMember(server, 'slow')
  await server.json('PATCH', `/v2/quotas/${slow.projectId}`, { zones: -1 })
  // Eight are asked at once, for ten seconds each: the last of them not for a minute.
  const masters = await slowZones(t, slow, 60)
  await until(
    async () => masters.filter(({ asked }) => asked.includes(types.AXFR)).length,
    count => count >= 8,
  )
  const other = await newMember(server, 'other')
  const name = 'other.example.'
  const master = await ScriptedMaster.start(t, honestScript(parseName(name), text(1)))
  const id = await newCopy(other, name, master)
  await until(
    () => viewOf(other, id),
    ({ status }) => status === 'ACTIVE',
  )
  t.ok(
    masters.some(({ asked }) => asked.length === 0),
    'the project waits for its own slots',
  )
  const first = await slow.client.get('/v2/zones?name=slow-0.example.')
  const [{ id: slowId }] = first.body.zones
  const zone = await until(
    () => viewOf(slow, slowId),
    ({ status }) => status === 'ERROR',
  )
  t.match(zone.status_reason, /it gave no zone/)
  const exact = await server.json<ZoneView>('GET', `/v2/zones/${slowId}?all_projects=true`)
  t.match(exact.status_reason, /it sent \d+ octets in [1-9]\d+ s/)
})
