import t from 'tap'
import { NoRoomError } from '../../../src/durable/no-room.ts'
import { formatDecimal } from '../../../src/rating/decimal.ts'
import type { HourlyUsage } from '../../../src/rating/metering/hourly-usage.ts'
import { Meter, type MeterEvent, type MeterOptions } from '../../../src/rating/metering/meter.ts'
import {
  octetsAt,
  recordsetMillisAt,
  type Tally,
  zoneMillisAt,
} from '../../../src/rating/metering/tally.ts'
import { formatTimestamp } from '../../../src/rating/timestamp.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { FakeZones } from '../../helpers/metered-zones.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'

const minute = 60_000
const hour = 60 * minute

/** What an hour of a zone came to: `12:00 a of p1: 7 NOERROR, 1 h, 2 h of recordsets`. */
class Hours implements Pick<HourlyUsage, 'write' | 'usedUntil'> {
  readonly #lines = new Map<number, readonly string[]>()
  failure: Error | undefined
  onTally: (zoneId: string) => void = () => undefined

  get usedUntil(): number | undefined {
    return this.#lines.size === 0 ? undefined : (Math.max(...this.#lines.keys()) + 1) * 3600
  }

  get lines(): readonly string[] {
    return [...this.#lines].sort(([a], [b]) => a - b).flatMap(([, lines]) => lines)
  }

  async write(
    ...[hourNumber, tallies, requireWanted]: Parameters<HourlyUsage['write']>
  ): Promise<void> {
    if (this.failure !== undefined) throw this.failure
    const time = formatTimestamp(hourNumber * 3600).slice(11, 16)
    const lines = Array.from(tallies, ({ owner, tally }) => {
      this.onTally(owner.zoneId)
      return `${time} ${owner.zoneId} of ${owner.projectId}: ${textOf(tally)}`
    })
    requireWanted?.()
    this.#lines.set(hourNumber, lines.sort())
  }
}

function textOf(tally: Tally): string {
  const part = (at: number, unit: string) => (tally[at] ? [`${tally[at]} ${unit}`] : [])
  const minutes = (at: number, unit: string) =>
    tally[at] ? [`${(tally[at] ?? 0) / minute} min${unit}`] : []
  return [
    ...part(0, 'NOERROR'),
    ...part(1, 'NXDOMAIN'),
    ...part(octetsAt, 'octets'),
    ...minutes(zoneMillisAt, ''),
    ...minutes(recordsetMillisAt, ' of recordsets'),
  ].join(', ')
}

/** At noon, with one zone of two recordsets in zone number 0. */
async function open(
  disk = new SimulatedDisk(),
  options: Pick<MeterOptions, 'isBookedByCommit'> = {},
) {
  const clock = fakeClock()
  const zones = new FakeZones(clock)
  zones.put('a', { zoneNumber: 0 })
  const hours = new Hours()
  const events: MeterEvent[] = []
  const takenBack: string[] = []
  const start = (on = disk) =>
    Meter.open({
      ...options,
      folder: '/usage',
      zones,
      hours,
      clock,
      files: on,
      onTakenBack: async from => void takenBack.push(formatTimestamp(from).slice(0, 13)),
      onEvent: event => events.push(event),
    })
  const meter = await start()
  return { clock, zones, hours, events, takenBack, disk, meter, start }
}

t.test(
  'an hour that is over is handed over, with what was counted until it was noticed',
  async t => {
    const { clock, zones, hours, meter } = await open()
    zones.answer(0, 0, 7)
    zones.answer(0, octetsAt, 700)
    clock.advanceMillis(59 * minute)
    await meter.flush()
    t.same(hours.lines, [])
    zones.answer(0, 1, 1)
    clock.advanceMillis(minute + 500)
    await meter.flush()
    const first = '12:00 a of p1: 7 NOERROR, 1 NXDOMAIN, 700 octets, 60 min, 120 min of recordsets'
    t.same(hours.lines, [first])
    t.equal(formatTimestamp(meter.closedUntil), '2026-11-21T13:00:00+00:00')
    clock.advanceMillis(2 * hour)
    await meter.flush()
    t.same(hours.lines, [
      first,
      '13:00 a of p1: 60 min, 120 min of recordsets',
      '14:00 a of p1: 60 min, 120 min of recordsets',
    ])
  },
)

t.test('recordsets count for as long as they are there', async t => {
  const { clock, zones, hours, meter } = await open()
  clock.advanceMillis(15 * minute)
  meter.commitPublished(zones.put('a', { recordsetCount: 10 }))
  clock.advanceMillis(15 * minute)
  meter.commitPublished(zones.put('a', { recordsetCount: 0 }))
  clock.advanceMillis(30 * minute)
  await meter.flush()
  t.same(hours.lines, ['12:00 a of p1: 60 min, 180 min of recordsets'])
})

t.test('a zone that changes hands is split at that instant, to the query', async t => {
  const { clock, zones, hours, meter } = await open()
  zones.answer(0, 0, 100)
  clock.advanceMillis(20 * minute)
  meter.commitPublished(zones.put('a', { projectId: 'p2' }))
  zones.answer(0, 0, 50)
  clock.advanceMillis(10 * minute)
  meter.commitPublished(zones.put('a', { projectId: 'p1' }))
  zones.answer(0, 0, 1)
  clock.advanceMillis(30 * minute)
  await meter.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 1 NOERROR, 30 min, 60 min of recordsets',
    '12:00 a of p1: 100 NOERROR, 20 min, 40 min of recordsets',
    '12:00 a of p2: 50 NOERROR, 10 min, 20 min of recordsets',
  ])
})

