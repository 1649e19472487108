import t from 'tap'
import type { Reprocess } from '../../../src/model/rating.ts'
import { nextReprocessPeriod, scopesToReprocess } from '../../../src/rating/scopes/reprocess.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { at } from '../../helpers/usage.ts'

const order = (start: string, end: string, current: string | null = null): Reprocess => ({
  id: 'r',
  version: 1,
  createdAt: 0,
  updatedAt: null,
  scopeId: 'p1',
  reason: 'a wrong price',
  start: at(start),
  end: at(end),
  current: current === null ? null : at(current),
})

const states = [
  scopeState('p2', { lastProcessed: at('2026-10-05T10') }),
  scopeState('p1', { lastProcessed: at('2026-10-05T12') }),
]

const scopes = (
  scopeIds: readonly string[],
  { start, end, reason }: Reprocess = order('2026-10-01', '2026-10-02'),
  reprocesses: readonly Reprocess[] = [],
) => scopesToReprocess({ scopeIds, start, end, reason }, { states, reprocesses })

t.test('an order is for the scopes named, or for all', async t => {
  t.same(scopes(['p2']), ['p2'])
  t.same(scopes(['p2', 'p1', 'p2']), ['p1', 'p2'])
  t.same(scopes(['ALL']), ['p1', 'p2'])
})

t.test('an order that cannot be followed is refused with its reason', async t => {
  const rows: readonly (readonly [() => unknown, RegExp])[] = [
    [() => scopes(['ALL', 'p1']), /^Cannot use 'ALL' with scope ID/],
    [
      () => scopes(['p1'], { ...order('2026-10-01', '2026-10-02'), reason: ' ' }),
      /^Empty or blank/,
    ],
    [() => scopes(['p1'], order('2026-10-02', '2026-10-01')), /^End reprocessing timestamp/],
    [
      () => scopes(['p1'], order('2026-10-02T01:10', '2026-10-02T01:20')),
      /near the provided one is \['2026-10-02T01:00:00\+00:00', '2026-10-02T02:00:00\+00:00'\]$/,
    ],
    [() => scopes(['p1', 'p9']), /^Scopes \['p9'\] scheduled to reprocess/],
    [() => scopes(['p1'], order('2026-10-06', '2026-10-07')), /starting after the last possible/],
    [() => scopes(['ALL'], order('2026-10-05', '2026-10-05T11')), /p2\] ending after the last/],
    [
      () => scopes(['p1'], undefined, [order('2026-10-01T23', '2026-10-03')]),
      /already has a schedule for a similar time range/,
    ],
  ]
  for (const [ask, message] of rows)
    t.throws(ask, { name: 'ApiError', type: 'bad_request', message })
})

t.test('orders that are done, apart in time or of other scopes are no obstacle', async t => {
  t.same(scopes(['p1'], undefined, [order('2026-10-02', '2026-10-03')]), ['p1'])
  t.same(scopes(['p2'], undefined, [order('2026-10-01', '2026-10-03')]), ['p2'])
  const done = order('2026-10-01', '2026-10-02', '2026-10-01T23')
  t.same(scopes(['p1'], undefined, [done]), ['p1'])
})

t.test('an order is worked on period by period until its end', async t => {
  const period = (current: string | null, usedFrom?: string) =>
    nextReprocessPeriod(
      order('2026-10-01', '2026-10-01T02', current),
      usedFrom === undefined ? undefined : () => at(usedFrom),
    )?.begin
  t.equal(period(null), at('2026-10-01'))
  t.equal(period('2026-10-01'), at('2026-10-01T01'))
  t.equal(period('2026-10-01T01'), undefined)
  t.equal(period(null, '2026-09-01'), at('2026-10-01'))
  t.equal(period(null, '2026-10-01T01:30'), at('2026-10-01T01'), 'before that nothing was used')
  t.equal(period(null, '2026-12-01'), at('2026-10-01T01'), 'its last period ends it')
  t.equal(period('2026-10-01T01', '2026-12-01'), undefined)
})
