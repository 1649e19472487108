import fc from 'fast-check'
import t from 'tap'
import {
  add,
  compare,
  type Decimal,
  decimal,
  decimalFromNumber,
  divideByCount,
  formatDecimal,
  formatPlaces,
  getDecimal,
  multiply,
  parseDecimal,
  roundDecimal,
  roundToPlaces,
  toNumber,
} from '../../src/rating/decimal.ts'
import { held } from '../helpers/held.ts'

const amount = fc
  .tuple(fc.bigInt(-(10n ** 24n), 10n ** 24n), fc.nat(20))
  .map(([coefficient, scale]) => decimal(coefficient, scale))

/** Any notation of a number that another implementation understands, too. */
const numberText = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.nat(10 ** 9), fc.stringMatching(/^\d{0,12}$/))
  .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}`)

t.test('a number is read exactly as written, in any notation', async t => {
  const rows = new Map([
    ['0', '0'],
    ['-0', '0'],
    ['+7', '7'],
    ['007.50', '7.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['1e3', '1000'],
    ['1.25E+2', '125'],
    ['12e-4', '0.0012'],
    [' 4.2 ', '4.2'],
    ['0.1000000000000000055511151231', '0.1000000000000000055511151231'],
    ['0.000000000000000000000000000000000e5', '0'],
  ])
  for (const [text, expected] of rows) t.equal(formatDecimal(getDecimal(text)), expected, text)
})

t.test('what is not a finite number is refused', async t => {
  const texts = ['', ' ', '.', 'e5', '-', 'NaN', 'sNaN', 'Infinity', '-inf', '1,5', '1_000', '0x10']
  for (const text of [...texts, '1e', '1e99999', '--1', '1.2.3']) {
    t.ok('refusal' in parseDecimal(text), text)
  }
  t.ok('refusal' in decimalFromNumber(Number.NaN))
  t.ok('refusal' in decimalFromNumber(Number.POSITIVE_INFINITY))
})

t.test('40 digits are kept, and one more is refused instead of rounded', async t => {
  const digits = '1234567890'.repeat(4).replace(/0$/, '1')
  for (const text of [digits, `0.${digits}`, `123${'0'.repeat(36)}4`, '1e39', '1e-40']) {
    t.notOk('refusal' in parseDecimal(text), text)
  }
  t.equal(formatDecimal(getDecimal(digits)), digits)
  for (const text of [`${digits}1`, `0.${digits}1`, '1e40', '1e-41', `${'0'.repeat(128)}1`]) {
    t.ok('refusal' in parseDecimal(text), text)
  }
})

t.test('a float is taken for the shortest text that means it', async t => {
  const rows = new Map([
    [0.1, '0.1'],
    [0.121, '0.121'],
    [1e21, '1000000000000000000000'],
    [1.5e-7, '0.00000015'],
    [-3, '-3'],
  ])
  for (const [value, expected] of rows) {
    t.equal(formatDecimal(decimalFromNumber(value) as Decimal), expected)
  }
})

t.test('results are rounded to 28 digits, ties to even', async t => {
  const places = '0'.repeat(26)
  const rows = new Map([
    [`1.${places}005`, '1'],
    [`1.${places}015`, `1.${places}02`],
    [`1.${places}0051`, `1.${places}01`],
    [`-1.${places}015`, `-1.${places}02`],
    ['12345678901234567890123456785', '12345678901234567890123456785'],
    [`0.00000${'9'.repeat(29)}`, '0.00001'],
    [`0.00000${'3'.repeat(29)}`, `0.00000${'3'.repeat(28)}`],
  ])
  for (const [text, expected] of rows) {
    t.equal(formatDecimal(roundDecimal(getDecimal(text))), expected, text)
  }
})

t.test('a result has at most 40 digits after the point', async t => {
  const rounded = (factor: string) =>
    formatDecimal(roundDecimal(multiply(getDecimal('1e-30'), getDecimal(factor))))
  t.equal(rounded('16e-11'), `0.${'0'.repeat(39)}2`)
  t.equal(rounded('5e-11'), '0', 'a tie goes to the even side')
  t.equal(rounded('51e-12'), `0.${'0'.repeat(39)}1`)
})

t.test('rounding to places keeps ties even', async t => {
  t.equal(formatDecimal(roundToPlaces(getDecimal('0.000005'), 5)), '0')
  t.equal(formatDecimal(roundToPlaces(getDecimal('0.000015'), 5)), '0.00002')
  t.equal(formatDecimal(roundToPlaces(getDecimal('-1.234567'), 5)), '-1.23457')
})

t.test('a mean is the nearest decimal of 28 digits', async t => {
  t.equal(formatDecimal(divideByCount(getDecimal('1'), 3)), `0.${'3'.repeat(28)}`)
  t.equal(formatDecimal(divideByCount(getDecimal('2'), 3)), `0.${'6'.repeat(27)}7`)
  t.equal(formatDecimal(divideByCount(getDecimal('-7'), 2)), '-3.5')
  t.throws(() => divideByCount(getDecimal('1'), 0), RangeError)
})

t.test('text, value and text again agree', async t => {
  held(
    t,
    fc.property(numberText, text => {
      const value = getDecimal(text)
      return (
        compare(value, getDecimal(formatDecimal(value))) === 0 && toNumber(value) === Number(text)
      )
    }),
  )
})

t.test('equal values are equal objects, however they came about', async t => {
  t.strictSame(add(getDecimal('0.5'), getDecimal('0.50')), getDecimal('1'))
  t.strictSame(multiply(getDecimal('2.5'), getDecimal('4')), getDecimal('10'))
  t.strictSame(decimal(0n, 5), getDecimal('0'))
})

t.test('addition and multiplication are exact: any order and any grouping', async t => {
  held(
    t,
    fc.property(amount, amount, amount, (a, b, c) => {
      const isSame = (x: Decimal, y: Decimal) => compare(x, y) === 0
      return (
        isSame(add(a, b), add(b, a)) &&
        isSame(add(add(a, b), c), add(a, add(b, c))) &&
        isSame(multiply(multiply(a, b), c), multiply(a, multiply(b, c))) &&
        isSame(multiply(a, add(b, c)), add(multiply(a, b), multiply(a, c)))
      )
    }),
  )
})

t.test('places are written in full, ties to even', async t => {
  const rows: [value: string, places: number, text: string][] = [
    ['12.5', 2, '12.50'],
    ['0.005', 2, '0.00'],
    ['0.015', 2, '0.02'],
    ['-0.016', 2, '-0.02'],
    ['-0.001', 2, '0.00'],
    ['7', 3, '7.000'],
    ['2.5', 0, '2'],
    ['1e-28', 28, `0.${'0'.repeat(27)}1`],
  ]
  for (const [value, places, text] of rows) {
    t.equal(formatPlaces(getDecimal(value), places), text, value)
  }
})