t.test('what a failover takes back is booked up to then, and not a second time', async t => {
  const { clock, zones, hours, meter } = await open(undefined, { isBookedByCommit: true })
  const kept = zones.put('a')
  meter.commitPublished(kept)
  meter.commitPublished(zones.put('b'))
  clock.advanceMillis(20 * minute)
  meter.commitPublished(zones.put('a', { projectId: 'p2' }))
  clock.advanceMillis(10 * minute)
  meter.commitPublished(zones.remove('b'))
  clock.advanceMillis(10 * minute)
  const { atMicros } = kept
  meter.commitPublished({ ...zones.put('a', { projectId: 'p1' }), atMicros })
  meter.commitPublished({ ...zones.put('b'), atMicros })
  clock.advanceMillis(20 * minute)
  await meter.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 20 min, 40 min of recordsets',
    '12:00 a of p1: 30 min, 60 min of recordsets',
    '12:00 a of p2: 10 min, 20 min of recordsets',
    '12:00 b of p1: 30 min, 60 min of recordsets',
    '12:00 b of p1: 30 min, 60 min of recordsets',
  ])
})

t.test('a zone that is served anew without having changed is found by its zone number', async t => {
  const { clock, zones, hours, meter } = await open()
  zones.answer(0, 0, 1)
  zones.put('a', { zoneNumber: 5 })
  zones.answer(5, 0, 2)
  zones.answer(6, 0, 3)
  clock.advanceMillis(60 * minute)
  await meter.flush()
  t.same(hours.lines, ['12:00 a of p1: 3 NOERROR, 60 min, 120 min of recordsets'])
})

t.test('a zone that is deleted is closed once, and its last answers are its own', async t => {
  const { clock, zones, hours, meter } = await open()
  zones.answer(0, 0, 3)
  clock.advanceMillis(30 * minute)
  meter.commitPublished(zones.remove('a'))
  meter.commitPublished(zones.remove('a'))
  zones.answer(0, 0, 1)
  await meter.flush()
  meter.zoneNumberFreed(0)
  clock.advanceMillis(10 * minute)
  meter.commitPublished(zones.put('b', { zoneNumber: 0, projectId: 'p2' }))
  zones.answer(0, 0, 10)
  clock.advanceMillis(30 * minute)
  await meter.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 4 NOERROR, 30 min, 60 min of recordsets',
    '12:00 b of p2: 10 NOERROR, 20 min, 40 min of recordsets',
  ])
})

