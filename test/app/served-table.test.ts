import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { createLogger } from '../../src/log.ts'
import type { ListenAddress } from '../../src/transport/answer.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { fakeClock } from '../helpers/clock.ts'
import { askOverTcp, askOverUdp } from '../helpers/query-load.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { until } from '../helpers/until.ts'
import { AnswerValidator } from '../helpers/verify-answer.ts'
import { startWholeServer, type WholeServer } from '../helpers/whole-server.ts'

const hour = 3_600_000
/** More than a mebibyte of table. */
const hostCount = 16_000
const noError = new Map([[0, 100]])
const question = new Array(100).fill(queryFor('host7.large.example. A'))

type ShownKey = { readonly states: { readonly dnskey: string; readonly zone_signatures: string } }
type Line = { readonly msg: string; readonly dns: readonly ListenAddress[] }

/** Starts a server, and tells what it logs as it does. */
async function start(
  t: Test,
  {
    directory,
    clock = fakeClock(),
  }: { readonly directory: string; clock?: ReturnType<typeof fakeClock> },
  onLine: (line: Line) => void = () => undefined,
): Promise<WholeServer> {
  const stream = { write: (line: string) => onLine(JSON.parse(line)) }
  const logger = createLogger({ level: 'info', stream })
  return startWholeServer(t, { dataDirectory: directory, clock, logger })
}

async function importLargeZone({ admin }: WholeServer): Promise<void> {
  const hosts = Array.from({ length: hostCount }, (_, i) => `host${i} A 192.0.${i >> 8}.${i & 255}`)
  const soa = '@ SOA ns1.example.net. ops.example.net. 1 3600 600 86400 300'
  const lines = ['$ORIGIN large.example.', '$TTL 300', soa, '@ NS ns1.example.net.', ...hosts]
  const { body: found } = await admin.get('/identity/v3/projects?name=admin')
  const unlimited = { zone_recordsets: -1, zone_records: -1 }
  await admin.patch(`/v2/quotas/${found.projects[0].id}`, unlimited)
  const headers = { 'content-type': 'text/dns' }
  const path = '/v2/zones/tasks/imports'
  const { body } = await admin.call('POST', path, { body: `${lines.join('\n')}\n`, headers })
  const { body: done } = await until(
    () => admin.get(`${path}/${body.id}`),
    answer => answer.body.status !== 'PENDING',
  )
  if (done.status !== 'COMPLETE') throw new Error(done.message)
}

/** A folder of a server that has stopped and left a snapshot. */
async function stopped(t: Test, clock = fakeClock()): Promise<string> {
  const directory = serverFolder(t)
  const server = await start(t, { directory, clock })
  await importLargeZone(server)
  await server.app.close()
  return directory
}

/** What a killed process would leave at this moment. */
function killed(t: Test, directory: string): string {
  const copy = serverFolder(t)
  cpSync(directory, copy, { recursive: true, filter: path => !path.endsWith('lock') })
  return copy
}

/** What all begin with that go on where another server has stopped. */
const original = await stopped(t)

const snapshotIn = (directory: string) => join(directory, 'table', 'snapshot')
const anew = /all zones are published anew/

async function ask({ app }: WholeServer, question: string): Promise<ReadonlyMap<number, number>> {
  const [dns] = app.dns
  if (dns === undefined) throw new Error('nobody listens')
  return (await askOverUdp(dns, [queryFor(question)])).rcodes
}

t.test('a start answers from the table of the last process, and counts it', async t => {
  const directory = killed(t, original)
  const clock = fakeClock()
  const lines: string[] = []
  const asked = Promise.withResolvers<void>()
  const server = await start(t, { directory, clock }, async ({ msg, dns: [dns] = [] }) => {
    lines.push(msg)
    if (msg !== 'answering' || dns === undefined) return
    t.same((await askOverUdp(dns, question)).rcodes, noError)
    asked.resolve()
  })
  await asked.promise
  t.notOk(lines.some(line => anew.test(line)))
  const [dns] = server.app.dns
  if (dns === undefined) throw new Error('nobody listens')
  t.same((await askOverUdp(dns, question)).rcodes, noError)
  t.same((await askOverTcp(dns, question)).rcodes, noError)
  const { body } = await server.admin.get('/v2/zones?name=large.example.')
  const name = 'new.large.example.'
  const recordset = { name, type: 'A', records: ['192.0.2.1'] }
  await server.admin.post(`/v2/zones/${body.zones[0].id}/recordsets`, recordset)
  t.same(await ask(server, `${name} A`), new Map([[0, 1]]))

  await server.app.runJob('flush-usage')
  clock.advanceMillis(3 * hour + 1000)
  await server.app.runJob('flush-usage')
  await server.app.runJob('rate-usage')
  const times = 'begin=2026-11-21T00:00:00&end=2026-11-22T00:00:00'
  const { body: usage } = await server.admin.get(`/v2/summary?${times}&filters=type:dns.queries`)
  t.equal(Math.round(usage.results[0][2] * 1e6), 301)
})

