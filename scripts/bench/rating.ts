// Question: how fast are large amounts of usage stored and added up?
// Method: one month of hourly points as the meter would write them (zones of 100 projects; per zone and hour its
//   existence, recordsets, octets, and queries by rcode and transport), one batch an hour, each durable before
//   the next is built. Then summaries and a listing, cold first and then the median of 5; the process's memory
//   beside. Run with a number of points, default 1,000,000: npm run bench -- rating 10000000
//   A folder behind it keeps the store; run again with it, the memory is that of reading alone.
// A good number, at 10 million points: below 200 ms for one project's month and below 2 s for all projects by
//   project and type, because a table that takes longer to appear is not looked at.
// Not measured: HTTP, JSON, more than one reader at a time, a disk that is slower than this one's.

import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DataPoint } from '../../src/rating/data-point.ts'
import { decimal, formatDecimal, multiply, zero } from '../../src/rating/decimal.ts'
import type { Filters } from '../../src/rating/filters.ts'
import { noGrouping, parseGroupby } from '../../src/rating/groupby.ts'
import { PointListing } from '../../src/rating/listing.ts'
import { hourSeconds, monthPeriod } from '../../src/rating/period.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { summarize } from '../../src/rating/summary.ts'
import type { SummaryQuery } from '../../src/rating/summary-query.ts'
import { Dice } from '../../test/helpers/dice.ts'
import { machineLine } from './report/machine.ts'

const month = monthPeriod('2026-10')
const projectCount = 100
/** As the collector would write a zone's answered queries: few kinds, most of them good. */
const queryKinds: readonly (readonly [string, string])[] = [
  ['NOERROR', 'udp'],
  ['NOERROR', 'tcp'],
  ['NXDOMAIN', 'udp'],
]
const pointsPerZone = 3 + queryKinds.length
const zonePrice = decimal(684_931_506_849n, 15)
const queryPrice = decimal(4n, 1)

async function main(): Promise<void> {
  const pointCount = Number(process.argv[2] ?? 1_000_000)
  const kept = process.argv[3]
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'zonewright-rating-')))
  try {
    if (!(await isFilled(folder))) await fill(folder, pointCount)
    await report(folder)
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true })
  }
  console.log(machineLine())
}

async function isFilled(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  return names.length > 0
}

async function fill(folder: string, pointCount: number): Promise<void> {
  const hours = (month.end - month.begin) / hourSeconds
  const zoneCount = Math.ceil(pointCount / hours / pointsPerZone)
  const store = await PointStore.open(folder)
  const dice = new Dice(1)
  const startedAt = performance.now()
  let count = 0
  let slowestMs = 0
  for (let begin = month.begin; begin < month.end; begin += hourSeconds) {
    const points = pointsOfHour(begin, zoneCount, dice)
    const writtenAt = performance.now()
    await store.write({ key: `hour-${begin}`, origin: 'dns', points })
    slowestMs = Math.max(slowestMs, performance.now() - writtenAt)
    count += points.length
  }
  const seconds = (performance.now() - startedAt) / 1000
  await store.flush()
  const restSeconds = (performance.now() - startedAt) / 1000 - seconds
  print('points stored', `${count} of ${zoneCount} zones, ${Math.round(count / seconds)} a second`)
  print('slowest hour, durable', `${slowestMs.toFixed(0)} ms`)
  print('until merging rests', `${restSeconds.toFixed(1)} s`)
  await store.close()
}

