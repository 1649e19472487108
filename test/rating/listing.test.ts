import fc from 'fast-check'
import t from 'tap'
import type { DataPoint } from '../../src/rating/data-point.ts'
import { framesJson } from '../../src/rating/dataframe.ts'
import { parseFilters } from '../../src/rating/filters.ts'
import { PointListing, type PointQuery } from '../../src/rating/listing.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { heldAsync } from '../helpers/held.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { anyPoint, at, pointText, usage } from '../helpers/usage.ts'

const everything = { begin: 0, end: at('2030-01-01') }

const list = async (store: PointStore, query: Partial<PointQuery> = {}) => {
  const whole = { period: everything, filters: new Map(), offset: 0, limit: 1000, ...query }
  await using listing = await PointListing.open(store, whole)
  const points: DataPoint[] = []
  for await (const portion of listing.points()) points.push(...portion)
  return { total: listing.total, points }
}

const storeOf = async (points: readonly DataPoint[]): Promise<PointStore> => {
  const store = await PointStore.open('s', {
    files: new SimulatedDisk(),
    limits: { memoryPoints: 10 },
  })
  for (let i = 0; i < points.length; i += 7) {
    await store.write({ origin: 'pushed', points: points.slice(i, i + 7) })
  }
  return store
}

t.test('pages put together are all points, in order of begin and end', async t => {
  await heldAsync(
    t,
    fc.asyncProperty(
      fc.array(anyPoint, { maxLength: 40 }),
      fc.integer({ min: 1, max: 15 }),
      async (points, limit) => {
        const store = await storeOf(points)
        const whole = await list(store)
        const pages: DataPoint[] = []
        for (let offset = 0; offset < points.length; offset += limit) {
          pages.push(...(await list(store, { offset, limit })).points)
        }
        await store.close()
        const periods = whole.points.map(({ begin, end }) => begin * 1e5 + (end - begin))
        return (
          whole.total === points.length &&
          whole.points.map(pointText).sort().join() === points.map(pointText).sort().join() &&
          pages.map(pointText).join() === whole.points.map(pointText).join() &&
          periods.every((period, i) => i === 0 || period >= (periods[i - 1] ?? 0))
        )
      },
    ),
    { numRuns: 100 },
  )
})

t.test('total counts points before paging, and a page may cut a period', async t => {
  const points = ['p1', 'p2', 'p3'].map(id => usage('2026-10-01', id, '1'))
  const store = await storeOf([...points, usage('2026-10-02', 'p1', '1')])
  const page = await list(store, { offset: 1, limit: 3 })
  t.equal(page.total, 4)
  t.equal(page.points.length, 3)
  const frames: { usage: Record<string, object[]> }[] = JSON.parse(
    `[${[...framesJson(page.points)].join('')}]`,
  )
  t.same(
    frames.map(({ usage }) => usage['dns.queries']?.length),
    [2, 1],
  )
  t.same(await list(store, { offset: 4 }), { total: 4, points: [] }, 'past the end')
  await store.close()
})

t.test('filters and period select', async t => {
  const store = await storeOf([
    usage('2026-10-01', 'p1', '1'),
    usage('2026-10-01', 'p2', '2', { metadata: { zone_name: 'a.' } }),
    usage('2026-10-02', 'p2', '3'),
  ])
  const filters = (text: string) => parseFilters([text], { valuesPerKey: 'one' })
  t.equal((await list(store, { filters: filters('project_id:p2') })).total, 2)
  t.equal((await list(store, { filters: filters('zone_name:a.') })).total, 1)
  t.equal((await list(store, { filters: filters('type:other') })).total, 0)
  const period = { begin: at('2026-10-02'), end: at('2026-10-03') }
  t.equal((await list(store, { period })).points.length, 1)
  const cut = { begin: at('2026-09-30T23:30'), end: at('2026-10-01T00:00:01') }
  t.equal((await list(store, { period: cut })).points.length, 2)
  const late = [{ ...usage('2026-10-01', 'p1', '9'), begin: at('2026-10-01T00:40') }]
  await store.write({ origin: 'pushed', points: late })
  t.equal((await list(store, { period: cut })).points.length, 2, 'ends within an hour')
  t.equal((await list(store, { period: { begin: period.end, end: period.begin } })).total, 0)
  await store.close()
})

t.test('an hour of many points is given out in portions, each point once', async t => {
  const points = Array.from({ length: 45_000 }, (_, i) => usage('2026-10-01', `p${i}`, '1'))
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  await store.write({ origin: 'pushed', points })
  const query = { period: everything, filters: new Map(), offset: 1, limit: 44_000 }
  await using listing = await PointListing.open(store, query)
  const sizes: number[] = []
  const projects = new Set<string | undefined>()
  for await (const portion of listing.points()) {
    sizes.push(portion.length)
    for (const point of portion) projects.add(point.groupby.project_id)
  }
  t.same(sizes, [20_000, 20_000, 4_000])
  t.equal(projects.size, 44_000)
  await store.close()
})