t.test('answers that are read when their hour is final are booked in the next', async t => {
  const { clock, zones, hours, meter, start } = await open()
  clock.advanceMillis(30 * minute)
  meter.commitPublished(zones.remove('a'))
  clock.advanceMillis(30 * minute)
  await meter.flush()
  zones.answer(0, 0, 2)
  meter.zoneNumberFreed(0)
  await meter.flush()
  zones.restart()
  const second = await start()
  clock.advanceMillis(hour)
  await second.flush()
  t.same(hours.lines, ['12:00 a of p1: 30 min, 60 min of recordsets', '13:00 a of p1: 2 NOERROR'])
})

t.test('a kill loses what was counted since the last flush and nothing else', async t => {
  const { clock, zones, hours, meter, start, disk } = await open()
  zones.answer(0, 0, 100)
  clock.advanceMillis(10 * minute)
  await meter.flush()
  zones.answer(0, 0, 9)
  meter.commitPublished(zones.put('b', { zoneNumber: 1, recordsetCount: 1 }))
  zones.restart()
  clock.advanceMillis(5 * minute)
  const second = await start(disk.afterKill())
  zones.answer(0, 0, 20)
  clock.advanceMillis(45 * minute)
  await second.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 120 NOERROR, 60 min, 120 min of recordsets',
    '12:00 b of p1: 50 min, 50 min of recordsets',
  ])
})

t.test('what happened to zones after the last flush is booked by what their rows say', async t => {
  const { clock, zones, hours, meter, start, disk } = await open()
  for (const id of ['gone', 'moved', 'grown']) meter.commitPublished(zones.put(id))
  clock.advanceMillis(10 * minute)
  await meter.flush()
  clock.advanceMillis(10 * minute)
  zones.remove('gone')
  zones.put('moved', { projectId: 'p2' })
  zones.put('grown', { recordsetCount: 3 })
  clock.advanceMillis(10 * minute)
  const second = await start(disk.afterKill())
  clock.advanceMillis(30 * minute)
  await second.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 60 min, 120 min of recordsets',
    '12:00 gone of p1: 10 min, 20 min of recordsets',
    '12:00 grown of p1: 60 min, 160 min of recordsets',
    '12:00 moved of p1: 20 min, 40 min of recordsets',
    '12:00 moved of p2: 40 min, 80 min of recordsets',
  ])
})

t.test('hours that ended while nothing ran are handed over by the first flush', async t => {
  const { clock, zones, hours, meter, start } = await open()
  zones.answer(0, 0, 5)
  clock.advanceMillis(30 * minute)
  await meter.close()
  clock.advanceMillis(2 * hour)
  zones.restart()
  const second = await start()
  t.same(hours.lines, [], 'a start does not wait for them')
  await second.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 5 NOERROR, 60 min, 120 min of recordsets',
    '13:00 a of p1: 60 min, 120 min of recordsets',
  ])
  await second.close()
})

t.test(
  'a stop keeps what was counted, and leaves hours that have ended to the next run',
  async t => {
    const { clock, zones, hours, meter, start } = await open()
    clock.advanceMillis(150 * minute)
    zones.answer(0, 0, 5)
    const flushed = meter.flush()
    await meter.close()
    await flushed
    t.ok(hours.lines.length < 2)
    zones.restart()
    const second = await start()
    await second.flush()
    t.same(hours.lines, [
      '12:00 a of p1: 5 NOERROR, 60 min, 120 min of recordsets',
      '13:00 a of p1: 60 min, 120 min of recordsets',
    ])
    await second.close()
  },
)