function pointsOfHour(begin: number, zoneCount: number, dice: Dice): readonly DataPoint[] {
  const points: DataPoint[] = []
  for (let zone = 0; zone < zoneCount; zone++) {
    const id = `${String(zone).padStart(8, '0')}-0000-4000-8000-000000000000`
    const common = { project_id: projectName(zone % projectCount), id, pool_id: 'default' }
    const base = {
      begin,
      end: begin + hourSeconds,
      metadata: { zone_name: `zone-${zone}.example.` },
    }
    const existence = { ...base, groupby: { ...common, zone_type: 'PRIMARY' } }
    points.push(
      { ...existence, metric: 'dns.zone', unit: 'zone', qty: decimal(1n, 0), price: zonePrice },
      {
        ...base,
        groupby: common,
        metric: 'dns.recordset',
        unit: 'recordset',
        qty: decimal(BigInt(20 + (zone % 50)), 0),
        price: zero,
      },
      {
        ...base,
        groupby: { ...common, transport: 'udp' },
        metric: 'dns.bytes',
        unit: 'MB',
        qty: decimal(BigInt(dice.below(10_000_000)), 6),
        price: zero,
      },
    )
    for (const [rcode, transport] of queryKinds) {
      const qty = decimal(BigInt(dice.below(100_000)), 6)
      const price = rcode === 'NXDOMAIN' ? zero : multiply(qty, queryPrice)
      points.push({
        ...base,
        groupby: { ...common, rcode, transport },
        metric: 'dns.queries',
        unit: 'Mquery',
        qty,
        price,
      })
    }
  }
  return points
}

async function report(folder: string): Promise<void> {
  const openedAt = performance.now()
  const store = await PointStore.open(folder)
  print('opened again', `${(performance.now() - openedAt).toFixed(0)} ms`)
  print('on disk', await diskUse(folder))
  const oneProject = new Map([['project_id', [projectName(7)]]])
  const hours = { begin: month.begin + 100 * hourSeconds, end: month.begin + 400 * hourSeconds }
  await time('one project, month, by type', store, {
    filters: oneProject,
    grouping: parseGroupby(['type']),
  })
  await time('one project, month, by zone and hour', store, {
    filters: oneProject,
    grouping: parseGroupby(['id,time']),
  })
  await time('all, month, by project and type', store, {
    grouping: parseGroupby(['project_id,type']),
  })
  await time('all, month, by rcode', store, {
    filters: new Map([['type', ['dns.queries']]]),
    grouping: parseGroupby(['rcode']),
  })
  await time('all, 300 hours, by project and type', store, {
    period: hours,
    grouping: parseGroupby(['project_id,type']),
  })
  await time('all, month, by type and day', store, { grouping: parseGroupby(['type,time-d']) })
  await timeListing('first 100 points of one project', store, oneProject)
  await timeListing('first 100 points of all', store, new Map())
  await store.close()
}

async function time(title: string, store: PointStore, query: Partial<SummaryQuery>): Promise<void> {
  const whole = {
    period: month,
    filters: new Map(),
    grouping: noGrouping,
    offset: 0,
    limit: 100,
    ...query,
  }
  await timed(title, async () => {
    const { total, rows } = await summarize(store, whole)
    return `${total} rows, first ${rows[0]?.amounts.map(formatDecimal).join(' ')}`
  })
}

async function timeListing(title: string, store: PointStore, filters: Filters): Promise<void> {
  await timed(title, async () => {
    const query = { period: month, filters, offset: 0, limit: 100 }
    await using listing = await PointListing.open(store, query)
    let count = 0
    for await (const points of listing.points()) count += points.length
    return `${count} of ${listing.total}`
  })
}

async function timed(title: string, work: () => Promise<string>): Promise<void> {
  const times: number[] = []
  let outcome = ''
  for (let round = 0; round < 6; round++) {
    const startedAt = performance.now()
    outcome = await work()
    times.push(performance.now() - startedAt)
  }
  const [cold = 0, ...warm] = times
  const medianMs = warm.sort((a, b) => a - b)[2] ?? 0
  const heapMb = Math.round(process.memoryUsage().rss / 1e6)
  print(
    title,
    `${medianMs.toFixed(0)} ms, first ${cold.toFixed(0)} ms; process ${heapMb} MB; ${outcome}`,
  )
}

async function diskUse(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true })
  const files = await Promise.all(names.map(name => stat(join(folder, name))))
  const octets = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  const segments = names.filter(name => name.endsWith('.segment')).length
  return `${(octets / 1e6).toFixed(1)} MB in ${segments} segments`
}

function projectName(number: number): string {
  return `project-${String(number).padStart(24, '0')}`
}

function print(title: string, figure: string): void {
  console.log(`${title.padEnd(38)} ${figure}`)
}

await main()
