import t from 'tap'
import { exportCsv, exportNdjson } from '../../src/rating/export.ts'
import { allTime } from '../../src/rating/period.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { usage } from '../helpers/usage.ts'

const everything = { period: allTime, filters: new Map() }
const textOf = async (parts: AsyncIterable<string>): Promise<string> => {
  let text = ''
  for await (const part of parts) text += part
  return text
}

const points = [
  usage('2026-10-02', 'p2', '0.1000000000000000055511151231'),
  usage('2026-10-01', 'p1', '-5', { metadata: { note: 'a "b", c' } }),
]

t.test('lines of JSON hold amounts to the last digit', async t => {
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  await store.write({ origin: 'dns', points })
  const lines = (await textOf(exportNdjson(store, everything))).trimEnd().split('\n')
  t.strictSame(lines.map(line => JSON.parse(line))[1], {
    begin: '2026-10-02T00:00:00+00:00',
    end: '2026-10-02T01:00:00+00:00',
    type: 'dns.queries',
    unit: 'Mquery',
    qty: '0.1000000000000000055511151231',
    price: '0',
    groupby: { project_id: 'p2' },
    metadata: {},
  })
  await store.close()
})

t.test('CSV quotes what needs it (RFC 4180)', async t => {
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  await store.write({ origin: 'dns', points })
  const lines = (await textOf(exportCsv(store, everything))).split('\r\n')
  t.equal(lines[0], 'begin,end,type,unit,qty,price,project_id,groupby,metadata')
  t.equal(
    lines[1],
    '2026-10-01T00:00:00+00:00,2026-10-01T01:00:00+00:00,dns.queries,Mquery,-5,0,p1,' +
      '"{""project_id"":""p1""}","{""note"":""a \\""b\\"", c""}"',
  )
  t.equal(lines.length, 4)
  t.equal(lines[3], '')
  await store.close()
})

t.test('rating a period again gives the same octets', async t => {
  const store = await PointStore.open('s', {
    files: new SimulatedDisk(),
    limits: { memoryPoints: 1 },
  })
  const batch = { origin: 'dns', removals: [{ projectId: 'p1', period: allTime }], points }
  await store.write({ ...batch, removals: [] })
  const before = await textOf(exportNdjson(store, everything))
  for (let i = 0; i < 3; i++) {
    await store.write({ ...batch, points: points.slice(1) })
    t.equal(await textOf(exportNdjson(store, everything)), before)
  }
  await store.flush()
  t.equal(await textOf(exportNdjson(store, everything)), before)
  await store.close()
})
