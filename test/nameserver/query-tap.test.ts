import t from 'tap'
import { parseIpv4 } from '../../src/dns/rdata/fields/ipv4.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import type { ResponderHost } from '../../src/nameserver/responder-host.ts'
import { reserveTap, ringOctets } from '../../src/nameserver/tap-layout.ts'
import { TapReader } from '../../src/nameserver/tap-reader.ts'
import { queryFor } from '../helpers/ask.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

const zoneText = `
  example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  www      60   A   192.0.2.1
`

function open() {
  const table = openTable()
  const target = table.addTarget()
  const zone = tableZoneFromText(table, zoneText)
  target.publish(zone)
  const { handle } = table.readers.open(target)
  const tap = reserveTap(1)
  const responder = openResponder({ ...handle, tap })
  let client = '192.0.2.53'
  const host: ResponderHost = {
    onNotified: () => true,
    readClient(_, into) {
      const octets = parseIpv4(client) as Uint8Array
      into.set(octets)
      return octets.length
    },
    nowSeconds: () => 0,
    unixSeconds: () => 0,
    unixMillis: () => 1234,
  }
  responder.host = host
  const room = new Uint8Array(0xffff)
  const ask = (question: string, from = client) => {
    client = from
    const request = queryFor(question)
    responder.enter()
    responder.take(0, request, request.length, 'udp')
    const octets = responder.respond(0, room)
    responder.leave()
    return { request: Buffer.from(request), response: Buffer.from(room.subarray(0, octets)) }
  }
  const reader = new TapReader(tap)
  return { zone, ask, reader, take: () => [...reader.take(0)] }
}

t.test('nothing is noted until somebody wants it', async t => {
  const { ask, take } = open()
  ask('www.example. A')
  t.same(take(), [])
})

t.test('a sample is the request and who sent it, of one query in so many', async t => {
  const { zone, ask, reader, take } = open()
  reader.sampledOf = 3
  const asked = [1, 2, 3, 4, 5, 6, 7].map(() => ask('www.example. A'))
  const noted = take()
  t.equal(noted.length, 2)
  t.match(noted[0], {
    weight: 3,
    rules: 0,
    transport: 'udp',
    zoneNumber: zone.number,
    rcode: 0,
    atMillis: 1234,
    sentOctets: asked[0]?.response.length,
  })
  t.same(Buffer.from(noted[0]?.request ?? []), asked[0]?.request)
  t.same([...(noted[0]?.client ?? [])], [192, 0, 2, 53])
  t.equal(noted[0]?.response.length, 0)
  t.same(take(), [])
})

t.test('a rule has the whole response, of a zone, of a network, of one in so many', async t => {
  const { zone, ask, reader, take } = open()
  reader.setRules([
    { zoneNumber: zone.number, client: undefined, sampledOf: 2 },
    {
      zoneNumber: undefined,
      client: { octets: parseIpv4('198.51.100.0') as Uint8Array, bits: 25 },
      sampledOf: 1,
    },
  ])
  const rulesFor = (question: string, from: string) => {
    ask(question, from)
    return take().map(({ rules }) => rules)
  }
  t.same(rulesFor('www.example. A', '192.0.2.53'), [])
  t.same(rulesFor('no.example. A', '192.0.2.53'), [1])
  t.same(rulesFor('www.elsewhere. A', '192.0.2.53'), [])
  t.same(rulesFor('www.elsewhere. A', '198.51.100.127'), [2])
  t.same(rulesFor('www.elsewhere. A', '198.51.100.128'), [])
  t.same(rulesFor('www.example. A', '198.51.100.1'), [2])
  const { request, response } = ask('www.example. A', '198.51.100.1')
  const [noted] = take()
  t.equal(noted?.rules, 3)
  t.equal(noted?.weight, 0)
  t.same(Buffer.from(noted?.request ?? []), request)
  t.same(Buffer.from(noted?.response ?? []), response)
  reader.setRules([])
  t.same(rulesFor('www.example. A', '198.51.100.1'), [])
})

t.test('what there is no room for is lost and counted, and nothing else', async t => {
  const { ask, reader, take } = open()
  reader.setRules([{ zoneNumber: undefined, client: undefined, sampledOf: 1 }])
  let notedCount = 0
  let lostCount = 0
  // Each round ends elsewhere in the ring.
  for (let round = 0; round < 7; round += 1) {
    const count = Math.ceil(ringOctets / 64) + round
    for (let i = 0; i < count; i += 1) ask(`${'x'.repeat(i % 50)}www.example. A`)
    const noted = take()
    t.ok(noted.length > 500 && noted.length < count)
    const broken = noted.filter(
      ({ request, response }) =>
        !Buffer.from(request.subarray(12)).equals(response.subarray(12, request.length)),
    )
    t.equal(broken.length, 0)
    notedCount += noted.length
    lostCount += count - noted.length
    t.equal(reader.lostCount(1), lostCount)
  }
  t.ok(notedCount > 0)
})
