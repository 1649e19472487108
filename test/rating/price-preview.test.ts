import t from 'tap'
import { previewPrices } from '../../src/rating/price-preview.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { at, usage } from '../helpers/usage.ts'

t.test('a preview names the 100 projects whose costs change most', async t => {
  const points = await PointStore.open('/rating', { files: new SimulatedDisk() })
  t.teardown(() => points.close())
  const quantities = Array.from({ length: 101 }, (_, i) => i + 1)
  await points.write({
    origin: 'dns',
    points: quantities.map(qty => usage('2026-11-01T00', `p${qty}`, String(qty))),
  })
  const period = { begin: at('2026-11-01'), end: at('2026-12-01') }
  const { projects } = await previewPrices(points, period, [
    { service: 'dns.queries', type: 'flat', cost: '1', description: '' },
  ])
  t.same(
    projects.map(({ projectId }) => projectId),
    quantities
      .map(qty => `p${qty}`)
      .reverse()
      .slice(0, 100),
  )
})
