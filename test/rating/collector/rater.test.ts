import t from 'tap'
import type { ScopeState } from '../../../src/model/rating.ts'
import { Rater } from '../../../src/rating/collector/rater.ts'
import { defaultPriceModel } from '../../../src/rating/hashmap/price-model.ts'
import { applyPriceModel } from '../../../src/rating/hashmap/price-models.ts'
import type { HourlyUsage } from '../../../src/rating/metering/hourly-usage.ts'
import { RatingTerm } from '../../../src/rating/rating-term.ts'
import { ratedUntil } from '../../../src/rating/scopes/catch-up.ts'
import { Reprocesses } from '../../../src/rating/scopes/reprocesses.ts'
import { Scopes } from '../../../src/rating/scopes/scopes.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { formatTimestamp } from '../../../src/rating/timestamp.ts'
import { everything } from '../../../src/store/indexes.ts'
import type { Store } from '../../../src/store/store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { openHours, writeHour } from '../../helpers/metered-hours.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { at, storedTexts, usage } from '../../helpers/usage.ts'

const hourMillis = 3_600_000

/** At three in the morning of October 1st, with all hours before metered. */
async function open(disk = new SimulatedDisk()) {
  const clock = fakeClock(at('2026-10-01T03') * 1000 + 1000)
  const store = openMemoryStore({ clock })
  const points = await PointStore.open('/rating', { files: disk })
  const onRemovalFailed = (error: unknown) => t.fail('a removal failed', { error })
  const scopes = new Scopes({ store, points, onRemovalFailed })
  const hours = await openHours((projectIds, period) => scopes.open(projectIds, period))
  const reprocesses = new Reprocesses(store)
  const meteredUntil = () => Math.floor(clock.nowMillis() / hourMillis) * 3600
  const ahead: string[] = []
  const onAhead = ({ scopeId }: ScopeState) => void ahead.push(scopeId)
  const options = { meteredUntil, onAhead }
  const parts = { store, points, hours, scopes, reprocesses, clock, ...options }
  return { ...parts, rater: new Rater(parts), ahead }
}

/** The hours, read in another way. */
function hoursThat(hours: HourlyUsage, parts: HourlyUsage['parts']) {
  return {
    parts,
    responses: (...args: Parameters<HourlyUsage['responses']>) => hours.responses(...args),
    usedFrom: (from: number) => hours.usedFrom(from),
  }
}

const scopesOf = (store: Store) =>
  [...store.list('scopeStates', 'all', everything)]
    .map(({ scopeId, lastProcessed }) => [
      scopeId,
      lastProcessed === null ? null : formatTimestamp(lastProcessed).slice(11, 16),
    ])
    .sort()

async function prices(points: PointStore) {
  const texts = await storedTexts(points)
  return texts.map(text => {
    const [metric, begin, , , groupby, , qty, price] = JSON.parse(text)
    const time = formatTimestamp(begin).slice(11, 16)
    return [time, groupby.project_id, metric, groupby.rcode, qty, price].filter(Boolean).join(' ')
  })
}

const zoneHour = { zone: 'a', zoneMillis: hourMillis, responses: [1_000_000, 500_000] }

t.test('an hour is rated one hour after it ends, at the prices there are', async t => {
  const { store, points, hours, rater, clock } = await open()
  await applyPriceModel(store, defaultPriceModel)
  for (const hour of ['00', '01', '02']) await writeHour(hours, `2026-10-01T${hour}`, [zoneHour])
  t.same(scopesOf(store), [['p1', null]])
  await rater.run()
  t.same(scopesOf(store), [['p1', '01:00']])
  const ofHour = (time: string) => [
    `${time} p1 dns.queries NOERROR 1 0.4`,
    `${time} p1 dns.queries NXDOMAIN 0.5 0`,
    `${time} p1 dns.zone 1 0.000684931506849`,
  ]
  const sorted = async () => (await prices(points)).sort()
  t.same(await sorted(), [...ofHour('00:00'), ...ofHour('01:00')])
  await rater.run()
  t.same(await sorted(), [...ofHour('00:00'), ...ofHour('01:00')], 'and only once')
  clock.advanceMillis(hourMillis)
  await rater.run()
  t.same(await sorted(), [...ofHour('00:00'), ...ofHour('01:00'), ...ofHour('02:00')])
})

t.test('nothing costs anything before somebody sets prices', async t => {
  const { points, hours, rater } = await open()
  await writeHour(hours, '2026-10-01T00', [zoneHour])
  await rater.run()
  t.same(
    (await prices(points)).map(line => line.split(' ').at(-1)),
    ['0', '0', '0'],
  )
})

