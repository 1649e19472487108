import t from 'tap'
import { formatUtc, parseUtc } from '../../../src/api/identity/utc-timestamps.ts'

const micros = Date.UTC(2026, 10, 21, 10, 0, 0, 500) * 1000

t.test('times are written with a Z', async t => {
  t.equal(formatUtc(micros + 7), '2026-11-21T10:00:00.500007Z')
})

t.test('times are read in each form that clients send', async t => {
  const whole = micros - 500_000
  const rows: readonly [text: string, expected: number][] = [
    ['2026-11-21T10:00:00.500000Z', micros],
    ['2026-11-21T10:00:00.500000', micros],
    ['2026-11-21T10:00:00.500', micros],
    ['2026-11-21T10:00:00Z', whole],
    ['2026-11-21T10:00:00', whole],
    ['2026-11-21T10:00', whole],
    ['2026-11-21T11:30:00+01:30', whole],
    ['2026-11-21T08:00:00-02:00', whole],
  ]
  for (const [text, expected] of rows) t.equal(parseUtc(text), expected, text)
})

t.test('what is no time is none', async t => {
  const bad = [
    '',
    'tomorrow',
    '2026-11-21',
    '2026-13-01T00:00:00Z',
    '2026-11-21 10:00:00',
    '1',
    '20',
  ]
  for (const text of [...bad, '2026-11-21T10:00:00Z ', '2026-11-21T25:00:00Z'])
    t.equal(parseUtc(text), undefined, text)
})
