import t from 'tap'
import { formatDecimal, getDecimal } from '../../src/rating/decimal.ts'
import { forecastCost, ratedPart } from '../../src/rating/forecast.ts'
import { monthPeriod } from '../../src/rating/period.ts'
import { scopeState } from '../helpers/scope-states.ts'
import { at } from '../helpers/usage.ts'

const period = monthPeriod('2026-11')

t.test('a forecast is the cost times the month, divided by what is rated of it', async t => {
  const forecast = (cost: string, until: string) => {
    const value = forecastCost(getDecimal(cost), period, at(until))
    return value && formatDecimal(value)
  }
  t.equal(forecast('10', '2026-11-16'), '20')
  t.equal(forecast('10', '2026-11-11'), '30')
  // 30 days over 7: rounded once, to 28 places.
  t.equal(forecast('1', '2026-11-08'), '4.2857142857142857142857142857')
  t.equal(forecast('0.1', '2026-11-01T01'), '72')
  t.equal(forecast('0', '2026-11-08'), '0')
  t.equal(forecast('7', '2026-12-01'), '7')
  t.equal(forecast('7', '2026-12-05'), '7')
  t.equal(forecast('7', '2026-11-01'), undefined)
  t.equal(forecast('7', '2026-10-01'), undefined)
})

t.test('rated is what the scope that got furthest has rated', async t => {
  const now = at('2026-11-21T12:30')
  const until = (...states: Parameters<typeof ratedPart>[0][]) =>
    ratedPart(
      states.flatMap(each => [...each]),
      { period, now },
    )
  const rated = (begin: string) => scopeState('p1', { lastProcessed: at(begin) })
  t.equal(until([rated('2026-11-21T09'), rated('2026-11-20T09')]), at('2026-11-21T10'))
  t.equal(until([scopeState('p1', { resumeFrom: at('2026-11-05') })]), at('2026-11-05'))
  t.equal(until([rated('2026-12-05')]), now, 'set forward: nothing is rated that is still to come')
  t.equal(until([]), now, 'nothing rates it')
  t.equal(until([rated('2026-10-31T20')]), now, 'not in this month yet')
  t.equal(until([scopeState('p1', { lastProcessed: at('2026-11-05'), isActive: false })]), now)
})
