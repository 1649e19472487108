import t from 'tap'
import { parseBasic } from '../../src/identity/basic.ts'

function header(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`
}

const cases: readonly [text: string, name: string, password: string][] = [
  ['admin:secret', 'admin', 'secret'],
  ['admin:with:colons', 'admin', 'with:colons'],
  ['admin:', 'admin', ''],
  ['admin', 'admin', ''],
  ['jürgen:pässwörd', 'jürgen', 'pässwörd'],
]

t.test('the name ends at the first colon (RFC 7617 2)', async t => {
  for (const [text, name, password] of cases)
    t.strictSame(parseBasic(header(text)), { name, password }, text)
})

t.test('the scheme is taken in any case', async t => {
  t.strictSame(parseBasic(header('a:b').replace('Basic', 'bAsIc')), { name: 'a', password: 'b' })
})

t.test('other headers are not understood', async t => {
  const others = [
    undefined,
    '',
    'Basic',
    'Basic ',
    'Basic !!!',
    'Bearer YTpi',
    'YTpi',
    'Basic YTpi x',
  ]
  for (const other of others) t.equal(parseBasic(other), undefined, String(other))
})