for (const stoppedAt of ['a', 'b'])
  t.test(`a stop at zone ${stoppedAt} leaves the hour to the next run`, async t => {
    const { clock, zones, hours, meter, start } = await open()
    meter.commitPublished(zones.put('b'))
    zones.answer(0, 0, 5)
    clock.advanceMillis(70 * minute)
    const seen: string[] = []
    hours.onTally = zoneId => {
      seen.push(zoneId)
      if (zoneId === stoppedAt) meter.stop()
    }
    await meter.flush()
    t.same(seen, stoppedAt === 'a' ? ['a'] : ['a', 'b'])
    t.same(hours.lines, [])
    zones.answer(0, 0, 2)
    await meter.close()
    hours.onTally = () => undefined
    zones.restart()
    const second = await start()
    clock.advanceMillis(50 * minute)
    await second.flush()
    t.same(hours.lines, [
      '12:00 a of p1: 5 NOERROR, 60 min, 120 min of recordsets',
      '12:00 b of p1: 60 min, 120 min of recordsets',
      '13:00 a of p1: 2 NOERROR, 60 min, 120 min of recordsets',
      '13:00 b of p1: 60 min, 120 min of recordsets',
    ])
    await second.close()
  })

t.test('a clock that is set back an hour bills nothing twice', async t => {
  const { clock, zones, hours, meter, start, events } = await open()
  zones.answer(0, 0, 5)
  clock.advanceMillis(90 * minute)
  await meter.flush()
  clock.advanceMillis(-60 * minute)
  zones.answer(0, 0, 1)
  await meter.flush()
  t.same(events, [{ kind: 'clock-behind', millis: hour }])
  await meter.close()
  zones.restart()
  const second = await start()
  zones.answer(0, 0, 2)
  clock.advanceMillis(59 * minute)
  await second.flush()
  t.equal(hours.lines.length, 1)
  clock.advanceMillis(31 * minute)
  await second.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 5 NOERROR, 60 min, 120 min of recordsets',
    '13:00 a of p1: 3 NOERROR, 60 min, 120 min of recordsets',
  ])
})

t.test('a clock that was years ahead is believed an hour after it was set back', async t => {
  const { clock, zones, hours, meter, events, takenBack } = await open()
  const ahead = 3650 * 24 * hour
  clock.advanceMillis(30 * minute)
  zones.answer(0, 0, 1)
  await meter.flush()
  clock.advanceMillis(ahead)
  await meter.flush()
  clock.advanceMillis(5 * minute - ahead)
  zones.answer(0, 0, 2)
  await meter.flush()
  t.match(events, [{ kind: 'gap' }, { kind: 'clock-behind' }])
  const metered = hours.lines.length
  clock.advanceMillis(59 * minute)
  // The store's commits go on behind the latest.
  const atMicros = (clock.nowMillis() + ahead) * 1000
  meter.commitPublished({ ...zones.put('b'), atMicros })
  zones.answer(0, 0, 4)
  await meter.flush()
  t.same([hours.lines.length, takenBack], [metered, []], 'it stands still')
  clock.advanceMillis(minute)
  await meter.flush()
  t.match(events.slice(2), [{ kind: 'clock-believed' }])
  t.same(takenBack, ['2026-11-21T13'])
  t.equal(formatTimestamp(meter.closedUntil), '2026-11-21T13:00:00+00:00')
  meter.commitPublished({ ...zones.put('b', { recordsetCount: 3 }), atMicros })
  clock.advanceMillis(25 * minute)
  await meter.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 1 NOERROR, 30 min, 60 min of recordsets',
    '13:00 a of p1: 6 NOERROR, 60 min, 120 min of recordsets',
    '13:00 b of p1: 60 min, 145 min of recordsets',
  ])
})

t.test('what was metered in days that had not come is metered again as they come', async t => {
  const { clock, zones, hours, meter, takenBack, start, disk } = await open()
  const ahead = 24 * hour
  clock.advanceMillis(30 * minute + ahead)
  await meter.flush()
  t.equal(hours.lines.length, 24)
  clock.advanceMillis(-ahead)
  const secondDisk = disk.afterKill()
  const second = await start(secondDisk)
  for (let i = 0; i < 6; i += 1) {
    clock.advanceMillis(10 * minute)
    await second.flush()
  }
  t.same(takenBack, ['2026-11-21T13'])
  zones.put('late', { createdAt: clock.nowMillis() + ahead })
  const third = await start(secondDisk.afterKill())
  zones.answer(0, 0, 3)
  for (let i = 0; i < 60; i += 1) {
    clock.advanceMillis(30 * minute)
    await third.flush()
  }
  t.equal(takenBack.length, 1, 'the journal says that it has gone back')
  const lines = hours.lines.filter(line => line.includes(' a of '))
  t.equal(hours.lines.length - lines.length, 30, 'a zone whose row is ahead is metered, too')
  const times = lines.map(line => line.slice(0, 5))
  t.equal(times.length, 31, 'each hour once, up to half past seven the day after')
  t.same([times[0], times.at(-1)], ['12:00', '18:00'])
  t.ok(lines.every(line => line.endsWith(' 60 min, 120 min of recordsets')))
  t.match(lines[1], /^13:00 a of p1: 3 NOERROR/)
})

