import t from 'tap'
import { type TSchema, Type } from 'typebox'
import { compile } from '../src/validator.ts'

const zone = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.Optional(Type.Enum(['PRIMARY', 'SECONDARY'])),
    ttl: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 2147483647 }), Type.Null()]),
    ),
    masters: Type.Optional(Type.Array(Type.String({ format: 'ipv4' }), { maxItems: 2 })),
  },
  { additionalProperties: false },
)

function findings(schema: TSchema, value: unknown) {
  return compile(schema)(value).map(({ path, message }) => [path, message])
}

t.test('a value as the schema says has no field errors and stays as it is', async t => {
  const value = Object.freeze({ name: 'example.com.', masters: Object.freeze(['192.0.2.1']) })
  t.strictSame(compile(zone)(value), [])
})

t.test('a UUID may be in any case, with dashes or without', async t => {
  const id = Type.String({ format: 'uuid' })
  const rows = [
    '794ccc2c-d751-44fe-b57f-8894c9f5c842',
    '794CCC2C-D751-44FE-B57F-8894C9F5C842',
    '794ccc2cd75144feb57f8894c9f5c842',
  ]
  for (const value of rows) t.strictSame(compile(id)(value), [], value)
  for (const value of ['x', `${rows[0]}0`, `{${rows[0]}}`, `${rows[0]}\n`])
    t.match(findings(id, value), [[[], `'${value}' is not a 'uuid'`]], value)
})

t.test('a field error has path, message, rule and the rule’s value', async t => {
  t.strictSame(compile(zone)({}), [
    {
      path: [],
      message: "'name' is a required property",
      validator: 'required',
      validator_value: ['name'],
    },
  ])
})

t.test('every wrong field is reported, in Designate’s words', async t => {
  const value = { name: '', type: 'THIRD', ttl: 'x', masters: ['192.0.2.1', 'b', 'c'], extra: 1 }
  t.same(findings(zone, value), [
    [['extra'], "Additional properties are not allowed ('extra' was unexpected)"],
    [['name'], "'' is too short"],
    [['type'], "'THIRD' is not one of ['PRIMARY', 'SECONDARY']"],
    [['ttl'], "'x' is not valid under any of the given schemas"],
    [['masters'], `["192.0.2.1","b","c"] is too long`],
    [['masters', 1], "'b' is not a 'ipv4'"],
    [['masters', 2], "'c' is not a 'ipv4'"],
  ])
})

t.test('each rule has its wording', async t => {
  const rows: [TSchema, unknown, string][] = [
    [Type.String(), 5, "5 is not of type 'string'"],
    [Type.String(), null, "null is not of type 'string'"],
    [Type.Literal('a'), 'b', "'a' was expected"],
    [Type.String({ pattern: '^a$' }), 'b', "'b' does not match '^a$'"],
    [Type.Integer(), JSON.parse('1e400'), "Infinity is not of type 'integer'"],
    [Type.Integer({ minimum: 1 }), 0, '0 is less than the minimum of 1'],
    [Type.Integer({ maximum: 1 }), 2, '2 is greater than the maximum of 1'],
    [Type.String({ maxLength: 1 }), 'ab', "'ab' is too long"],
    [Type.Array(Type.Any(), { minItems: 1 }), [], '[] is too short'],
    [Type.Array(Type.Any(), { uniqueItems: true }), [1, 1], '[1,1] has non-unique elements'],
    [Type.Number({ multipleOf: 2 }), 3, '3 must be multiple of 2'],
  ]
  for (const [schema, value, message] of rows) t.same(findings(schema, value), [[[], message]])
})

t.test('paths have numbers for list positions and unescaped keys', async t => {
  const nested = Type.Object({ 'a/b~c': Type.Array(Type.Object({ n: Type.Integer() })) })
  t.same(findings(nested, { 'a/b~c': [{ n: 1 }, { n: 'x' }] }), [
    [['a/b~c', 1, 'n'], "'x' is not of type 'integer'"],
  ])
})

t.test('long values are clipped and the number of field errors is bounded', async t => {
  const errors = compile(Type.Array(Type.Integer()))(Array(1000).fill('x'.repeat(5000)))
  t.equal(errors.length, 50)
  t.ok(errors.every(({ message }) => message.length < 150))
  const [[, message]] = findings(Type.Integer(), `${'x'.repeat(98)}😀x`) as [[unknown, string]]
  t.equal(message, `'${'x'.repeat(98)}…' is not of type 'integer'`)
})

t.test('a value is told as JSON, however deep it goes', async t => {
  const value = { a: [1, { b: null }], c: 'text', d: [] }
  t.same(findings(Type.Integer(), value), [
    [[], `{"a":[1,{"b":null}],"c":"text","d":[]} is not of type 'integer'`],
  ])
  const deep = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000))
  t.same(findings(Type.Integer(), deep), [[[], `${'['.repeat(99)}… is not of type 'integer'`]])
})

t.test('a tuple keeps its positions', async t => {
  const pair = Type.Tuple([Type.String(), Type.Integer()])
  t.strictSame(compile(pair)(['a', 1]), [])
  t.same(findings(pair, ['a', 'b']), [[[1], "'b' is not of type 'integer'"]])
})

t.test('a schema that names an unknown format or keyword is refused at its first use', async t => {
  t.throws(() => compile(Type.String({ format: 'shoe-size' }))(''))
  t.throws(() => compile(Type.String({ minimumLength: 3 }))(''))
})
