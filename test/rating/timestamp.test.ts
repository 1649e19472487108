import fc from 'fast-check'
import t from 'tap'
import {
  formatCompact,
  formatNaive,
  formatSpaced,
  formatTimestamp,
  parseTimestamp,
} from '../../src/rating/timestamp.ts'
import { held } from '../helpers/held.ts'

t.test('all forms clients send name the instant they should', async t => {
  const rows = new Map([
    ['20190723T122810Z', '2019-07-23T12:28:10+00:00'],
    ['2019-07-23T12:28:10Z', '2019-07-23T12:28:10+00:00'],
    ['2019-07-23T12:28:10+02:00', '2019-07-23T10:28:10+00:00'],
    ['2019-07-23T12:28:10-0330', '2019-07-23T15:58:10+00:00'],
    ['2019-07-23T12:28:10+02', '2019-07-23T10:28:10+00:00'],
    ['2019-05-01 00:00:00+00:00', '2019-05-01T00:00:00+00:00'],
    ['2019-05-01 00:00:00 00:00', '2019-05-01T00:00:00+00:00'],
    ['2019-05-01 00:00:00', '2019-05-01T00:00:00+00:00'],
    ['2019-05-01T10:00:00.999999', '2019-05-01T10:00:00+00:00'],
    ['2019-05-01T10:00:00,5Z', '2019-05-01T10:00:00+00:00'],
    ['2019-05-01T10', '2019-05-01T10:00:00+00:00'],
    ['2019-05-01T1015', '2019-05-01T10:15:00+00:00'],
    ['2019-5-1', '2019-05-01T00:00:00+00:00'],
    ['20190501', '2019-05-01T00:00:00+00:00'],
    ['2019-05', '2019-05-01T00:00:00+00:00'],
    ['2019', '2019-01-01T00:00:00+00:00'],
    ['0001-01-01', '0001-01-01T00:00:00+00:00'],
    ['9999-12-31T23:59:59', '9999-12-31T23:59:59+00:00'],
  ])
  for (const [text, expected] of rows) {
    t.equal(formatTimestamp(parseTimestamp(text) ?? Number.NaN), expected, text)
  }
})

t.test('what is no instant is refused', async t => {
  const texts = ['', '20190723TZ', '201907', '2019-13-01', '2019-02-29', '2019-00-01', '0000-01-01']
  const times = ['T24:00:00', 'T10:60:00', 'T10:00:60', 'T', 'Tx', 'T10:00:00+24:00', 'T10:00:00Zx']
  for (const text of [...texts, ...times.map(time => `2019-05-01${time}`), '2019-05T10:00']) {
    t.equal(parseTimestamp(text), undefined, text)
  }
  t.equal(parseTimestamp('0001-01-01T00:00+01:00'), undefined, 'before year 1')
  t.equal(parseTimestamp('9999-12-31T23:00-02:00'), undefined, 'after year 9999')
  t.equal(parseTimestamp(`2019-05-01T10:00:00.${'9'.repeat(100)}`), undefined, 'too long')
})

t.test('an instant is written in four forms', async t => {
  const instant = 1_563_884_890
  t.equal(formatTimestamp(instant), '2019-07-23T12:28:10+00:00')
  t.equal(formatNaive(instant), '2019-07-23T12:28:10')
  t.equal(formatCompact(instant), '20190723T122810Z')
  t.equal(formatSpaced(instant), '2019-07-23 12:28:10')
})

t.test('what is written is read back', async t => {
  held(
    t,
    fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), instant =>
      [formatTimestamp, formatNaive, formatCompact, formatSpaced].every(
        format => parseTimestamp(format(instant)) === instant,
      ),
    ),
  )
})
