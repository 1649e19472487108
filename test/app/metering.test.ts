import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Metering, openMetering } from '../../src/app/metering.ts'
import { openRating } from '../../src/app/rating.ts'
import { alone } from '../../src/cluster/cluster.ts'
import { everything } from '../../src/store/indexes.ts'
import { Counters, tcpCounts, zoneCounts } from '../../src/zone/table/counters.ts'
import { fakeClock } from '../helpers/clock.ts'
import { configWith } from '../helpers/config.ts'
import { silentLogger } from '../helpers/log.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { zoneRow } from '../helpers/store-rows.ts'
import { at, storedTexts, usage } from '../helpers/usage.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const hourMillis = 3_600_000

/** A table with one zone, and a store with its row; counters are written by hand. */
async function open(t: Test, usageKeepMonths?: number) {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const row = zoneRow({ name: 'example.', projectId: 'p1' })
  await store.commit(tx => tx.put('zones', row))
  const table = openTable()
  const zones = table.addTarget()
  const zone = tableZoneFromText(table, 'example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300')
  zones.publish(zone)
  const counters = new Counters(table.readers.open(zones).handle.counters)
  const config = configWith({ dataDir: t.testdir(), usageKeepMonths })
  const logger = silentLogger
  const parts = { config, clock, store, logger, table, zonesOf: () => zones, cluster: alone }
  const rating = await openRating(parts)
  const start = () => openMetering({ ...parts, rating })
  return { ...parts, rating, zone, counters, start }
}

async function rateHour(metering: Metering, clock: { advanceMillis(millis: number): void }) {
  clock.advanceMillis(3 * hourMillis)
  await metering.flush()
  await metering.rate()
}

t.test('each count of the table is rated as what it is', async t => {
  const { clock, rating, zone, counters, start } = await open(t)
  const metering = await start()
  const rows = ['noError', 'nxDomain', 'servFail', 'yxDomain'] as const
  for (const [i, rcode] of rows.entries()) {
    for (let n = 0; n <= i; n += 1) counters.countZone(zone.number, zoneCounts[rcode], 100)
    for (let n = 0; n <= i + 4; n += 1)
      counters.countZone(zone.number, zoneCounts[rcode] + tcpCounts, 1000)
  }
  await rateHour(metering, clock)
  const texts = await storedTexts(rating.points)
  const first = texts
    .map(text => JSON.parse(text))
    .filter(([, begin]) => begin === at('2026-11-21T12'))
    .map(([metric, , , , { transport = '', rcode = '' }, , qty]) =>
      [metric, transport, rcode, qty].filter(part => part !== '').join(' '),
    )
  t.same(first.sort(), [
    'dns.bytes tcp 0.026',
    'dns.bytes udp 0.001',
    'dns.queries tcp NOERROR 0.000005',
    'dns.queries tcp NXDOMAIN 0.000006',
    'dns.queries tcp SERVFAIL 0.000007',
    'dns.queries tcp YXDOMAIN 0.000008',
    'dns.queries udp NOERROR 0.000001',
    'dns.queries udp NXDOMAIN 0.000002',
    'dns.queries udp SERVFAIL 0.000003',
    'dns.queries udp YXDOMAIN 0.000004',
    'dns.zone 1',
  ])
  await metering.close()
})

t.test('a zone that is signed at half past is rated as signed for half an hour', async t => {
  const { clock, rating, store, start } = await open(t)
  const [row] = store.list('zones', 'all', everything)
  if (row === undefined) throw new Error('there is a zone')
  const metering = await start()
  store.setCommitListener(commit => void metering.commitPublished(commit))
  const put = (signedAt: number | null) =>
    store.commit(tx => tx.put('zones', { ...row, dnssec: { policy: 'default', signedAt } }))
  await put(null)
  clock.advanceMillis(hourMillis / 2)
  await put(clock.nowMillis() * 1000)
  await rateHour(metering, clock)
  const points = (await storedTexts(rating.points)).map(text => JSON.parse(text))
  const first = points.filter(([, begin]) => begin === at('2026-11-21T12'))
  t.same(first.map(([metric, , , unit, , , qty]) => `${metric} ${qty} ${unit}`).sort(), [
    'dns.zone 1 zone',
    'dns.zone.signed 0.5 zone',
  ])
  await metering.close()
})

t.test('an abandoned zone costs nobody anything, however much it is asked', async t => {
  const { clock, rating, store, zone, counters, start } = await open(t)
  const [row] = store.list('zones', 'all', everything)
  if (row === undefined) throw new Error('there is a zone')
  let metering = await start()
  store.setCommitListener(commit => void metering.commitPublished(commit))
  await store.commit(tx => tx.put('zones', { ...row, isAbandoned: true, version: 2 }))
  const ask = () => counters.countZone(zone.number, zoneCounts.noError, 100)
  ask()
  await rateHour(metering, clock)
  await metering.close()
  metering = await start()
  ask()
  await rateHour(metering, clock)
  t.same(await storedTexts(rating.points), [])
  await metering.close()
})

t.test('usage is kept as long as is set, and for ever otherwise', async t => {
  for (const [keepMonths, left] of [
    [undefined, 3],
    [1, 2],
  ] as const) {
    const { rating, start } = await open(t, keepMonths)
    const metering = await start()
    // Months are counted from the latest.
    const hours = ['2026-09-30T23', '2026-10-01T00', '2026-11-01T00']
    const points = hours.map(hour => usage(hour, 'p1', '1'))
    await rating.points.write({ origin: 'pushed', points })
    await metering.prune()
    t.equal((await storedTexts(rating.points)).length, left)
    await metering.close()
  }
})

t.test('damaged files stop the start, with the file and what to do', async t => {
  const { config, start } = await open(t)
  const folder = join(config.dataDir, 'usage', 'hours')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'manifest.json'), 'not what was written')
  await t.rejects(start(), {
    name: 'DamageError',
    message: /manifest\.json.*Restore the data directory from a backup, or give up .*store repair$/,
  })
})
