import t from 'tap'
import { ask } from '../helpers/ask.ts'
import { zonesFromText } from '../helpers/zone.ts'

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n')

const zones = zonesFromText(`
  example.  3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS    ns1
  ns1       3600 A     192.0.2.53
  ${many(20, i => `txt 3600 TXT "${i}-${'x'.repeat(50)}"`)}
  to-txt    3600 CNAME txt
  ${many(20, i => `mx 3600 MX ${i} m${i}`)}
  ${many(20, i => `m${i} 3600 AAAA 2001:db8::${i}`)}
  ${many(13, i => `sub 3600 NS ns${i}.sub`)}
  ${many(13, i => `ns${i}.sub 3600 AAAA 2001:db8::${i}`)}
  ${many(13, i => `out 3600 NS ns${i}.sub`)}
  ${many(30, i => `huge 3600 NS a-rather-long-server-name-${i}.elsewhere.test.`)}
  big       3600 TXT   ${many(6, () => `"${'y'.repeat(250)}"`).replaceAll('\n', ' ')}
`)

t.test('an answer over 512 octets is cut at the RRset and sets TC (RFC 2181 9)', async t => {
  const reply = ask(zones, 'txt.example. TXT')
  t.equal(reply.flags, 'aa tc')
  t.same(reply.answer, [])
  t.same(reply.authority, [])
  t.ok(reply.octets.length <= 512)
})

t.test('the same answer is whole over TCP', async t => {
  const reply = ask(zones, 'txt.example. TXT', { transport: 'tcp' })
  t.equal(reply.flags, 'aa')
  t.equal(reply.answer.length, 20)
})

t.test('an answer of up to 1232 octets is whole for a client that takes it', async t => {
  t.equal(ask(zones, 'mx.example. MX', { edns: { payloadOctets: 1232 } }).flags, 'aa')
  t.equal(ask(zones, 'txt.example. TXT', { edns: { payloadOctets: 4096 } }).flags, 'aa tc')
})

t.test('a chain that fits in part keeps the part, and sets TC', async t => {
  const reply = ask(zones, 'to-txt.example. TXT')
  t.equal(reply.flags, 'aa tc')
  t.same(reply.answer, ['to-txt.example. 3600 CNAME txt.example.'])
})

t.test('optional additional records that do not fit are left out without TC', async t => {
  const reply = ask(zones, 'mx.example. MX')
  t.equal(reply.flags, 'aa')
  t.equal(reply.answer.length, 20)
  t.ok(reply.additional.length > 0 && reply.additional.length < 20)
  t.ok(reply.octets.length <= 512)
})

t.test('glue of in-domain servers that does not fit sets TC (RFC 9471 3.1)', async t => {
  const reply = ask(zones, 'www.sub.example. A')
  t.equal(reply.flags, 'tc')
  t.equal(reply.authority.length, 13)
  t.ok(reply.octets.length <= 512)
})

t.test('glue of sibling servers that does not fit does not set TC (RFC 9471 3.2)', async t => {
  const reply = ask(zones, 'www.out.example. A')
  t.equal(reply.flags, '')
  t.equal(reply.authority.length, 13)
  t.ok(reply.additional.length > 0 && reply.additional.length < 13)
})

t.test('all glue is there where it fits', async t => {
  const reply = ask(zones, 'www.sub.example. A', { edns: { payloadOctets: 1232 } })
  t.equal(reply.flags, '')
  t.equal(reply.additional.length, 13)
})

t.test('a referral whose NS do not fit sets TC and has no glue', async t => {
  const reply = ask(zones, 'www.huge.example. A')
  t.equal(reply.flags, 'tc')
  t.same(reply.authority, [])
  t.same(reply.additional, [])
})

t.test('a negative answer whose SOA does not fit sets TC: it could not be cached', async t => {
  const label = 'x'.repeat(60)
  const wide = zonesFromText(
    `example. 60 SOA ${`a${label}.`.repeat(4)} ${`b${label}.`.repeat(4)} 1 7200 900 1209600 300`,
  )
  t.equal(ask(wide, 'example. A').flags, 'aa tc')
  t.equal(ask(wide, 'missing.example. A').flags, 'aa tc')
  t.equal(ask(wide, 'example. A', { edns: {} }).flags, 'aa')
})

t.test('OPT is there though nothing else fits (RFC 6891 7)', async t => {
  for (const payloadOctets of [0, 512, 1232]) {
    const reply = ask(zones, 'big.example. TXT', { edns: { payloadOctets } })
    t.equal(reply.flags, 'aa tc')
    t.equal(reply.edns?.payloadOctets, 1232)
  }
})

t.test('no response is longer than the client takes, at any size', async t => {
  const tooLong: string[] = []
  for (let payloadOctets = 500; payloadOctets < 1300; payloadOctets += 1) {
    const limitOctets = Math.min(1232, Math.max(512, payloadOctets))
    for (const question of ['mx.example. MX', 'www.sub.example. A', 'www.out.example. A']) {
      const { octets } = ask(zones, question, { edns: { payloadOctets } })
      if (octets.length > limitOctets) tooLong.push(`${question} at ${payloadOctets}`)
    }
  }
  t.same(tooLong, [])
})