t.test('a clock that was believed and wrong takes nothing else with it', async t => {
  const { clock, zones, hours, meter, events } = await open()
  for (let i = 0; i < 48; i += 1) {
    zones.answer(0, 0, 1)
    clock.advanceMillis(hour)
    await meter.flush()
  }
  const before = hours.lines
  clock.advanceMillis(-30 * hour)
  for (let i = 0; i < 10; i += 1) {
    await meter.flush()
    clock.advanceMillis(10 * minute)
  }
  t.match(events, [{ kind: 'clock-behind' }, { kind: 'clock-believed' }])
  clock.advanceMillis(30 * hour)
  await meter.flush()
  t.match(events.slice(2), [{ kind: 'gap' }])
  const changed = hours.lines.filter((line, i) => line !== before[i])
  t.equal(hours.lines.length, before.length)
  t.equal(changed.length, 1, 'the hour it was believed for')
})

t.test('a gap that is too long to be believed is not billed', async t => {
  const { clock, zones, hours, meter, events } = await open()
  zones.answer(0, 0, 5)
  clock.advanceMillis(10 * minute)
  await meter.flush()
  clock.advanceMillis(10_000 * 24 * hour)
  await meter.flush()
  t.match(events, [{ kind: 'gap' }])
  clock.advanceMillis(50 * minute)
  await meter.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 5 NOERROR, 10 min, 20 min of recordsets',
    '12:00 a of p1: 50 min, 100 min of recordsets',
  ])
})

t.test('nor is one that ends with a change', async t => {
  const { clock, zones, hours, meter, events } = await open()
  clock.advanceMillis(10_000 * 24 * hour + 10 * minute)
  meter.commitPublished(zones.put('b'))
  t.match(events, [{ kind: 'gap' }])
  clock.advanceMillis(50 * minute)
  await meter.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 50 min, 100 min of recordsets',
    '12:00 b of p1: 50 min, 100 min of recordsets',
  ])
})

t.test('what cannot be handed over or written is kept and tried again', async t => {
  const { clock, zones, hours, meter, disk, start } = await open()
  zones.answer(0, 0, 5)
  hours.failure = new Error('read-only')
  clock.advanceMillis(hour)
  await t.rejects(meter.flush(), /read-only/)
  zones.answer(0, 0, 2)
  disk.failsAt = disk.changeCount
  await t.rejects(meter.flush())
  disk.failsAt = Number.POSITIVE_INFINITY
  await t.rejects(meter.flush(), /read-only/, 'the journal is whole again')
  hours.failure = undefined
  zones.restart()
  const second = await start(disk.afterKill())
  clock.advanceMillis(hour)
  await second.flush()
  t.same(hours.lines, [
    '12:00 a of p1: 5 NOERROR, 60 min, 120 min of recordsets',
    '13:00 a of p1: 2 NOERROR, 60 min, 120 min of recordsets',
  ])
})

