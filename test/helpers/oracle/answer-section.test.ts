import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { queryFor, type Reply, replyFrom } from '../ask.ts'
import { zonesFromText } from '../zone.ts'
import { type ChainEnd, putAnswers } from './answer-section.ts'
import { readQuery } from './query.ts'
import { Response } from './response.ts'

const zones = zonesFromText(
  `
  example.  3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  host      3600 A     192.0.2.1
  www       3600 CNAME Host
  out       3600 CNAME www.elsewhere.invalid.
  cross     3600 CNAME missing.test.
  wide      3600 DNAME ${'x'.repeat(63)}.${'x'.repeat(63)}.${'x'.repeat(63)}.
`,
  'test. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300',
)

function run(name: string): { end: ChainEnd | undefined; reply: Reply } {
  const query = readQuery(queryFor(`${name} A`))
  const zone = zones.get(parseName('example.'))
  if (query?.question === undefined || zone === undefined) throw new Error('nothing to ask')
  const response = new Response(query, new Uint8Array(2000), 512)
  const end = putAnswers(query.question, { zone, zones }, response)
  return { end, reply: replyFrom(response.finish()) }
}

t.test('the end of a chain is named as the alias names it, with what was found there', async t => {
  const { end, reply } = run('WWW.example.')
  t.equal(end && formatName(end.owner), 'Host.example.')
  t.equal(end?.found.kind === 'hit' && end.found.rrset.type, types.A)
  t.equal(reply.answer.length, 2)
})

t.test('the end may be in another zone, which then has the say', async t => {
  const { end, reply } = run('cross.example.')
  t.equal(end && formatName(end.zone.apex), 'test.')
  t.equal(reply.rcode, 'NXDOMAIN')
})

t.test('without an end there is nothing left to add', async t => {
  t.equal(run('out.example.').end, undefined)
  t.equal(run(`${'y'.repeat(63)}.wide.example.`).end, undefined)
  t.equal(run(`${'y'.repeat(63)}.wide.example.`).reply.rcode, 'YXDOMAIN')
})
