import { cpSync } from 'node:fs'
import t, { type Test } from 'tap'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { fakeClock } from '../helpers/clock.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { until } from '../helpers/until.ts'
import { requireSigned, signedRrsetsFrom } from '../helpers/verify-zone.ts'
import { startWholeServer, type WholeServer } from '../helpers/whole-server.ts'
import { toSerial, transferFrom } from '../helpers/zone-difference.ts'

// Starts of a server with a zone that is signed there: what is answered first is signed and good, whatever the end of the
// process before was.

const apex = 'large.example.'
/** Signed, more than a mebibyte of table. */
const hostCount = 700
const dayMillis = 86_400_000
const verified = new Set<string>()

type Clock = ReturnType<typeof fakeClock>

const start = (t: Test, dataDirectory: string, clock: Clock) =>
  startWholeServer(t, { dataDirectory, clock })

async function importZone({ admin }: WholeServer): Promise<string> {
  const hosts = Array.from({ length: hostCount }, (_, i) => `host${i} A 192.0.${i >> 8}.${i & 255}`)
  const soa = '@ SOA ns1.example.net. ops.example.net. 1 3600 600 86400 300'
  const others = ['a.b.ent A 192.0.2.1', '*.wild TXT w', 'sub NS ns.sub', 'ns.sub A 192.0.2.2']
  const lines = [`$ORIGIN ${apex}`, '$TTL 300', soa, '@ NS ns1.example.net.', ...hosts, ...others]
  const { body: found } = await admin.get('/identity/v3/projects?name=admin')
  const unlimited = { zone_recordsets: -1, zone_records: -1 }
  await admin.patch(`/v2/quotas/${found.projects[0].id}`, unlimited)
  const headers = { 'content-type': 'text/dns' }
  const path = '/v2/zones/tasks/imports'
  const { body } = await admin.call('POST', path, { body: `${lines.join('\n')}\n`, headers })
  await until(
    () => admin.get(`${path}/${body.id}`),
    answer => answer.body.status === 'COMPLETE',
  )
  const attributes = { allow_transfer: '127.0.0.1' }
  const { body: zone } = await admin.patch(`/v2/zones/${apex}`, { attributes })
  return `/v2/zones/${zone.id}`
}

const untilStatus = ({ admin }: WholeServer, zone: string, status: string) =>
  until(
    async () => (await admin.get(`${zone}/dnssec`)).body.status,
    present => present === status,
  )

/** What a secondary gets, once the serial says what it is. */
const transferred = ({ app }: WholeServer) =>
  until(
    () => transferFrom(app.dns[0] as { host: string; port: number }, apex),
    lines => lines.length > 1,
  )

function check(lines: readonly string[], clock: Clock): void {
  requireSigned(
    signedRrsetsFrom(lines.slice(0, -1)),
    Math.floor(clock.nowMillis() / 1000),
    verified,
  )
}

/** The RRSIG of an answer, with what they cover. */
async function answered({ app }: WholeServer, question: string): Promise<readonly string[]> {
  const client = await TcpClient.connect(app.dns[0] as { host: string; port: number })
  await client.write(frame(queryFor(question, { edns: { isDnssecOk: true } })))
  const { answer, authority } = replyFrom((await client.read()) ?? Buffer.alloc(0))
  client.socket.destroy()
  return [...answer, ...authority]
}

/** What a killed process would leave at this moment. */
function killed(t: Test, directory: string, leavesOut = 'lock'): string {
  const copy = serverFolder(t)
  const isLeft = (path: string) => !path.endsWith('lock') && !path.endsWith(leavesOut)
  cpSync(directory, copy, { recursive: true, filter: isLeft })
  return copy
}

t.test('a start goes on with the signatures there are, and signs what was behind them', async t => {
  const clock = fakeClock()
  const directory = serverFolder(t)
  const first = await start(t, directory, clock)
  const zone = await importZone(first)
  await first.admin.put(`${zone}/dnssec`, {})
  const atOnce = killed(t, directory)
  await untilStatus(first, zone, 'SIGNED')
  const signed = await transferred(first)
  check(signed, clock)
  await first.app.close()

  const second = await start(t, directory, clock)
  t.same(await transferred(second), signed, 'after a stop')
  const recordsets = `${zone}/recordsets`
  const create = (name: string, type: string, ...records: string[]) =>
    second.admin.post(recordsets, { name: `${name}.${apex}`, type, records })
  await create('new', 'A', '192.0.2.7')
  await create('ent', 'NS', 'ns.example.net.')
  await create('*.more', 'MX', `5 Host1.${apex}`)
  const { body: found } = await second.admin.get(`${recordsets}?name=host7.${apex}`)
  await second.admin.delete(`${recordsets}/${found.recordsets[0].id}`)
  const changed = await transferred(second)
  check(changed, clock)
  const behind = killed(t, directory)
  await second.admin.delete(`${zone}/dnssec?force=true`)
  const unsigned = killed(t, directory)
  await second.app.close()

  const third = await start(t, behind, clock)
  t.match(await answered(third, `new.${apex} A`), [/ A /, / RRSIG A 13 /])
  t.match(await answered(third, `host7.${apex} A`), [/SOA/, /RRSIG/, /NSEC/, /RRSIG/])
  const made = await transferred(third)
  check(made, clock)
  t.ok(toSerial(made) > toSerial(changed), 'other signatures have another serial')
  const lines = new Set(made)
  const others = signed.filter(line => !lines.has(line))
  t.ok(others.length < 40, `the signatures of others are as they were, but ${others.length}`)
  await third.app.close()

  const fourth = await start(t, unsigned, clock)
  t.notMatch((await transferred(fourth)).join('\n'), /RRSIG|NSEC|DNSKEY/)
  await fourth.app.close()

  const fifth = await start(t, atOnce, clock)
  await untilStatus(fifth, zone, 'SIGNED')
  check(await transferred(fifth), clock)
  await fifth.app.close()

  const withoutTable = await start(t, killed(t, behind, '/table'), clock)
  t.match(await answered(withoutTable, `new.${apex} A`), [/ A /, / RRSIG A 13 /])
  t.match(await answered(withoutTable, `host7.${apex} A`), [/SOA/, /RRSIG/, /NSEC/, /RRSIG/])
  const anew = await transferred(withoutTable)
  check(anew, clock)
  t.ok(toSerial(anew) > toSerial(changed), 'other signatures have another serial')
  await withoutTable.app.close()

  const later = fakeClock(clock.nowMillis() + 20 * dayMillis)
  const sixth = await start(t, behind, later)
  check(await transferred(sixth), later)
  t.match(await answered(sixth, `host9.${apex} A`), [/ A /, / RRSIG A 13 /])
})