t.test('on a full disk metering starts in memory, and is durable when there is room', async t => {
  const full = new SimulatedDisk()
  full.capacityOctets = 0
  const { clock, zones, hours, events, meter, disk, start } = await open(full)
  t.match(events, [{ kind: 'not-durable', error: { name: 'NoRoomError' } }])
  zones.answer(0, 0, 5)
  clock.advanceMillis(hour / 2)
  await t.rejects(meter.flush(), NoRoomError)
  disk.capacityOctets = Number.POSITIVE_INFINITY
  await meter.flush()
  zones.restart()
  const second = await start(disk.afterPowerFailure(1))
  clock.advanceMillis(hour / 2)
  await second.flush()
  t.same(hours.lines, ['12:00 a of p1: 5 NOERROR, 60 min, 120 min of recordsets'])
})

t.test(
  'the power may fail at any moment: what is lost is at most what came since a flush',
  async t => {
    const countChanges = async (failsAt: number, seed: number) => {
      const disk = new SimulatedDisk()
      const parts = await open(disk)
      disk.failsAt = disk.changeCount + failsAt
      let flushed = 0
      let answered = 0
      try {
        for (let i = 0; i < 8; i += 1) {
          parts.zones.answer(0, 0, 1)
          answered += 1
          parts.clock.advanceMillis(20 * minute)
          await parts.meter.flush()
          flushed = answered
        }
        disk.failsAt = Number.POSITIVE_INFINITY
      } catch {
        // The power has gone.
      }
      const isDone = disk.failsAt === Number.POSITIVE_INFINITY
      parts.zones.restart()
      const second = await parts.start(disk.afterPowerFailure(seed))
      parts.clock.advanceMillis(hour)
      await second.flush()
      const counts = parts.hours.lines.map(line => Number(/: (\d+) NOERROR/.exec(line)?.[1] ?? 0))
      const total = counts.reduce((sum, count) => sum + count, 0)
      t.ok(
        total >= flushed && total <= answered,
        `${flushed} to ${answered} at ${failsAt}: ${total}`,
      )
      const minutes = parts.hours.lines.map(line => Number(/(\d+) min,/.exec(line)?.[1]))
      t.ok(
        minutes.every(count => count === 60),
        'no time is lost or added',
      )
      return isDone
    }
    for (let failsAt = 0; ; failsAt += 1) {
      const isDone = await countChanges(failsAt, 2 * failsAt)
      await countChanges(failsAt, 2 * failsAt + 1)
      if (isDone) break
      if (failsAt > 500) throw new Error('it never ends')
    }
  },
)

t.test('reading what a project uses changes nothing of what is booked', async t => {
  const { clock, zones, hours, meter } = await open(undefined, { isBookedByCommit: true })
  clock.advanceMillis(20 * minute)
  const changed = zones.put('a', { recordsetCount: 4 })
  clock.advanceMillis(10 * minute)
  await meter.flush()
  const { counts } = await meter.openUsage('p1')
  t.same(
    counts.map(({ metric, amount }) => [metric, formatDecimal(amount)]),
    [
      ['recordset', String(60 * minute)],
      ['zone', String(30 * minute)],
    ],
  )
  meter.commitPublished(changed)
  clock.advanceMillis(30 * minute)
  await meter.flush()
  t.same(hours.lines, ['12:00 a of p1: 60 min, 200 min of recordsets'])
})

t.test(
  'what a project uses is read of the hours that are not handed over, in whatever order',
  async t => {
    const { clock, zones, meter } = await open()
    const zoneCount = 20_000
    for (let i = 1; i < zoneCount; i += 1) meter.commitPublished(zones.put(`zone${i}`))
    clock.advanceMillis(61 * minute)
    let isFlushed = false
    const flushed = meter.flush().then(() => {
      isFlushed = true
    })
    while (!isFlushed) {
      const { closedUntil, counts } = await meter.openUsage('p1')
      const zonesOf = Map.groupBy(
        counts.filter(({ metric }) => metric === 'zone'),
        ({ begin }) => begin,
      )
      for (const [begin, { length }] of zonesOf)
        if (begin < closedUntil || length !== zoneCount) t.fail(`${length} zones at ${begin}`)
    }
    await flushed
    const { closedUntil, counts } = await meter.openUsage('p1')
    t.equal(formatTimestamp(closedUntil).slice(11, 16), '13:00')
    t.equal(counts.length, 2 * zoneCount)
  },
)
