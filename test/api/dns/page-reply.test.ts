import t from 'tap'
import { pageReply } from '../../../src/api/dns/page-reply.ts'

const frame = { links: { self: 'http://a/zones' }, metadata: { total_count: 3 } }

t.test('a page is the JSON of its items and of what stands beside them', async t => {
  const viewOf = (name: string) => ({ name, note: undefined })
  const reply = await pageReply('zones', { rows: ['a"', 'ü', '\u2028'], viewOf }, frame)
  t.equal(reply.status, 200)
  t.same(reply.headers, { 'content-type': 'application/json' })
  const zones = [{ name: 'a"' }, { name: 'ü' }, { name: '\u2028' }]
  t.equal(reply.text, JSON.stringify({ zones, ...frame }))
})

t.test('a page may be empty, and leaves out what has gone', async t => {
  const viewOf = (number: number) => (number > 1 ? { number } : undefined)
  const none = await pageReply('zones', { rows: [], viewOf }, frame)
  t.equal(none.text, JSON.stringify({ zones: [], ...frame }))
  const one = await pageReply('zones', { rows: [1, 2], viewOf }, frame)
  t.equal(one.text, JSON.stringify({ zones: [{ number: 2 }], ...frame }))
})