t.test('what is not metered yet waits, whatever the clock says', async t => {
  const { store, points, hours, meteredUntil, ...parts } = await open()
  await writeHour(hours, '2026-10-01T00', [zoneHour])
  const rater = new Rater({ ...parts, store, points, hours, meteredUntil: () => at('2026-10-01') })
  await rater.run()
  t.same(await storedTexts(points), [])
  t.same(scopesOf(store), [['p1', null]])
})

t.test('a scope that is switched off is not rated, and made up for later', async t => {
  const { store, points, hours, rater } = await open()
  await writeHour(hours, '2026-10-01T00', [zoneHour, { ...zoneHour, zone: 'b', project: 'p2' }])
  const [first] = store.list('scopeStates', 'byScope', 'p1')
  await store.commit(tx => tx.put('scopeStates', { ...first!, isActive: false, version: 2 }))
  await rater.run()
  t.ok((await prices(points)).every(line => line.includes(' p2 ')))
  await store.commit(tx => tx.put('scopeStates', { ...first!, version: 3 }))
  await rater.run()
  t.equal((await prices(points)).filter(line => line.includes(' p1 ')).length, 3)
})

t.test('after a reset the same is rated again, to the octet, and pushed points stay', async t => {
  const { store, points, hours, scopes, rater } = await open()
  await applyPriceModel(store, defaultPriceModel)
  for (const hour of ['00', '01']) await writeHour(hours, `2026-10-01T${hour}`, [zoneHour])
  await points.write({ origin: 'pushed', points: [usage('2026-10-01T01', 'p1', '1')] })
  await rater.run()
  const before = await storedTexts(points)
  await scopes.reset({ scopeIds: ['p1'] }, at('2026-10-01T00:30'))
  await rater.run()
  t.same(await storedTexts(points), before)
  t.same(scopesOf(store), [['p1', '01:00']])
})

t.test(
  'an order to rate again uses the prices there are then, and gives the same each time',
  async t => {
    const { store, points, hours, reprocesses, rater } = await open()
    for (const hour of ['00', '01']) await writeHour(hours, `2026-10-01T${hour}`, [zoneHour])
    await rater.run()
    await applyPriceModel(store, defaultPriceModel)
    const order = { scopeIds: ['ALL'], reason: 'prices', start: at('2026-10-01') }
    await reprocesses.schedule({ ...order, end: at('2026-10-01T01') })
    await rater.run()
    t.equal((await prices(points)).filter(line => line.endsWith(' 0.4')).length, 1)
    const first = await storedTexts(points)
    t.match(reprocesses.list(), [{ current: at('2026-10-01') }])
    await reprocesses.schedule({ ...order, end: at('2026-10-01T01') })
    await rater.run()
    t.same(await storedTexts(points), first)
    t.same(reprocesses.unfinished(), [])
    t.same(scopesOf(store), [['p1', '01:00']])
  },
)

t.test('an order does not rate what a reset has left to come', async t => {
  const { points, hours, scopes, reprocesses, store, rater } = await open()
  for (const hour of ['00', '01']) await writeHour(hours, `2026-10-01T${hour}`, [zoneHour])
  await rater.run()
  const times = { start: at('2026-10-01'), end: at('2026-10-01T01') }
  await reprocesses.schedule({ scopeIds: ['p1'], reason: 'prices', ...times })
  await scopes.reset({}, at('2026-10-01'))
  await store.commit(tx => {
    const [state] = tx.list('scopeStates', 'byScope', 'p1')
    tx.put('scopeStates', { ...(state as ScopeState), isActive: false, version: 9 })
  })
  await rater.run()
  t.same(await storedTexts(points), [])
  t.same(reprocesses.unfinished(), [])
})

t.test('a reset while a period is being rated is not overwritten', async t => {
  const { store, points, hours, scopes, rater, ...parts } = await open()
  for (const hour of ['00', '01']) await writeHour(hours, `2026-10-01T${hour}`, [zoneHour])
  let resets = 0
  const slow = hoursThat(hours, async function* (...args) {
    yield* hours.parts(...args)
    if (resets === 0) {
      resets += 1
      void scopes.reset({}, at('2026-10-01T02'))
    }
  })
  const disturbed = new Rater({ ...parts, store, points, scopes, hours: slow })
  await disturbed.run()
  t.match([...store.list('scopeStates', 'all', everything)], [{ resumeFrom: at('2026-10-01T02') }])
  await scopes.settled()
  t.same(await storedTexts(points), [], 'what was not rated before the reset is left out')
})

