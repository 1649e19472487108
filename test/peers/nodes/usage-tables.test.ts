import { realpathSync } from 'node:fs'
import t, { type Test } from 'tap'
import { packHour } from '../../../src/rating/metering/handed-hours.ts'
import { newTally } from '../../../src/rating/metering/tally.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { Engine } from '../../../src/store/shared/engine.ts'
import { DutyLostError, openSharedFiles } from '../../../src/store/shared/files.ts'
import { ensureSchema } from '../../../src/store/shared/schema.ts'
import { SharedUsage } from '../../../src/store/shared/usage.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { storedTexts, usage } from '../../helpers/usage.ts'

async function openEngine(t: Test) {
  const server = await Postgres.start()
  t.teardown(() => server.close())
  const engine = new Engine({ urls: [server.url], node: 'zw1', acceptsLoss: true })
  t.teardown(() => engine.close())
  await engine.use(ensureSchema)
  return { server, engine }
}

const hourOf = async (source: string, counts: readonly number[]) => {
  const tallies = counts.map((count, i) => ({
    owner: ownerOf(`z${i}`),
    tally: Object.assign(newTally(), { 0: count }),
  }))
  return { source, isWhole: source !== 'zw2', ...(await packHour(tallies)) }
}

t.test('hours are handed over by node, and are merged until they are replaced', async t => {
  const { server, engine } = await openEngine(t)
  const handed = new SharedUsage(engine)
  const many = await hourOf(
    'zw1',
    Array.from({ length: 6000 }, (_, i) => i),
  )
  const empty = await hourOf('zw2', [])
  t.equal(many.parts.length, 2)
  for (const each of [empty, many, many]) await handed.handOver(7, each)
  await handed.handOver(6, await hourOf('zw1', [1]))
  t.same(await handed.unmerged(), [6, 7])
  t.same(await handed.read(7), [many, empty])
  await handed.markMerged(7, [many])
  t.same(await handed.unmerged(), [6, 7], 'one node is left')
  await handed.markMerged(7, [many, empty])
  t.same(await handed.unmerged(), [6])
  await handed.handOver(7, many)
  t.same(await handed.unmerged(), [6], 'the same does no harm')
  const less = await hourOf('zw1', [5])
  await handed.handOver(7, less)
  t.same(await handed.read(7), [less, empty])
  await handed.markMerged(7, [many, empty])
  t.same(await handed.unmerged(), [6, 7], 'what was replaced is not what was merged')
  await handed.dropBefore(7)
  t.same(await handed.unmerged(), [7])
  await handed.noteMetered('zw1', 8)
  await server.psql(`insert into zw_node (node, url, role, version, formats, settings, lsn, link, seen_at) values
    ('zw1', '', 'full', '1', '[1,2)', '', 0, '', now()), ('zw2', '', 'full', '1', '[1,2)', '', 0, '', now()),
    ('zw3', '', 'full', '1', '[1,2)', '', 0, '', now() - interval '1 day')`)
  for (const _ of [1, 2]) await handed.noteMetered('zw1', 8)
  const seen = [...(await handed.meteringNodes())].sort((a, b) => (a.node < b.node ? -1 : 1))
  t.same(seen, [
    { node: 'zw1', meteredUntil: 8 },
    { node: 'zw2', meteredUntil: undefined },
  ])
})

t.test(
  'points are in PostgreSQL: whoever takes the duty has all that was acknowledged',
  async t => {
    const { server, engine } = await openEngine(t)
    const take = async (directory: string, epoch: number) => {
      await server.psql(`update zw_duty set epoch = ${epoch}, node = 'zw1'`)
      const files = await openSharedFiles({ engine, epoch, directory })
      const limits = { memoryPoints: 50, logOctets: 4000 }
      return PointStore.open(`${directory}/rating`, { files, limits })
    }
    const directories = ['a', 'b'].map(name => `${realpathSync(t.testdir())}/${name}`)
    const [first = '', second = ''] = directories
    const write = (points: PointStore, hour: number, count: number) =>
      points.write({
        origin: 'dns',
        points: Array.from({ length: count }, (_, i) =>
          usage(`2026-10-01T${String(hour).padStart(2, '0')}`, `p${i}`, String(hour + i)),
        ),
      })
    const old = await take(first, 1)
    for (let hour = 0; hour < 12; hour += 1) await write(old, hour, 9)
    await old.flush()
    await write(old, 12, 9)
    const expected = await storedTexts(old)
    t.equal(expected.length, 13 * 9)
    const next = await take(second, 2)
    t.same(await storedTexts(next), expected)
    const requireLost = async (points: PointStore) => {
      const { cause } = await write(points, 13, 9).then(
        () => t.fail('a node that lost the duty has written'),
        error => error,
      )
      t.equal(cause?.name, DutyLostError.name)
    }
    await requireLost(old)
    for (let hour = 13; hour < 20; hour += 1) await write(next, hour, 9)
    await next.close()
    await old.close().catch(() => undefined)
    const again = await take(first, 3)
    t.same(await storedTexts(again), await storedTexts(next))
    // A failover that loses commits may lose that the duty was taken, and the next node takes it with the same number.
    await server.psql(`update zw_duty set node = 'zw2'`)
    await requireLost(again)
    await again.close().catch(() => undefined)
  },
)
