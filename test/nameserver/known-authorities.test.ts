import t from 'tap'
import { openResponder } from '../../src/nameserver/responder.ts'
import { ask, queryFor } from '../helpers/ask.ts'
import { ListedZone } from '../helpers/oracle/listed-zone.ts'
import { signZone } from '../helpers/sign-zone.ts'
import { rrsetsFromText, zoneSetOf, zonesFromText } from '../helpers/zone.ts'
import { createZone, openTable } from '../helpers/zone-table.ts'

// `ask` compares each answer with that of the oracle, octet by octet: what all of a zone's have in common is compressed at first,
// and copied from the third on.

const rest = '1 7200 900 1209600 300'
const long = 'a'.repeat(63)

const soas: readonly (readonly [string, string, string])[] = [
  ['with names in its zone', 'example.', 'ns1 hostmaster'],
  ['with names in another zone', 'example.', 'ns1.provider.test. hostmaster.provider.test.'],
  ['with a name above its zone', 'sub.example.', 'ns1.example. Hostmaster.example.'],
  ['with one name below the other', 'example.', 'a.ns1 hostmaster.a.ns1'],
  ['with its zone and the root as names', 'example.', '@ .'],
  ['of the root', '.', 'ns1.example. hostmaster.example.'],
  ['with names that are too long to be kept', 'example.', `${long}.${long}.ns1 hostmaster`],
  ['with very many labels', 'example.', 'a.b.c.d.e.f.g.h.i.j ops.k.l.m.n.o.p.q.r.s'],
]

for (const [what, origin, names] of soas) {
  t.test(`a SOA ${what} is the same in each negative answer`, async t => {
    const below = origin === '.' ? '.' : `.${origin}`
    const zones = zonesFromText(`
      ${origin}  3600 SOA   ${names.replace('@', origin)} ${rest}
      ${origin}  3600 NS    ns1${below}
      ns1${below} 3600 A    192.0.2.53
      to${below}  3600 CNAME missing${below}
    `)
    const first = ['missing', 'x.y', 'A.very.deep.Name'].map(name => `${name}${below} A`)
    const own = [`ns1${below} TXT`, `x.ns1${below} A`, `a.ns1${below} A`, `x.hostmaster${below} A`]
    const others = [`to${below} A`, `${origin} TXT`, `provider.test${below} A`]
    const questions = [...own, ...first, ...others, ...own, ...first, ...others]
    const soa = ask(zones, questions[0] as string).authority
    t.equal(soa.length, 1)
    for (const question of questions) t.same(ask(zones, question).authority, soa, question)
  })
}

t.test(
  'owners of NSEC are compressed against the names of a SOA and against the question',
  async t => {
    const text = `
    example.   3600 SOA ns1 ops ${rest}
    @          3600 NS  ns1
    ns1        3600 A   192.0.2.53
    OPS        3600 A   192.0.2.53
    ops2       3600 A   192.0.2.53
    www        3600 A   192.0.2.53
  `
    const zones = zoneSetOf(new ListedZone(signZone(rrsetsFromText(text), { denial: 'nsec' })))
    const owners = {
      ns10: 'ns1',
      opsa: 'ops2',
      'a.ops': 'ops',
      'a.www': 'www',
      'a.ns1': 'ns1',
      www2: 'www',
    }
    for (const [name, owner] of [...Object.entries(owners), ...Object.entries(owners)]) {
      const { authority } = ask(zones, `${name}.example. A`, { edns: { isDnssecOk: true } })
      const covering = authority.filter(text => text.split(' ')[2] === 'NSEC')
      t.equal(covering.at(-1)?.split(' ')[0], `${owner}.example.`)
    }
  },
)

for (const denial of ['nsec', 'nsec3', 'opt-out'] as const) {
  t.test(`denials with ${denial} are the same whether they are copied or not`, async t => {
    const text = `
      example.   3600 SOA ns1 ops ${rest}
      @          3600 NS  ns1
      ns1        3600 A   192.0.2.53
      !          3600 A   192.0.2.53
      *.wild     3600 A   192.0.2.53
      a.b.www    3600 A   192.0.2.53
      cut        3600 NS  ns1.cut
      cut.ent    3600 NS  ns1
    `
    const withoutOdd = text.replace(/ *!.*\n/, '')
    for (const zoneText of [text, withoutOdd]) {
      const zones = zoneSetOf(new ListedZone(signZone(rrsetsFromText(zoneText), { denial })))
      const names = [
        // First: with opt-out, the closest encloser has no NSEC3, and that of the apex is not what others have in common.
        'x.ent',
        'aa',
        'zz',
        'x.y',
        'ops',
        'b.www',
        'x.www',
        'x.b.www',
        'x.wild',
        'cut',
        'x.ns1',
      ]
      const hash = 'o'.repeat(32)
      for (let round = 0; round < 3; round += 1) {
        for (const name of [...names, hash, `x.${hash}`]) {
          for (const payloadOctets of [512, 1232]) {
            const edns = { isDnssecOk: true, payloadOctets }
            const { authority } = ask(zones, `${name}.example. TXT`, { edns })
            t.ok(authority.length > 0)
          }
        }
      }
    }
  })
}

t.test('a SOA that has been replaced is no longer put, wherever the new one lies', async t => {
  const table = openTable()
  const target = table.addTarget()
  const soa = (serial: number) =>
    rrsetsFromText(`example. 3600 SOA ns1 hostmaster ${serial} 7200 900 1209600 300`)
  const zone = createZone(table, soa(1))
  target.publish(zone)
  const responder = openResponder(table.readers.open(target).handle)
  const room = new Uint8Array(512)
  const old: number[] = []
  for (let serial = 2; serial < 1000; serial += 1) {
    for (const rrset of soa(serial)) zone.putRrset(rrset.owner, rrset)
    table.reclaim(10)
    for (let i = 0; i < 4; i += 1) {
      const request = queryFor(`x${i}.example. A`)
      responder.enter()
      responder.take(0, request, request.length, 'udp')
      const length = responder.respond(0, room)
      responder.leave()
      // Serial and timers end the response.
      const put = new DataView(room.buffer).getUint32(length - 20)
      if (put !== serial) old.push(put)
    }
  }
  t.same(old, [])
})
