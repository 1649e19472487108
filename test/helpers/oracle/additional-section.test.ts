import t from 'tap'
import { formatName, type Name } from '../../../src/dns/name.ts'
import type { Rrset } from '../../../src/zone/rrset.ts'
import { ask } from '../ask.ts'
import { zoneFromText } from '../zone.ts'
import type { Lookup, ServedZone } from './served-zone.ts'

const servers = Array.from({ length: 60 }, (_, i) => i)
const zone = zoneFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  ${servers.map(i => `many 60 MX ${i} m${i}\n m${i} 60 A 192.0.2.${i}`).join('\n')}
  ${servers.map(i => `sub 60 NS n${i}.sub\n n${i}.sub 60 A 192.0.2.${i}`).join('\n')}
  txt       60   TXT x
`)

/** Counts the lookups of the answering code in a zone. */
class CountedZone implements ServedZone {
  readonly apex = zone.apex
  readonly isExpired = false
  readonly asked: string[] = []

  lookup(qname: Name, qtype: number): Lookup {
    return zone.lookup(qname, qtype)
  }

  findAddresses(name: Name): readonly Rrset[] {
    this.asked.push(formatName(name))
    return zone.findAddresses(name)
  }
}

t.test('addresses that are only offered are bounded in number', async t => {
  const counted = new CountedZone()
  const reply = ask({ find: () => counted }, 'many.example. MX', { transport: 'tcp' })
  t.equal(reply.answer.length, servers.length)
  t.equal(reply.additional.length, 32)
  t.equal(counted.asked.length, 32)
})

t.test('glue is not: a referral without it is of no use', async t => {
  const reply = ask({ find: () => new CountedZone() }, 'www.sub.example. A', { transport: 'tcp' })
  t.equal(reply.additional.length, servers.length)
})

t.test('nothing is looked for that could not be put any more', async t => {
  const counted = new CountedZone()
  const reply = ask({ find: () => counted }, 'www.sub.example. A')
  t.match(reply.flags, /tc/)
  t.same(counted.asked, [], 'the NS do not fit')
  ask({ find: () => counted }, 'www.sub.example. A', { edns: { payloadOctets: 1232 } })
  t.ok(counted.asked.length < servers.length, 'the first of the glue does')
})

t.test('for types without targets the zone is not asked', async t => {
  const counted = new CountedZone()
  ask({ find: () => counted }, 'txt.example. TXT')
  ask({ find: () => counted }, 'missing.example. A')
  t.same(counted.asked, [])
})
