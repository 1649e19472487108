import t from 'tap'
import { ClockWatch, isGap } from '../../../src/rating/metering/clock-watch.ts'

const minute = 60_000
const hour = 60 * minute
const reached = 1000 * hour

/** What looks show when the clock is so many minutes behind what was reached. */
function looks(...behindMinutes: readonly number[]): readonly string[] {
  const watch = new ClockWatch()
  return behindMinutes.map(minutes => {
    const look = watch.look(reached - minutes * minute, reached)
    return look.kind === 'behind' && look.isNew ? 'noticed' : look.kind
  })
}

t.test('a clock that is behind is noticed once, and waited for', async t => {
  t.same(looks(0, 0.9, -100), ['right', 'right', 'right'])
  t.same(looks(1, 0.5, 0), ['noticed', 'right', 'right'])
  t.same(looks(110, 80, 50, 0, 5), ['noticed', 'behind', 'behind', 'right', 'noticed'])
})

t.test('one that stays far behind is believed after an hour', async t => {
  t.same(looks(600, 570, 541, 540), ['noticed', 'behind', 'behind', 'believed'])
  const watch = new ClockWatch()
  watch.look(reached - 10 * hour, reached)
  t.match(watch.look(reached - 9 * hour, reached), { sinceMillis: reached - 10 * hour })
})

t.test('one that jumps meanwhile is given another hour', async t => {
  t.same(looks(600, 570, 900, 841, 840), ['noticed', 'behind', 'behind', 'behind', 'believed'])
  t.same(looks(60_000, 59_970, 600, 541, 540), [
    'noticed',
    'behind',
    'behind',
    'behind',
    'believed',
  ])
})

t.test('time that is too long, or ends in what was metered already, has not passed', async t => {
  const gap = (hours: number, usedUntil?: number) =>
    isGap({ fromMillis: 0, toMillis: hours * hour }, () => usedUntil)
  t.same([gap(1, 1), gap(744), gap(745)], [false, false, true])
  t.same([gap(2, 0), gap(2, 3600), gap(2, 3 * 3600)], [false, true, false])
})
