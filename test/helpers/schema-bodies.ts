import type { Dice } from './dice.ts'

// Bodies generated from a schema and then damaged, as a faulty program or an attacker may send them.

/** The part of JSON Schema that our bodies use. */
type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema | readonly Schema[]
  readonly format?: string
  readonly minimum?: number
  readonly minItems?: number
}

/** JSON texts that may replace a field's proper value. */
const oddTexts = [
  'null',
  'true',
  '0',
  '-1',
  '0.1',
  '1e400',
  '9007199254740993',
  '2147483648',
  '""',
  '" "',
  '"."',
  '".."',
  '"*"',
  '"@"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '"ß.example.com."',
  '"%s%n${x}"',
  '"null"',
  '"-1"',
  '"NaN"',
  '"1e999"',
  '"__proto__"',
  '"constructor"',
  '"9999-12-31T23:59:59-23:59"',
  '"2026-02-30"',
  '"(((a+)+)+)+$"',
  '"[::ffff:192.0.2.1]:99999"',
  `"${'a'.repeat(64)}.example.com."`,
  `"${'a.'.repeat(127)}"`,
  `"${'\\\\000'.repeat(60)}."`,
  `"${'x'.repeat(10_000)}"`,
  '{}',
  '[]',
  '[null]',
  '[[]]',
  '[{}]',
  '["a","a"]',
  '{"toString":1}',
  '{"valueOf":null,"toString":null}',
  '{"length":-1}',
  '{"toJSON":1}',
  '{"then":1}',
  '{"constructor":{"prototype":1}}',
  '{"__proto__":{"a":1}}',
  `${'['.repeat(200)}${']'.repeat(200)}`,
]

/** Texts that pass the check of the field of that name. */
const fittingTexts: Readonly<Record<string, readonly string[]>> = {
  name: ['fuzz.example.com.', 'www.example.com.', 'example.net.', 'fuzz', 'org', 'dns.zone'],
  email: ['ops@example.com'],
  type: ['A', 'TXT', 'MX', 'PRIMARY', 'SECONDARY', 'CNAME', 'flat', 'rate'],
  data: ['192.0.2.1', 'mail.example.com.'],
  records: ['192.0.2.1', '10 mail.example.com.', '"text"', 'www.example.com.'],
  masters: ['192.0.2.1:53'],
  pattern: ['^bad\\.', '.*'],
  algorithm: ['hmac-sha256'],
  secret: ['c2VjcmV0'],
  scope: ['POOL', 'ZONE'],
  password: ['long enough to be taken'],
  zonefile: ['$ORIGIN fuzz.example.\n@ 60 SOA ns.example.com. ops.example.com. 1 2 3 4 5\n'],
  hostname: ['ns1.example.com.'],
  methods: ['password', 'token'],
}

const manyTexts = ['a', 'fuzz', '192.0.2.1', 'example.com.', '2026-11-01T00:00:00', '1']

/** A value that fits a schema, or nearly. Fields named as ids get one of `ids`. */
export function sampleOf(
  schema: unknown,
  { dice, ids, key = '' }: { dice: Dice; ids: readonly string[]; key?: string },
): unknown {
  const given = schema as Schema
  const inside = (next: unknown, name = key) => sampleOf(next, { dice, ids, key: name })
  if (given.const !== undefined) return given.const
  if (given.enum !== undefined) return dice.pick(given.enum)
  const choices = given.anyOf ?? given.oneOf
  if (choices !== undefined) return inside(dice.pick(choices))
  const type = typeof given.type === 'string' ? given.type : dice.pick(given.type ?? ['string'])
  if (type === 'object') return objectOf(given, { dice, inside })
  if (type === 'array') {
    const items = given.items === undefined ? [{}] : [given.items].flat()
    return Array.from({ length: 1 + dice.below(2) }, () => inside(dice.pick(items)))
  }
  if (type === 'integer' || type === 'number') return (given.minimum ?? 0) + dice.below(4000)
  if (type === 'boolean') return dice.below(2) === 0
  if (type === 'null') return null
  const isId = given.format === 'uuid' || /(^|_)id$/.test(key)
  return dice.pick(isId && ids.length > 0 ? ids : (fittingTexts[key] ?? manyTexts))
}

function objectOf(
  { properties = {}, patternProperties = {}, required = [] }: Schema,
  { dice, inside }: { dice: Dice; inside: (schema: unknown, name: string) => unknown },
): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (required.includes(name) || dice.below(3) > 0) object[name] = inside(schema, name)
  }
  for (const schema of Object.values(patternProperties)) object.fuzz = inside(schema, 'fuzz')
  return object
}

/** The JSON text of a value with some part changed. */
export function damagedText(value: unknown, dice: Dice): string {
  const marks = countNodes(value)
  return textWithOdd(value, { left: dice.below(marks), odd: dice.pick(oddTexts) })
}

/** A text for a parameter of a query or a path: an odd JSON value without its quotes. */
export function oddParameter(dice: Dice): string {
  return dice.pick(oddTexts).replace(/^"|"$/g, '')
}

function countNodes(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, item) => sum + countNodes(item), 1)
}

function textWithOdd(value: unknown, place: { left: number; odd: string }): string {
  if (place.left-- === 0) return place.odd
  if (Array.isArray(value)) return `[${value.map(item => textWithOdd(item, place)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}:${textWithOdd(item, place)}`,
  )
  return `{${fields.join(',')}}`
}
