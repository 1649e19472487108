import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatRdata, parseRdata, readRdata } from '../../../src/dns/rdata/index.ts'
import { Reader } from '../../../src/dns/reader.ts'
import { octetsOf } from '../../helpers/wire.ts'

t.test('what is left out has the defaults of RFC 1876 section 3', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['42 N 71 W 0', '42 0 0.000 N 71 0 0.000 W 0m 1m 10000m 10m'],
    ['42 21 N 71 6 18 W -24m 30m', '42 21 0.000 N 71 6 18.000 W -24m 30m 10000m 10m'],
    ['42 21 54.5 s 71 6 18 e 1.5 2m 3m', '42 21 54.500 S 71 6 18.000 E 1.50m 2m 3m 10m'],
    ['0 0 0.001 S 0 E 0m', '0 0 0.001 S 0 0 0.000 E 0m 1m 10000m 10m'],
  ]
  for (const [text, written] of rows) {
    t.equal(formatRdata(types.LOC, parseRdata(types.LOC, text)), written, text)
  }
})

t.test('the ends of every range', async t => {
  for (const text of [
    '90 0 0.000 N 180 0 0.000 E 42849672.95m 90000000m 90000000m 90000000m',
    '90 0 0.000 S 180 0 0.000 W -100000m 0m 0m 0m',
    '0 0 0.000 N 0 0 0.000 E 0.01m 0.01m 0.09m 0.10m',
    '89 59 59.999 N 179 59 59.999 W -99999.99m 9m 90m 900m',
  ]) {
    t.equal(formatRdata(types.LOC, parseRdata(types.LOC, text)), text)
  }
})

t.test('a length keeps its first digit only (RFC 1876 section 2)', async t => {
  const octets = parseRdata(types.LOC, '0 N 0 E 0 19.99 99999m 1234567.89m')
  t.equal(formatRdata(types.LOC, octets), '0 0 0.000 N 0 0 0.000 E 0m 10m 90000m 1000000m')
})

t.test('one past every range, and other words, are refused', async t => {
  for (const text of [
    '91 N 0 E 0',
    '90 0 0.001 N 0 E 0',
    '0 N 181 E 0',
    '0 60 N 0 E 0',
    '0 0 60 N 0 E 0',
    '0 0 0.0001 N 0 E 0',
    '0 0 0 0 N 0 E 0',
    'N 0 E 0',
    '0 E 0 N 0',
    '0 N 0 E',
    '0 N 0 E -100000.01m',
    '0 N 0 E 42849672.96m',
    '0 N 0 E 0 90000000.01m',
    '0 N 0 E 0 -1m',
    '0 N 0 E 0 1 1 1 1',
    '0 N 0 E zero',
    '-1 N 0 E 0',
  ]) {
    t.throws(() => parseRdata(types.LOC, text), { name: 'FormatError' }, text)
  }
})

t.test('another version is refused, an impossible place is kept as it came', async t => {
  const place = '00121613 8b0f2d78 70be1580 00989680'
  const version1 = octetsOf(`01${place.slice(2)}`)
  t.throws(() => readRdata(new Reader(version1), types.LOC, 16), { name: 'FormatError' })
  for (const hex of [
    '00121613 00000000 80000000 00989680',
    '00fa1613 80000000 80000000 00989680',
  ]) {
    t.match(formatRdata(types.LOC, octetsOf(hex)), /^\\# 16 /, hex)
  }
})
