import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import { queryFor, type Reply, replyFrom } from '../helpers/ask.ts'
import { type Denial, signZone } from '../helpers/sign-zone.ts'
import { rrsetsFromText } from '../helpers/zone.ts'
import { createZone, openTable } from '../helpers/zone-table.ts'

// A zone of which a reader sees names and NSEC3 of two moments, as it may between two words of the writer, and here for good:
// what is not true of both is answered by SERVFAIL, since a validator would take the proof for an attack.

const before = `
  example. 300 SOA ns1 hostmaster 1 7200 900 1209600 300
  typed    60  A   192.0.2.1
  typed    60  TXT t
  gone     60  A   192.0.2.2
  sub      60  NS  ns1
  alias    60  CNAME gone
  *.wild   60  A   192.0.2.3
  *.wild   60  TXT w
`
const after = `
  example. 300 SOA ns1 hostmaster 1 7200 900 1209600 300
  typed    60  A   192.0.2.1
  new      60  A   192.0.2.2
  sub      60  NS  ns1
  alias    60  CNAME gone
  *.wild   60  A   192.0.2.3
`

function asker(denial: Denial): (question: string) => Reply {
  const isOfChain = ({ owner, type }: OwnedRrset) => type === types.NSEC3 || owner[0] === '\x20'
  const signed = (text: string) => signZone(rrsetsFromText(text), { denial })
  const rrsets = [
    ...signed(after).filter(rrset => !isOfChain(rrset)),
    ...signed(before).filter(isOfChain),
  ]
  const table = openTable()
  const target = table.addTarget()
  target.publish(createZone(table, rrsets))
  const responder = openResponder(table.readers.open(target).handle, defect => {
    throw defect
  })
  const room = new Uint8Array(1232)
  return question => {
    const request = queryFor(question, { edns: { isDnssecOk: true } })
    responder.enter()
    responder.take(0, request, request.length, 'udp')
    const octets = responder.respond(0, room)
    responder.leave()
    return replyFrom(room.slice(0, octets))
  }
}

for (const [denial, comesAndGoes] of [
  ['nsec3', 'SERVFAIL'],
  // Of what is opted out nothing is said.
  ['opt-out', 'NOERROR'],
] as const) {
  t.test(`${denial}: nothing is proved that is not so`, async t => {
    const ask = asker(denial)
    for (const [question, rcode] of [
      ['typed.example. A', 'NOERROR'],
      ['typed.example. AAAA', 'NOERROR'],
      ['typed.example. TXT', 'SERVFAIL'],
      ['any.wild.example. TXT', 'SERVFAIL'],
      ['any.wild.example. MX', 'NOERROR'],
      ['gone.example. A', 'SERVFAIL'],
      // Not half a chain either.
      ['alias.example. A', 'SERVFAIL'],
      ['new.example. A', 'NOERROR'],
      ['new.example. TXT', comesAndGoes],
      ['missing.example. A', 'NXDOMAIN'],
      ['www.sub.example. A', 'NOERROR'],
    ] as const) {
      const { rcode: found, flags, answer, authority, additional } = ask(question)
      t.equal(found, rcode, question)
      if (found !== 'SERVFAIL') continue
      t.same([flags, ...answer, ...authority, ...additional], [''], question)
    }
  })
}
