import t from 'tap'
import {
  attributesAt,
  decimalAt,
  instantAt,
  listAt,
  maxAttributes,
  maxNameLength,
  maxValueLength,
  objectAt,
  parsedBody,
  recordAt,
  requireText,
  textAt,
} from '../../src/rating/body-values.ts'
import { formatDecimal } from '../../src/rating/decimal.ts'
import { NumberText } from '../../src/rating/exact-json.ts'
import { refusal } from '../helpers/refusal.ts'

const path = ['a', 0, 'b']

t.test('each reader takes what it is for', async t => {
  t.strictSame(objectAt({ x: 1 }, path, { required: ['x'], optional: ['y'] }), { x: 1 })
  t.strictSame(recordAt({}, path), {})
  t.strictSame(listAt([1], path), [1])
  t.equal(instantAt('1970-01-01T01', path), 3600)
  for (const qty of [0.5, '0.5', new NumberText('0.50')])
    t.equal(formatDecimal(decimalAt(qty, path)), '0.5')
  t.equal(textAt('x'.repeat(maxNameLength), path).length, maxNameLength)
  const attributes = { a: null, b: true, c: 1.5, d: new NumberText('1.50'), e: 'x' }
  t.same(attributesAt(attributes, path), { a: '', b: 'true', c: '1.5', d: '1.50', e: 'x' })
})

t.test('each refuses what it is not for, with its place', async t => {
  const many = Object.fromEntries(
    Array.from({ length: maxAttributes + 1 }, (_, i) => [`k${i}`, '']),
  )
  const refused: readonly (() => unknown)[] = [
    () => objectAt({ z: 1 }, path, { optional: ['y'] }),
    () => objectAt({}, path, { required: ['x'] }),
    () => objectAt([], path, {}),
    () => recordAt(null, path),
    () => recordAt(new NumberText('1.0'), path),
    () => listAt({}, path),
    () => instantAt(3600, path),
    () => decimalAt('NaN', path),
    () => decimalAt(Number.POSITIVE_INFINITY, path),
    () => decimalAt(true, path),
    () => textAt(7, path),
    () => textAt('x'.repeat(maxNameLength + 1), path),
    () => attributesAt({ a: [] }, path),
    () => attributesAt({ a: 'x'.repeat(maxValueLength + 1) }, path),
    () => attributesAt(many, path),
    () => requireText('\ud800', path, 10),
  ]
  for (const read of refused)
    t.throws(read, { ...refusal('invalid_object'), message: /\(path: '\['a', 0, 'b'/ })
})

t.test('a body is read to the last digit, and must be an object where one is expected', async t => {
  const { cost } = recordAt(await parsedBody('{"cost": 0.10000000000000000000001}'), [])
  t.match(cost, { text: '0.10000000000000000000001' })
  for (const text of ['[]', '7', '"x"', 'null', '1.0']) {
    const body = await parsedBody(text)
    t.throws(() => recordAt(body, []), refusal('invalid_object'), text)
  }
  for (const text of ['{', 'NaN', '{"cost": NaN}'])
    await t.rejects(parsedBody(text), refusal('invalid_json'), text)
})