t.test('a scope that is set to a time to come is told of once, and can be set back', async t => {
  const { store, hours, scopes, rater, ahead, clock } = await open()
  await writeHour(hours, '2026-10-01T00', [zoneHour, { ...zoneHour, zone: 'b', project: 'p2' }])
  await scopes.reset({ scopeIds: ['p1'] }, at('2036-01-01'))
  await rater.run()
  clock.advanceMillis(hourMillis)
  await rater.run()
  t.same(ahead, ['p1'])
  t.same(scopesOf(store), [
    ['p1', '00:00'],
    ['p2', '02:00'],
  ])
  await scopes.reset({ scopeIds: ['p1'] }, at('2026-10-01'))
  await rater.run()
  t.same(scopesOf(store)[0], ['p1', '02:00'])
  await scopes.reset({ scopeIds: ['p1'] }, at('2036-01-01'))
  await rater.run()
  t.same(ahead, ['p1', 'p1'])
})

t.test('scopes that used nothing go on as well, all of them in one commit', async t => {
  const { store, hours, rater, clock } = await open()
  const zones = Array.from({ length: 30 }, (_, i) => ({
    ...zoneHour,
    zone: `z${i}`,
    project: `p${i}`,
  }))
  await writeHour(hours, '2026-10-01T00', zones)
  await rater.run()
  clock.advanceMillis(hourMillis)
  const { lastLsn } = store
  await rater.run()
  t.equal(store.lastLsn, lastLsn + 1)
  t.ok(scopesOf(store).every(([, lastProcessed]) => lastProcessed === '02:00'))
})

t.test('a scope set back to the year 1 begins with the first hour of usage', async t => {
  const { store, points, hours, scopes, reprocesses, rater } = await open()
  await writeHour(hours, '2026-10-01T00', [zoneHour])
  await rater.run()
  const before = await storedTexts(points)
  await scopes.reset({}, at('0001-01-01'))
  const { lastLsn } = store
  await rater.run()
  t.equal(store.lastLsn, lastLsn + 1)
  t.same(await storedTexts(points), before)
  t.same(scopesOf(store), [['p1', '01:00']])
  const times = { start: at('0001-01-01'), end: at('2026-10-01T01') }
  await reprocesses.schedule({ scopeIds: ['p1'], reason: 'all of it', ...times })
  await rater.run()
  t.same(await storedTexts(points), before)
  t.equal(store.lastLsn, lastLsn + 3)
})

t.test('what cannot be read of one project keeps no other waiting', async t => {
  const { store, points, hours, reprocesses, ...parts } = await open()
  const other = { ...zoneHour, zone: 'b', project: 'p2' }
  await writeHour(hours, '2026-10-01T00', [zoneHour, other])
  const damaged = hoursThat(hours, range => {
    if (range.projectIds?.has('p1')) throw new Error('damaged at octet 7')
    return hours.parts(range)
  })
  const rater = new Rater({ ...parts, store, points, reprocesses, hours: damaged })
  await t.rejects(rater.run(), /damaged at octet 7/)
  t.same(scopesOf(store), [
    ['p1', null],
    ['p2', '01:00'],
  ])
  await store.commit(tx => {
    const [state] = tx.list('scopeStates', 'byScope', 'p1')
    tx.put('scopeStates', {
      ...(state as ScopeState),
      lastProcessed: at('2026-10-01T01'),
      version: 9,
    })
  })
  const times = { start: at('2026-10-01'), end: at('2026-10-01T01') }
  await reprocesses.schedule({ scopeIds: ['ALL'], reason: 'prices', ...times })
  await t.rejects(rater.run(), /damaged at octet 7/)
  t.match(reprocesses.unfinished(), [{ scopeId: 'p1' }])
  await new Rater({ ...parts, store, points, reprocesses, hours }).run()
  t.same(reprocesses.unfinished(), [], 'it is tried again')
})

t.test('what falls due does not wait for the end of an order', async t => {
  const { store, points, hours, reprocesses, clock, ...parts } = await open()
  await writeHour(hours, '2026-10-01T00', [zoneHour])
  clock.advanceMillis(100 * hourMillis)
  await writeHour(hours, '2026-10-05T06', [zoneHour])
  const read: string[] = []
  const noted = hoursThat(hours, range => {
    read.push(formatTimestamp(range.begin).slice(0, 13))
    if (read.length === 2) clock.advanceMillis(hourMillis)
    return hours.parts(range)
  })
  await new Rater({ ...parts, store, points, reprocesses, hours, clock }).run()
  const times = { start: at('2026-10-01'), end: at('2026-10-04') }
  await reprocesses.schedule({ scopeIds: ['ALL'], reason: 'prices', ...times })
  await new Rater({ ...parts, store, points, reprocesses, hours: noted, clock }).run()
  t.same(read, ['2026-10-01T00', '2026-10-02T00', '2026-10-05T06', '2026-10-03T00'])
})

