import t from 'tap'
import { formatDecimal } from '../../../src/rating/decimal.ts'
import { HourlyUsage, type UsageCount } from '../../../src/rating/metering/hourly-usage.ts'
import { newTally, octetsAt, periodOf, zoneMillisAt } from '../../../src/rating/metering/tally.ts'
import { allTime, type Period } from '../../../src/rating/period.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { seriesKey } from '../../../src/rating/segments/series.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { at } from '../../helpers/usage.ts'

const hour = at('2026-11-21T12') / 3600

async function open() {
  const points = await PointStore.open('/hours', { files: new SimulatedDisk() })
  const written: (readonly [readonly string[], Period])[] = []
  const usage = new HourlyUsage(points, async (ids, period) => {
    written.push([[...ids].sort(), period])
  })
  return { usage, written, points }
}

function tallyWith(amounts: Readonly<Record<number, number>>) {
  return Object.assign(newTally(), amounts)
}

async function all(usage: HourlyUsage, projectId: string, period: Period = allTime) {
  const counts: UsageCount[] = []
  for await (const count of usage.read(period, projectId)) counts.push(count)
  return counts.map(({ metric, amount, rcode, transport }) =>
    [metric, rcode, transport, formatDecimal(amount)].join(' '),
  )
}

t.test('an hour is read as it was counted, without what was nothing', async t => {
  const { usage, written } = await open()
  const { isSigned: _, ...other } = { ...ownerOf('b'), projectId: 'p2' }
  const tally = tallyWith({ 0: 7, 5: 2 ** 52 - 1, [octetsAt + 1]: 300, [zoneMillisAt]: 3_600_000 })
  await usage.write(hour, [
    { owner: ownerOf('a'), tally },
    { owner: { ...other, isSigned: false }, tally: tallyWith({ 0: 1 }) },
  ])
  t.same(await all(usage, 'p1'), [
    'octets  tcp 300',
    'responses NOERROR udp 7',
    'responses NXDOMAIN tcp 4503599627370495',
    'zone   3600000',
  ])
  t.same(await all(usage, 'p2'), ['responses NOERROR udp 1'])
  t.same(written, [[['p1', 'p2'], periodOf(hour)]])
  for await (const { owner, begin } of usage.read(allTime, 'p2')) {
    t.same(owner, other)
    t.equal(begin, at('2026-11-21T12'))
  }
})

t.test('the hours of a signed zone are counted beside its hours', async t => {
  const { usage } = await open()
  const owner = { ...ownerOf('a'), isSigned: true }
  await usage.write(hour, [
    { owner, tally: tallyWith({ [zoneMillisAt]: 900_000 }) },
    { owner: ownerOf('a'), tally: tallyWith({ [zoneMillisAt]: 2_700_000 }) },
  ])
  t.same((await all(usage, 'p1')).sort(), [
    'signed_zone   900000',
    'zone   2700000',
    'zone   900000',
  ])
})

t.test('writing that is no longer wanted ends, and what was there stays', async t => {
  const { usage, written } = await open()
  await usage.write(hour, [{ owner: ownerOf('a'), tally: tallyWith({ 0: 5 }) }])
  const zones = Array.from({ length: 6000 }, (_, i) => ({
    owner: ownerOf(String(i)),
    tally: tallyWith({ 0: 1 }),
  }))
  for (const most of [3000, 9000]) {
    let asked = 0
    const requireWanted = () => {
      asked += 1
      if (asked > most) throw new RangeError('no longer')
    }
    await t.rejects(usage.write(hour, zones, requireWanted), RangeError)
    t.equal(asked, most + 1)
  }
  t.same(await all(usage, 'p1'), ['responses NOERROR udp 5'])
  t.equal(written.length, 1)
})

t.test('an hour that is written again replaces what was there', async t => {
  const { usage } = await open()
  for (const count of [5, 6])
    await usage.write(hour, [{ owner: ownerOf('a'), tally: tallyWith({ 0: count }) }])
  await usage.write(hour + 1, [{ owner: ownerOf('a'), tally: tallyWith({ 0: 1, 1: 3 }) }])
  t.same(await all(usage, 'p1', periodOf(hour)), ['responses NOERROR udp 6'])
  t.equal(formatDecimal(await usage.responses({ ...allTime, projectIds: new Set(['p1']) })), '10')
  t.equal(
    formatDecimal(await usage.responses({ ...periodOf(hour), projectIds: new Set(['p1']) })),
    '6',
  )
  t.equal(formatDecimal(await usage.responses({ ...allTime, projectIds: new Set(['p2']) })), '0')
})

t.test('it is known since when, and until when, anything was used', async t => {
  const { usage } = await open()
  t.same([usage.usedFrom(0), usage.usedUntil], [undefined, undefined])
  for (const each of [hour, hour + 1])
    await usage.write(each, [{ owner: ownerOf('a'), tally: tallyWith({ 0: 1 }) }])
  t.same([usage.usedFrom(0), usage.usedUntil], [at('2026-11-01'), (hour + 2) * 3600])
})

t.test('an hour of many zones is stored as one of few would be, in the same order', async t => {
  const few = await open()
  const many = await open()
  const owners = ['a', 'b', 'c', 'd'].flatMap(zone => [
    { ...ownerOf(zone), projectId: zone < 'c' ? 'p1' : 'p2' },
    { ...ownerOf(zone), projectId: 'p1', poolId: 'another', isSigned: true },
    { ...ownerOf(zone), projectId: 'p1', zoneType: 'SECONDARY' },
  ])
  const tally = newTally().map((_, at) => at + 1)
  const tallies = owners.map(owner => ({ owner, tally }))
  const others = Array.from({ length: 6000 }, (_, i) => ({
    owner: { ...ownerOf(`other${i}`), projectId: 'p0' },
    tally: tallyWith({ 0: 1, [octetsAt]: 100 }),
  }))
  await few.usage.write(hour, tallies.toReversed())
  for (let i = 0; i < 2; i += 1) await many.usage.write(hour, [...tallies, ...others])
  for (const projectId of ['p1', 'p2'])
    t.same(await all(many.usage, projectId), await all(few.usage, projectId))
  t.equal(
    formatDecimal(await many.usage.responses({ ...allTime, projectIds: new Set(['p0']) })),
    '6000',
  )
  const keys: string[] = []
  await using snapshot = many.points.snapshot(allTime)
  for await (const chunks of snapshot.scan())
    for (const { series } of chunks) keys.push(`${series.projectId} ${seriesKey(series)}`)
  t.same(keys, keys.toSorted())
  t.ok(keys.length > 12_000)
})
