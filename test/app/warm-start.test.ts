import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLogger } from '../../src/log.ts'
import type { ListenAddress } from '../../src/transport/answer.ts'
import { queryFor } from '../helpers/ask.ts'
import { fakeClock } from '../helpers/clock.ts'
import { askOverTcp, askOverUdp } from '../helpers/query-load.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer, type WholeServer } from '../helpers/whole-server.ts'

const hour = 3_600_000
/** More than a mebibyte of table. */
const hostCount = 16_000
const early = 'answering as before the stop'
const noError = new Map([[0, 100]])
const question = new Array(100).fill(queryFor('host7.large.example. A'))

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

/** Starts it; returns what it says, in order. */
async function said(t: Test, options: Parameters<typeof start>[1]): Promise<readonly string[]> {
  const lines: string[] = []
  const server = await start(t, options, ({ msg }) => lines.push(msg))
  await server.app.close()
  return answering(lines)
}

function answering(lines: readonly string[]): readonly string[] {
  return lines.filter(line => [early, 'answering'].includes(line))
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
async function stopped(t: Test): Promise<string> {
  const directory = serverFolder(t)
  const server = await start(t, { directory })
  await importLargeZone(server)
  await server.app.close()
  return directory
}

const snapshotOf = (directory: string) => join(directory, 'stand-in.table')

t.test('what was answered before a stop is answered before the start is over', async t => {
  const directory = await stopped(t)
  const clock = fakeClock()
  const asked = Promise.withResolvers<void>()
  const lines: string[] = []
  const server = await start(t, { directory, clock }, async ({ msg, dns: [dns] = [] }) => {
    lines.push(msg)
    if (msg !== early || dns === undefined) return
    t.notOk(existsSync(snapshotOf(directory)), 'it is good for one start')
    // Not over TCP: who is connected is let go when the start is over, and that may be soon.
    t.same((await askOverUdp(dns, question)).rcodes, noError)
    asked.resolve()
  })
  await asked.promise
  t.same(answering(lines), [early, 'answering'])
  const [dns] = server.app.dns
  if (dns === undefined) throw new Error('nobody listens')
  t.same((await askOverUdp(dns, question)).rcodes, noError)
  t.same((await askOverTcp(dns, question)).rcodes, noError)

  // What is stored from now on is answered, by the same listeners.
  const { body } = await server.admin.get('/v2/zones?name=large.example.')
  const name = 'new.large.example.'
  const recordset = { name, type: 'A', records: ['192.0.2.1'] }
  await server.admin.post(`/v2/zones/${body.zones[0].id}/recordsets`, recordset)
  t.same((await askOverUdp(dns, [queryFor(`${name} A`)])).rcodes, new Map([[0, 1]]))

  // All of it is metered, by either writer.
  await server.app.runJob('flush-usage')
  clock.advanceMillis(3 * hour + 1000)
  await server.app.runJob('flush-usage')
  await server.app.runJob('rate-usage')
  const times = 'begin=2026-11-21T00:00:00&end=2026-11-22T00:00:00'
  const { body: usage } = await server.admin.get(`/v2/summary?${times}&filters=type:dns.queries`)
  t.equal(Math.round(usage.results[0][2] * 1e6), 301)
})

t.test('a store that has changed since has no snapshot', async t => {
  const directory = await stopped(t)
  const snapshot = readFileSync(snapshotOf(directory))
  t.same(await said(t, { directory }), [early, 'answering'])
  const server = await start(t, { directory })
  await server.admin.post('/v2/zones', { name: 'other.example.', email: 'ops@example.net' })
  await server.app.close()
  writeFileSync(snapshotOf(directory), snapshot)
  t.same(await said(t, { directory }), ['answering'])
})

t.test('a snapshot that is old, of a time to come, or damaged is not used', async t => {
  const directory = await stopped(t)
  const at = (millis: number) => {
    const clock = fakeClock()
    clock.advanceMillis(millis)
    return clock
  }
  t.same(await said(t, { directory, clock: at(11 * 60_000) }), ['answering'])
  t.same(await said(t, { directory, clock: at(0) }), ['answering'])
  const snapshot = readFileSync(snapshotOf(directory))
  snapshot[snapshot.length - 100_000] = 0x5a
  writeFileSync(snapshotOf(directory), snapshot)
  t.same(await said(t, { directory, clock: at(0) }), ['answering'])
  t.same(await said(t, { directory, clock: at(0) }), [early, 'answering'])
})

t.test('little to load leaves no snapshot', async t => {
  const dataDir = serverFolder(t)
  const server = await start(t, { directory: dataDir })
  await server.app.close()
  t.notOk(existsSync(snapshotOf(dataDir)))
})

t.test('a snapshot that cannot be read stops nothing', async t => {
  const dataDir = serverFolder(t)
  await mkdir(snapshotOf(dataDir))
  const server = await start(t, { directory: dataDir })
  t.ok(server.app.api.port > 0)
})
