import fc from 'fast-check'
import t from 'tap'
import { exactJson, NumberText } from '../../src/rating/exact-json.ts'
import { atOnce } from '../../src/time-slice.ts'

const read = (text: string) => atOnce(exactJson(text))

t.test('a number keeps its text where a float would not print it', async t => {
  const { exact, long, huge, dotted } = read(
    '{"exact":0.25,"long":0.10000000000000000000001,"huge":1e400,"dotted":1.0}',
  ) as Record<string, unknown>
  t.equal(exact, 0.25)
  t.strictSame(long, new NumberText('0.10000000000000000000001'))
  t.strictSame(huge, new NumberText('1e400'))
  t.strictSame(dotted, new NumberText('1.0'))
})

/** What the built-in parser makes of a text; undefined where it is not JSON. */
function expected(text: string): unknown {
  const revive = (_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && String(value) !== context.source
      ? new NumberText(context.source ?? '')
      : value
  try {
    return { value: JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]) }
  } catch {
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return { value: read(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const texts = [
  ...[
    '',
    ' ',
    'NaN',
    '{"qty":Infinity}',
    '[01]',
    '[1.]',
    '[.5]',
    '[+1]',
    '[1e]',
    '[-]',
    '-0',
    '-0.0',
  ],
  ...[
    '[1,]',
    '[,1]',
    '[1 2]',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{"a"}',
    '{"a":}',
    '{,}',
    '[}',
    '{]',
  ],
  ...[
    '[',
    '{',
    '[[',
    '{"a":{',
    '"',
    '"a',
    '"\\"',
    '"\\x"',
    '"\\u12"',
    '"\\u12zz"',
    '"\n"',
    '"\u0000"',
  ],
  ...['"\\u0041\\n\\/\\\\"', '"\\ud800"', '"\u2028"', '"é😀"', '\u00a0[]', '\ufeff[]', '[]\u000b'],
  ...['true', 'nul', 'nulll', 'truefalse', ' \t\r\n[ 1 , { "a" : [ ] } ] \n', '[] []', '1 1'],
  ...[
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '{"":0}',
    '1e5',
    '1E5',
    '1e+5',
    '123456789012345678901',
  ],
]

t.test('any text is JSON or is not, and means what the built-in parser says', async t => {
  for (const [i, text] of texts.entries())
    t.strictSame(parsed(text), expected(text), `text ${i}: ${encodeURI(text.toWellFormed())}`)
})

t.test('so is any value, and any value with a piece of it put elsewhere', async t => {
  const cut = fc.tuple(fc.nat(), fc.nat(), fc.nat())
  fc.assert(
    fc.property(fc.json(), cut, (text, [from, length, to]) => {
      const at = from % (text.length + 1)
      const piece = text.slice(at, at + (length % 4))
      const rest = text.slice(0, at) + text.slice(at + piece.length)
      const place = to % (rest.length + 1)
      const mutated = rest.slice(0, place) + piece + rest.slice(place)
      for (const each of [text, mutated]) {
        const [own, builtIn] = [parsed(each), expected(each)]
        if (JSON.stringify(own) !== JSON.stringify(builtIn)) return false
      }
      return true
    }),
    { numRuns: 2000 },
  )
  t.pass('2000 texts')
})

t.test('depth costs memory and no stack', async t => {
  const depth = 200_000
  let value = read('['.repeat(depth) + ']'.repeat(depth)) as readonly unknown[]
  for (let i = 1; i < depth; i++) value = value[0] as readonly unknown[]
  t.same(value, [])
})

t.test('a long text is read in many steps', async t => {
  let count = 0
  for (const _ of exactJson(JSON.stringify(Array(10_000).fill({ a: 1 })))) count++
  t.ok(count > 30, `${count} steps`)
})
