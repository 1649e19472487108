import fc from 'fast-check'
import t from 'tap'
import { CostLedger } from '../../../src/rating/budgets/cost-ledger.ts'
import { CostTotals } from '../../../src/rating/budgets/cost-totals.ts'
import { type DataPoint, projectOf } from '../../../src/rating/data-point.ts'
import { add, formatDecimal, getDecimal, zero } from '../../../src/rating/decimal.ts'
import { monthOf, monthPeriod } from '../../../src/rating/period.ts'
import { type Batch, prepareBatch } from '../../../src/rating/segments/batch.ts'
import { chunkOf } from '../../../src/rating/segments/chunk.ts'
import { packColumns } from '../../../src/rating/segments/columns.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { compareTexts } from '../../../src/rating/sort-steps.ts'
import { atOnce } from '../../../src/time-slice.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { anyBatch, at, NaiveStore, usage } from '../../helpers/usage.ts'

const month = '2026-10'
const projects = ['p1', 'p2', 'p1!', '']

/** A store of points that is small enough in memory to write segments, with a ledger, and reads counted. */
async function openLedger() {
  const points = await PointStore.open('s', {
    files: new SimulatedDisk(),
    limits: { memoryPoints: 20 },
  })
  let readCount = 0
  const ledger = new CostLedger({
    snapshot: range => {
      readCount++
      return points.snapshot(range)
    },
  })
  points.setListener({
    batchStored: batch => ledger.take(batch),
    stageBegun: month => ledger.stageBegun(month),
  })
  const costOf = async (projectId: string) =>
    formatDecimal((await ledger.totals(month, [projectId])).get(projectId)?.cost() ?? zero)
  return { points, ledger, costOf, readCount: () => readCount }
}

t.test('the ledger has what the points add up to, whatever is stored and removed', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyBatch, fc.constantFrom(...projects), fc.boolean()), { maxLength: 12 }),
      async steps => {
        const { points, ledger, costOf } = await openLedger()
        const naive = new NaiveStore()
        for (const [step, projectId, isSegment] of steps) {
          const batch = isSegment ? { ...step, points: step.points.filter(isOfMonth) } : step
          // Read while the batch is on its way: before or behind it, never between.
          const stored = isSegment ? storeSegment(points, batch) : points.write(batch)
          const [early] = await Promise.all([costOf(projectId), stored])
          const before = naiveCost(naive, projectId)
          naive.write(batch)
          const after = naiveCost(naive, projectId)
          if (early !== before && early !== after) return false
        }
        const totals = await ledger.totals(month, projects)
        await points.close()
        return projects.every(
          id => formatDecimal(totals.get(id)?.cost() ?? zero) === naiveCost(naive, id),
        )
      },
    ),
    { numRuns: 150 },
  )
  t.pass('150 runs')
})

const isOfMonth = ({ begin }: DataPoint) => monthOf(begin) === month

async function storeSegment(points: PointStore, { origin, removals, ...batch }: Batch) {
  const { series } = atOnce(prepareBatch({ origin, points: batch.points }))
  const inOrder = series.toSorted(
    (a, b) => compareTexts(a.series.projectId, b.series.projectId) || compareTexts(a.key, b.key),
  )
  const chunks = inOrder.map(each => chunkOf(each.series, packColumns(each.points)))
  await using staged = await points.stage(month, chunks)
  await staged.store(removals ?? [])
}

function naiveCost(naive: NaiveStore, projectId: string): string {
  const points = naive.points(monthPeriod(month)).filter(point => projectOf(point) === projectId)
  return formatDecimal(points.reduce((sum, { price }) => add(sum, price), zero))
}

t.test('storing the next hour reads nothing; rating an hour again reads once', async t => {
  const { points, costOf, readCount } = await openLedger()
  const rate = (hour: number, price: string) => {
    const begin = at('2026-10-01') + hour * 3600
    const period = { begin, end: begin + 3600 }
    const point = usage('2026-10-01', 'p1', '1', { ...period, price: getDecimal(price) })
    const removals = [{ projectId: 'p1', origin: 'dns', period }]
    return points.write({ origin: 'dns', removals, points: [point] })
  }
  await rate(0, '1')
  t.equal(await costOf('p1'), '1')
  for (let hour = 1; hour < 50; hour++) await rate(hour, '1')
  t.equal(await costOf('p1'), '50')
  t.equal(readCount(), 1)
  await rate(10, '5')
  t.equal(await costOf('p1'), '54')
  t.equal(readCount(), 2)
  const next = usage('2026-10-03T02', 'p1', '1', { price: getDecimal('1') })
  const removals = [{ projectId: 'p1', origin: 'dns', period: next }]
  await storeSegment(points, { origin: 'dns', removals, points: [next] })
  t.equal(await costOf('p1'), '55')
  t.equal(readCount(), 2)
  await points.close()
})

t.test(
  'zones are told dearest first; usage of nothing that is a zone is not among them',
  async t => {
    const { points, ledger } = await openLedger()
    const of = (id: string, price: string) =>
      usage('2026-10-01', 'p1', '1', {
        price: getDecimal(price),
        groupby: { id },
        metadata: { zone_name: `${id}.example.` },
      })
    await points.write({ origin: 'dns', points: [of('a', '1'), of('b', '3'), of('a', '1.5')] })
    await ledger.totals(month, ['p1'])
    const rest = [of('c', '2'), usage('2026-10-01', 'p1', '1', { price: getDecimal('10') })]
    await points.write({ origin: 'pushed', points: rest })
    const totals = (await ledger.totals(month, ['p1'])).get('p1') ?? new CostTotals()
    const dearest = atOnce(totals.dearestZones(2))
    t.strictSame(
      dearest.map(({ cost, ...zone }) => ({ ...zone, cost: formatDecimal(cost) })),
      [
        { id: 'b', name: 'b.example.', cost: '3' },
        { id: 'a', name: 'a.example.', cost: '2.5' },
      ],
    )
    t.equal(formatDecimal(totals.cost()), '17.5')
    await points.close()
  },
)

t.test('months that are forgotten are read again when they are asked for', async t => {
  const { points, ledger, costOf, readCount } = await openLedger()
  await costOf('p1')
  ledger.forgetBefore('2026-10')
  await costOf('p1')
  t.equal(readCount(), 1)
  ledger.forgetBefore('2026-11')
  await points.write({ origin: 'dns', points: [usage('2026-10-01', 'p1', '1')] })
  await costOf('p1')
  t.equal(readCount(), 2)
  await points.close()
})
