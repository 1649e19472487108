import fc from 'fast-check'
import t from 'tap'
import { nextPeriod, planCatchUp } from '../../../src/rating/scopes/catch-up.ts'
import { advanceScope, resetScope } from '../../../src/rating/scopes/scope-state.ts'
import { formatCompact } from '../../../src/rating/timestamp.ts'
import { held } from '../../helpers/held.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { at } from '../../helpers/usage.ts'

const next = (state: ReturnType<typeof scopeState>, now: string): string | undefined => {
  const period = nextPeriod(state, at(now))
  return period && formatCompact(period.begin).slice(6, 13)
}

t.test('an hour is rated one hour after it ends, not before', async t => {
  const state = scopeState('p1', { lastProcessed: at('2026-10-05T09') })
  t.equal(next(state, '2026-10-05T12:00:00'), undefined)
  t.equal(next(state, '2026-10-05T12:00:01'), '05T1000')
})

t.test('a new scope begins with the month it appeared in, even in the next one', async t => {
  t.equal(next(scopeState('p1'), '2026-10-05T09'), '01T0000')
  t.equal(next(scopeState('p1'), '2026-11-02T09'), '01T0000')
  const plan = planCatchUp([scopeState('p1')], at('2026-11-02T09'), {
    limit: 1,
  })
  t.equal(plan[0]?.period.begin, at('2026-10-01'))
})

t.test('an inactive scope is not rated', async t => {
  t.equal(next(scopeState('p1', { isActive: false }), '2026-10-05T12'), undefined)
})

t.test('after a reset the period that holds the instant is rated again', async t => {
  const state = scopeState('p1', { lastProcessed: at('2026-10-05T09') })
  const { changes } = resetScope(state, at('2026-10-02T07:20'))
  t.equal(next({ ...state, ...changes }, '2026-10-06'), '02T0700')
  const advanced = {
    ...state,
    ...advanceScope({ begin: at('2026-10-02T07'), end: at('2026-10-02T08') }),
  }
  t.equal(next(advanced, '2026-10-06'), '02T0800')
})

t.test('a clock set back brings no period a second time', async t => {
  const state = scopeState('p1', { lastProcessed: at('2026-10-05T09') })
  t.equal(next(state, '2026-10-05T11:30'), undefined)
  t.equal(next(state, '2020-01-01'), undefined)
})

t.test('what has no usage is passed over, but not the last hour that is due', async t => {
  const state = scopeState('p1', { resumeFrom: at('0001-01-01') })
  const begin = (usedFrom: number, now = '2026-10-05T11:30') =>
    nextPeriod(state, at(now), () => usedFrom)?.begin
  t.equal(begin(at('2026-10-03T07:20')), at('2026-10-03T07'))
  t.equal(begin(Number.POSITIVE_INFINITY), at('2026-10-05T09'))
  t.equal(begin(Number.POSITIVE_INFINITY, '2026-10-05T12:00'), at('2026-10-05T09'))
  t.equal(begin(Number.POSITIVE_INFINITY, '2026-10-05T12:00:01'), at('2026-10-05T10'))
  const times = { usedFrom: () => at('2026-10-05T08'), limit: 9 }
  const plan = planCatchUp([state], at('2026-10-05T11:30'), times)
  t.same(
    plan.map(({ period }) => period.begin),
    [at('2026-10-05T08'), at('2026-10-05T09')],
  )
})

t.test('the plan goes hour by hour, scopes in order, up to its limit', async t => {
  const states = [
    scopeState('b', { lastProcessed: at('2026-10-05T06') }),
    scopeState('a', { lastProcessed: at('2026-10-05T07') }),
    scopeState('c', { lastProcessed: at('2026-10-05T05'), isActive: false }),
    scopeState('d', { lastProcessed: at('2026-10-05T12') }),
  ]
  const plan = (limit: number) =>
    planCatchUp(states, at('2026-10-05T11:30'), { limit }).map(
      ({ state, period }) => `${state.scopeId}${formatCompact(period.begin).slice(9, 11)}`,
    )
  t.same(plan(100), ['b07', 'a08', 'b08', 'a09', 'b09'])
  t.same(plan(3), ['b07', 'a08', 'b08'])
  t.same(planCatchUp([], 0, { limit: 5 }), [])
})

t.test('the plan is what asking for the next period again and again gives', async t => {
  const state = fc
    .record({
      scopeId: fc.constantFrom('a', 'b', 'c', 'd'),
      hour: fc.nat(30),
      isActive: fc.boolean(),
    })
    .map(({ scopeId, hour, isActive }) =>
      scopeState(scopeId, { isActive, lastProcessed: at('2026-10-05') + hour * 3600 }),
    )
  held(
    t,
    fc.property(
      fc.uniqueArray(state, { selector: each => each.scopeId }),
      fc.nat(40),
      (states, hour) => {
        const now = at('2026-10-05T00:30') + hour * 3600
        const expected = states.flatMap(start => {
          const periods: string[] = []
          for (let current = start; ; ) {
            const period = nextPeriod(current, now)
            if (period === undefined) return periods
            periods.push(`${period.begin} ${start.scopeId}`)
            current = { ...current, ...advanceScope(period) }
          }
        })
        const plan = planCatchUp(states, now, { limit: 1000 })
        return (
          plan.map(({ state: { scopeId }, period }) => `${period.begin} ${scopeId}`).join() ===
          expected.sort().join()
        )
      },
    ),
  )
})
