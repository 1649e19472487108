import t from 'tap'
import {
  calendarAttributes,
  calendarValue,
  isCalendarAttribute,
} from '../../src/rating/calendar.ts'
import { parseTimestamp } from '../../src/rating/timestamp.ts'

const at = (text: string): number => parseTimestamp(text) ?? Number.NaN

t.test('calendar attributes are those of the day in UTC', async t => {
  const rows = [
    ['2026-01-01', '1', '00', '1', '2026'],
    ['2026-01-03T23:59:59', '3', '00', '1', '2026'],
    // 4 January 2026 is the first Sunday: week 01 begins.
    ['2026-01-04', '4', '01', '1', '2026'],
    ['2026-12-31', '365', '52', '12', '2026'],
    ['2024-12-31T12:00', '366', '52', '12', '2024'],
    // A year that begins on Sunday has no week 00.
    ['2023-01-01', '1', '01', '1', '2023'],
    ['2023-12-31', '365', '53', '12', '2023'],
  ] as const
  for (const [text, day, week, month, year] of rows) {
    t.equal(calendarValue('day_of_the_year', at(text)), day, text)
    t.equal(calendarValue('week_of_the_year', at(text)), week, text)
    t.equal(calendarValue('month', at(text)), month, text)
    t.equal(calendarValue('year', at(text)), year, text)
  }
})

t.test('the four letters name the four attributes', async t => {
  t.same([...calendarAttributes.values()].every(isCalendarAttribute), true)
  t.notOk(isCalendarAttribute('toString'))
})