t.test('an order that passes over a time without usage rates what comes after it', async t => {
  const { points, hours, reprocesses, rater } = await open()
  for (const hour of ['2026-08-31T23', '2026-10-01T00']) await writeHour(hours, hour, [zoneHour])
  await rater.run()
  const before = await storedTexts(points)
  const times = { start: at('2026-08-31T23'), end: at('2026-10-01T01') }
  await reprocesses.schedule({ scopeIds: ['ALL'], reason: 'prices', ...times })
  await rater.run()
  t.same(await storedTexts(points), before)
  t.equal(before.length, 6)
})

t.test('the tiers of a month go on from hour to hour, and begin anew with the month', async t => {
  const { points, hours, rater, clock } = await open()
  const billion = (zone: string) => ({ zone, responses: [600_000_000] })
  await writeHour(hours, '2026-10-31T22', [billion('a')])
  await writeHour(hours, '2026-10-31T23', [billion('a')])
  await writeHour(hours, '2026-11-01T00', [billion('a')])
  clock.advanceMillis(40 * 24 * hourMillis)
  await rater.run()
  const tiers = async () =>
    (await storedTexts(points)).map(text => {
      const [, begin, , , , metadata, qty] = JSON.parse(text)
      return `${formatTimestamp(begin).slice(0, 13)} tier ${metadata.tier}: ${qty}`
    })
  const expected = [
    '2026-10-31T22 tier 0: 600',
    '2026-10-31T23 tier 0: 400',
    '2026-10-31T23 tier 1: 200',
    '2026-11-01T00 tier 0: 600',
  ]
  t.same((await tiers()).sort(), expected)
})

t.test('who has lost the duty records nothing, as the next one may know of more', async t => {
  const { store, points, hours, scopes, reprocesses, ...parts } = await open()
  const raterOf = (epoch: number, onWritten: () => Promise<void> = async () => undefined) => {
    let isWritten = false
    const write: typeof points.write = async batch => {
      const result = await points.write(batch)
      if (!isWritten) {
        isWritten = true
        await onWritten()
      }
      return result
    }
    const term = new RatingTerm(store, epoch)
    const stage = points.stage.bind(points)
    const options = { ...parts, store, hours, scopes, reprocesses, term, points: { write, stage } }
    return { term, rater: new Rater(options) }
  }
  const queries = async () => (await prices(points)).filter(line => line.includes('dns.queries'))
  const hour = '2026-10-01T01'
  for (const each of ['2026-10-01T00', hour])
    await writeHour(hours, each, [{ zone: 'a', responses: [1_000_000] }])
  const second = raterOf(2)
  // When its points are stored the second takes over, and merges what came late. As the hour is not recorded as rated, the scope
  // is not set back.
  const first = raterOf(1, async () => {
    await second.term.begin()
    await writeHour(hours, hour, [{ zone: 'a', responses: [3_000_000] }])
    await scopes.rateAgain(new Set(['p1']), at(hour))
  })
  await first.term.begin()
  await t.rejects(first.rater.run(), { name: 'StoreUnavailableError' })
  await second.rater.run()
  const rated = ['00:00 p1 dns.queries NOERROR 1 0', '01:00 p1 dns.queries NOERROR 3 0']
  t.same((await queries()).sort(), rated)
  t.same(scopesOf(store), [['p1', '01:00']])

  const order = { scopeIds: ['ALL'], reason: 'prices', start: at('2026-10-01'), end: at(hour) }
  await reprocesses.schedule(order)
  const third = raterOf(3, () => raterOf(4).term.begin())
  await third.term.begin()
  await t.rejects(third.rater.run(), { name: 'StoreUnavailableError' })
  t.match(reprocesses.unfinished(), [{ current: null }])
  const fourth = raterOf(4)
  const { lastLsn } = store
  await fourth.term.begin()
  t.equal(store.lastLsn, lastLsn, 'a term begins once')
  await fourth.rater.run()
  t.same(reprocesses.unfinished(), [])
  await t.rejects(third.term.begin(), { name: 'StoreUnavailableError' }, 'too late')
})