t.test('what was committed behind the snapshot is answered after a crash', async t => {
  const directory = killed(t, original)
  const first = await start(t, { directory })
  const { body } = await first.admin.get('/v2/zones?name=large.example.')
  const recordsets = `/v2/zones/${body.zones[0].id}/recordsets`
  const added = { name: 'added.large.example.', type: 'A', records: ['192.0.2.1'] }
  await first.admin.post(recordsets, added)
  const { body: found } = await first.admin.get(`${recordsets}?name=host7.large.example.`)
  await first.admin.delete(`${recordsets}/${found.recordsets[0].id}`)
  const zone = { name: 'other.example.', email: 'ops@example.net' }

  const before = killed(t, directory)
  await first.admin.post('/v2/zones', zone)
  const behind = killed(t, directory)
  for (const [folder, rcode] of [
    [before, 5],
    [behind, 0],
  ] as const) {
    const lines: string[] = []
    const server = await start(t, { directory: folder }, ({ msg }) => lines.push(msg))
    t.notOk(lines.some(line => anew.test(line)))
    t.same(await ask(server, 'added.large.example. A'), new Map([[0, 1]]))
    t.same(await ask(server, 'host7.large.example. A'), new Map([[3, 1]]))
    t.same(await ask(server, 'host8.large.example. A'), new Map([[0, 1]]))
    t.same(await ask(server, 'other.example. SOA'), new Map([[rcode, 1]]))
    const { body: check } = await server.admin.post('/admin/check', {})
    t.equal(check.is_consistent, true)
    await server.app.close()
  }
})

t.test('keys that have rolled since the snapshot have signed all answers', async t => {
  const directory = killed(t, original)
  const clock = fakeClock()
  const first = await start(t, { directory, clock })
  const split = await first.admin.post('/v2/dnssec_policies', { name: 'split', keys: 'KSK+ZSK' })
  const zone = { name: 'signed.example.', email: 'ops@example.net' }
  const path = `/v2/zones/${(await first.admin.post('/v2/zones', zone)).body.id}`
  const create = ['a', 'b', 'c', 'd'].map(name => ({ name, type: 'A', records: ['192.0.2.1'] }))
  await first.admin.post(`${path}/changes`, { create })
  await first.admin.put(`${path}/dnssec`, { policy_id: split.body.id })
  const keysOf = async ({ admin }: WholeServer): Promise<readonly ShownKey[]> =>
    (await admin.get(`${path}/dnssec`)).body.keys
  const untilKeys = async (server: WholeServer, isDone: (key: ShownKey) => boolean) => {
    for (let hours = 0; hours < 12; hours += 1) {
      await server.app.runJob('roll-keys')
      if ((await keysOf(server)).some(isDone)) return
      clock.advanceMillis(hour)
    }
    throw new Error('the keys have not rolled')
  }
  await until(
    () => first.admin.get(`${path}/dnssec`),
    ({ body }) => body.status === 'SIGNED',
  )
  await untilKeys(first, ({ states }) => states.zone_signatures === 'OMNIPRESENT')
  await first.app.close()

  const left = killed(t, directory)
  const second = await start(t, { directory, clock })
  await second.admin.post(`${path}/dnssec/tasks/roll`, { role: 'ZSK' })
  await untilKeys(second, ({ states }) => states.dnskey === 'UNRETENTIVE')
  const behind = killed(t, directory)
  // Whatever snapshot there is meanwhile.
  rmSync(join(behind, 'table'), { recursive: true })
  cpSync(join(left, 'table'), join(behind, 'table'), { recursive: true })
  const lines: string[] = []
  const checked = Promise.withResolvers<void>()
  // At once: signatures are renewed when the start is complete.
  await start(t, { directory: behind, clock }, ({ msg, dns: [dns] = [] }) => {
    lines.push(msg)
    if (msg === 'answering' && dns !== undefined)
      checkSigned(dns, clock.nowMillis() / 1000).then(checked.resolve, checked.reject)
  })
  await checked.promise
  t.notOk(lines.some(line => anew.test(line)))
})

/** Validates the answers for some names of a zone with the keys that it has. */
async function checkSigned(dns: ListenAddress, nowSeconds: number): Promise<void> {
  const client = await TcpClient.connect(dns)
  const replyTo = async (question: string) => {
    await client.write(frame(queryFor(question, { edns: { isDnssecOk: true } })))
    return replyFrom((await client.read()) ?? Buffer.alloc(0))
  }
  const { answers } = (await replyTo('signed.example. DNSKEY')).message
  const dnskeys = answers.filter(({ type }) => type === types.DNSKEY).map(({ rdata }) => rdata)
  const validator = new AnswerValidator(parseName('signed.example.'), ...dnskeys)
  for (const name of ['a', 'b', 'c', 'd'])
    validator.check(await replyTo(`${name}.signed.example. A`), nowSeconds)
  client.socket.destroy()
}

t.test('a snapshot of another history of the store, or a damaged one, is not used', async t => {
  const directory = killed(t, original)
  const later = fakeClock()
  later.advanceMillis(hour)
  const other = await stopped(t, later)
  const pages = join(directory, 'table', '1.pages')
  const octets = readFileSync(pages)
  const damaged = Buffer.from(octets)
  damaged[octets.length - 100_000] = 0x5a
  writeFileSync(pages, damaged)
  const lines: string[] = []
  const said = async () => {
    const server = await start(t, { directory }, ({ msg }) => lines.push(msg))
    t.same(await ask(server, 'host7.large.example. A'), new Map([[0, 1]]))
    await server.app.close()
    return lines.splice(0).some(line => anew.test(line))
  }
  t.equal(await said(), true, 'damaged')
  t.equal(await said(), false, 'a new one was written')
  cpSync(join(other, 'table'), join(directory, 'table'), { recursive: true })
  t.equal(await said(), true, 'of another store')
})

t.test('little to load leaves no snapshot', async t => {
  const dataDir = serverFolder(t)
  const server = await start(t, { directory: dataDir })
  await server.app.close()
  t.notOk(existsSync(snapshotIn(dataDir)))
})

t.test('a snapshot that cannot be read stops nothing', async t => {
  const dataDir = serverFolder(t)
  await mkdir(snapshotIn(dataDir), { recursive: true })
  const server = await start(t, { directory: dataDir })
  t.ok(server.app.api.port > 0)
})
