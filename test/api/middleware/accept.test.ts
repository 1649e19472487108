import t from 'tap'
import { acceptsType, requireAcceptable } from '../../../src/api/middleware/accept.ts'

const cases: readonly [accept: string, isTaken: boolean][] = [
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['*/*', true],
  ['application/*', true],
  ['text/html, application/json;q=0.5', true],
  ['text/html,*/*;q=0.1', true],
  ['text/html', false],
  ['text/dns', false],
  ['', false],
  ['application/json;q=0', false],
  ['*/*, application/json;q=0', false],
  ['application/json, */*;q=0', true],
  ['application/*;q=0.000', false],
]

t.test('the most specific range of an Accept header decides (RFC 9110 12.5.1)', async t => {
  for (const [accept, isTaken] of cases)
    t.equal(acceptsType(accept, 'application/json'), isTaken, accept)
})

t.test('a client that says nothing takes anything', async t => {
  const types = ['application/json', 'text/csv']
  t.equal(requireAcceptable(undefined, types), 'application/json')
  t.equal(requireAcceptable('text/csv, text/html', types), 'text/csv')
  t.throws(() => requireAcceptable('text/html', types), {
    name: 'ApiError',
    type: 'unsupported_accept',
  })
})
