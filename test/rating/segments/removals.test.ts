import t from 'tap'
import { Removals } from '../../../src/rating/segments/removals.ts'
import type { Series } from '../../../src/rating/segments/series.ts'

const series = (projectId: string, origin: string): Series => ({
  projectId,
  origin,
  metric: 'm',
  unit: 'u',
  groupby: {},
  metadata: {},
})
const period = (begin: number, end: number) => ({ begin, end })

t.test('a removal hides what is of an earlier generation, of its project and origin', async t => {
  const removals = new Removals()
  removals.add(3, { projectId: 'p1', origin: 'dns', period: period(0, 10) })
  removals.add(3, { projectId: 'p1', period: period(20, 30) })
  removals.add(4, { origin: 'dns', period: period(40, 50) })
  removals.add(5, { period: period(60, 70) })
  const begins = (generation: number, projectId: string, origin: string) =>
    removals
      .hidingFrom(generation)(series(projectId, origin))
      .map(({ begin }) => begin)
  t.same(begins(2, 'p1', 'dns'), [0, 20, 40, 60])
  t.same(begins(2, 'p1', 'pushed'), [20, 60])
  t.same(begins(2, 'p2', 'dns'), [40, 60])
  t.same(begins(3, 'p1', 'dns'), [40, 60])
  t.same(begins(5, 'p1', 'dns'), [])
  t.same(begins(2, '', 'dns'), [40, 60], 'points without a project are not those of any')
})

t.test('periods that touch become one: an hour after the other costs one entry', async t => {
  const removals = new Removals()
  for (const hour of [0, 1, 2, 5, 4, 3, 9]) {
    removals.add(1, { projectId: 'p1', period: period(hour * 3600, (hour + 1) * 3600) })
  }
  t.same(removals.store(2), [
    {
      generation: 1,
      scopes: [{ projectId: 'p1', periods: [period(0, 6 * 3600), period(9 * 3600, 10 * 3600)] }],
    },
  ])
})

t.test('a snapshot does not change, and stored removals come back', async t => {
  const removals = new Removals()
  removals.add(1, { projectId: 'p1', period: period(0, 10) })
  const snapshot = removals.snapshot()
  removals.add(1, { projectId: 'p1', period: period(20, 30) })
  t.equal(snapshot.hidingFrom(0)(series('p1', 'dns')).length, 1)
  const loaded = Removals.load(JSON.parse(JSON.stringify(removals.store(2))))
  t.same(loaded.hidingFrom(0)(series('p1', 'dns')), [period(0, 10), period(20, 30)])
  t.same(removals.store(1), [], 'of closed generations only')
})

t.test('what hides nothing any more is forgotten, of closed generations only', async t => {
  const removals = new Removals()
  removals.add(1, { projectId: 'p1', period: period(0, 10) })
  removals.add(1, { projectId: 'p1', period: period(20, 30) })
  removals.add(2, { projectId: 'p1', period: period(0, 10) })
  removals.keepNeeded({ firstJournal: 2, segments: [{ generation: 0, span: period(25, 40) }] })
  t.same(
    removals.closed(9).map(removal => [removal.generation, removal.period.begin]),
    [
      [1, 20],
      [2, 0],
    ],
  )
})