/** More than is in memory at once with `countsInMemory`, in two hours: the second has the same zone in two pools. */
async function writeManyZones(hours: HourlyUsage): Promise<void> {
  const zones = Array.from({ length: 150 }, (_, i) => ({ ...zoneHour, zone: `z${i * 7}` }))
  await writeHour(hours, '2026-10-01T00', zones)
  const billion = { zone: 'z49', zoneMillis: 1_234_567, responses: [900_000_000, 0, 7] }
  await writeHour(hours, '2026-10-01T01', [...zones, billion])
}

const countsInMemory = 100

t.test('a period of many zones is rated as one of few, and replaced as a whole', async t => {
  const { points, rater, ...few } = await open()
  await applyPriceModel(few.store, defaultPriceModel)
  await writeManyZones(few.hours)
  await rater.run()
  const expected = await storedTexts(points)
  t.ok(expected.some(text => text.includes('"tier":"1"')))
  const many = await open()
  await writeManyZones(many.hours)
  const staged = new Rater({ ...many, countsInMemory })
  await staged.run()
  t.not((await storedTexts(many.points)).join(), expected.join(), 'without prices')
  await applyPriceModel(many.store, defaultPriceModel)
  const times = { start: at('2026-10-01'), end: at('2026-10-01T01') }
  await many.reprocesses.schedule({ scopeIds: ['ALL'], reason: 'prices', ...times })
  await staged.run()
  const before = many.store.list('scopeStates', 'all', everything)
  t.match([...before], [{ lastProcessed: at('2026-10-01T01') }])
  await many.scopes.reset({}, at('2026-10-01T01'))
  await staged.run()
  t.same(await storedTexts(many.points), expected)
  await many.points.flush()
  t.same(await storedTexts(many.points), expected)
})

t.test('after a crash at any change, hours are there as a whole, and those rated are', async t => {
  const unhurt = new SimulatedDisk()
  const whole = await open(unhurt)
  await writeManyZones(whole.hours)
  await new Rater({ ...whole, countsInMemory }).run()
  const expected = await storedTexts(whole.points)
  const period = (hour: string) => ({ begin: at(hour), end: at(hour) + 3600 })
  const periods = ['2026-10-01T00', '2026-10-01T01'].map(period)
  for (let failsAt = 1; failsAt <= unhurt.changeCount; failsAt += 1) {
    const disk = new SimulatedDisk()
    const { store, hours, ...parts } = await open(disk)
    await writeManyZones(hours)
    disk.failsAt = disk.changeCount + failsAt
    await new Rater({ ...parts, store, hours, countsInMemory }).run().catch(() => undefined)
    const points = await PointStore.open('/rating', { files: disk.afterPowerFailure(failsAt) })
    const [state] = store.list('scopeStates', 'all', everything)
    for (const each of periods) {
      const texts = await storedTexts(points, each)
      const isRated = state !== undefined && ratedUntil(state) >= each.end
      if (texts.length === 0 && !isRated) continue
      const { begin } = each
      t.same(
        texts,
        expected.filter(text => JSON.parse(text)[1] === begin),
        `change ${failsAt}`,
      )
    }
    await new Rater({ ...parts, store, hours, points, countsInMemory }).run()
    if ((await storedTexts(points)).join() !== expected.join()) t.fail(`change ${failsAt}`)
    t.same(scopesOf(store), [['p1', '01:00']])
    await points.close()
  }
})

t.test('a stop and a reset interrupt a period of many zones, and leave nothing of it', async t => {
  const disk = new SimulatedDisk()
  const { points, hours, scopes, ...parts } = await open(disk)
  await writeManyZones(hours)
  const raterOf = (onPart: () => void) => {
    let count = 0
    const interrupted = hoursThat(hours, async function* (range) {
      for await (const part of hours.parts(range)) {
        yield part
        count += 1
        if (count === 4) onPart()
      }
    })
    return new Rater({ ...parts, points, scopes, hours: interrupted, countsInMemory })
  }
  const paths = disk.paths
  const stopped: Rater = raterOf(() => void stopped.stop())
  await stopped.run()
  t.same(disk.paths, paths)
  t.same(scopesOf(parts.store), [['p1', null]])
  const disturbed = raterOf(() => void scopes.reset({}, at('2026-10-01T01')))
  await disturbed.run()
  t.same(disk.paths, paths)
  await disturbed.run()
  const begins = (await storedTexts(points)).map(text => JSON.parse(text)[1])
  t.same([...new Set(begins)], [at('2026-10-01T01')], 'what was passed over is not rated')
})
