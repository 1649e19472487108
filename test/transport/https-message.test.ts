import t from 'tap'
import { classes, rcodes, types } from '../../src/dns/codes.ts'
import { encodeMessage, type ResourceRecord } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { parseRdata } from '../../src/dns/rdata/index.ts'
import { freshSeconds } from '../../src/transport/https-message.ts'

const owner = parseName('www.example.org.')

function record(type: number, ttlSeconds: number, text: string): ResourceRecord {
  return { owner, type, class: classes.in, ttlSeconds, rdata: parseRdata(type, text) }
}

function responseOf({
  rcode = rcodes.noError as number,
  answers = [] as readonly ResourceRecord[],
  authorities = [] as readonly ResourceRecord[],
}): Uint8Array {
  const questions = [{ name: owner, type: types.A, class: classes.in }]
  const header = { id: 0, flags: 0x8000 | rcode }
  return encodeMessage({ header, questions, answers, authorities, additionals: [] })
}

t.test(
  'a response may be kept as long as the first of its answers (RFC 8484 section 5.1)',
  async t => {
    const a = record(types.A, 300, '192.0.2.1')
    const cname = record(types.CNAME, 60, 'other.example.org.')
    const ns = record(types.NS, 5, 'ns1.example.org.')
    const soa = (ttl: number, minimum: number) =>
      record(types.SOA, ttl, `ns1.example.org. ops.example.org. 1 2 3 4 ${minimum}`)
    const rows: readonly (readonly [string, Parameters<typeof responseOf>[0], number])[] = [
      ['the lowest TTL', { answers: [a, cname], authorities: [ns] }, 60],
      ['no data', { authorities: [soa(900, 120)] }, 120],
      ['the TTL of the SOA is lower', { authorities: [soa(30, 120)] }, 30],
      ['no such name', { rcode: rcodes.nxDomain, authorities: [soa(900, 120)] }, 120],
      ['an alias to no name', { rcode: 3, answers: [cname], authorities: [soa(900, 40)] }, 40],
      ['a referral', { authorities: [ns] }, 0],
      ['refused', { rcode: rcodes.refused }, 0],
      ['a failure', { rcode: rcodes.servFail, answers: [a] }, 0],
    ]
    for (const [what, parts, seconds] of rows)
      t.equal(freshSeconds(responseOf(parts)), seconds, what)
  },
)

t.test('an answer of many long names may be kept as well', async t => {
  const deep = parseName(`${'a.'.repeat(100)}example.org.`)
  const answers = Array.from({ length: 100 }, (_, i) => ({
    ...record(types.PTR, 60, `host-${i}.${'a.'.repeat(100)}example.org.`),
    owner: deep,
  }))
  t.equal(freshSeconds(responseOf({ answers })), 60)
})
