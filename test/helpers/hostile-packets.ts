import { flags } from '../../src/dns/header.ts'
import { parseName } from '../../src/dns/name.ts'
import { queryFor } from './ask.ts'
import type { Dice } from './dice.ts'
import { ownCookie } from './oracle/options.ts'
import { zonesFromText } from './zone.ts'

// Requests that are nearly right, which is where parsers break: good queries of every kind, damaged in one to
// four places by the rules attackers and broken clients follow.

export const hostileZones = zonesFromText(
  `
  example.     3600 SOA   ns1 hostmaster 1 7200 900 1209600 300
  @            3600 NS    ns1
  @            3600 MX    10 mail
  ns1          3600 A     192.0.2.53
  mail         3600 AAAA  2001:db8::25
  www          3600 CNAME mail
  loop         3600 CNAME loop
  sub          3600 NS    ns.sub
  ns.sub       3600 A     192.0.2.54
  old          3600 DNAME new
  grow         3600 DNAME a.grow
  *.wild       3600 TXT   "w"
  a.b.c.d      3600 A     192.0.2.1
  big          3600 TXT   ${Array.from({ length: 8 }, () => `"${'x'.repeat(200)}"`).join(' ')}
  _s._tcp      3600 SRV   0 0 1 mail
`,
  `
  .            86400 SOA  a.root hostmaster 1 7200 900 1209600 300
  test         86400 NS   ns.test
  ns.test      86400 AAAA 2001:db8::1
`,
)

const names = [
  'example.',
  'www.example.',
  'loop.example.',
  'x.sub.example.',
  'a.b.old.example.',
  'a.grow.example.',
  'x.y.wild.example.',
  'c.d.example.',
  'big.example.',
  'missing.example.',
  '_s._tcp.example.',
  'www.test.',
  '.',
  `${'a.'.repeat(120)}example.`,
]
const mnemonics = ['A', 'NS', 'MX', 'TXT', 'SRV', 'DS', 'CNAME', 'ANY', 'SOA', 'AXFR', 'TYPE9999']

/** Good requests to start from. */
export function goodRequests(): Uint8Array[] {
  const queries = names.flatMap((name, i) =>
    mnemonics.map((mnemonic, j) =>
      queryFor(`${name} ${mnemonic}`, {
        id: i * 256 + j,
        flags: (i + j) % 2 === 0 ? flags.recursionDesired : 0,
        ...((i + j) % 3 === 0 ? {} : { edns: { payloadOctets: 400 + 300 * j } }),
      }),
    ),
  )
  const opcodes = [1, 2, 4, 5, 15].map(opcode => queryFor('example. SOA', { opcode }))
  const options = [
    { code: 8, octets: Uint8Array.from([0, 1, 24, 0, 192, 0, 2]) },
    { code: 3, octets: new Uint8Array() },
    { code: 10, octets: ownCookie() },
    { code: 10, octets: ownCookie().slice(0, 8) },
    { code: 11, octets: new Uint8Array() },
    { code: 9, octets: new Uint8Array() },
  ]
  const withOptions = options.map((_, i) =>
    queryFor('example. A', { edns: { options: options.slice(i) } }),
  )
  const [withCookie = new Uint8Array()] = withOptions.slice(2)
  const cookieAlone = withoutQuestion(withCookie, 'example.')
  const expire = queryFor('example. SOA', { edns: { options } })
  const chaos = queryFor('id.server. TXT', { class: 3, edns: { options } })
  return [...queries, ...opcodes, ...withOptions, cookieAlone, expire, chaos]
}

/** Returns a query without its question, whose name must be `name`. */
export function withoutQuestion(request: Uint8Array, name: string): Uint8Array {
  const questionOctets = parseName(name).length + 4
  const octets = Buffer.concat([request.subarray(0, 12), request.subarray(12 + questionOctets)])
  return octets.fill(0, 5, 6)
}

/** Returns a damaged copy of one of the requests. */
export function damagedRequest(requests: readonly Uint8Array[], dice: Dice): Uint8Array {
  let octets = dice.pick(requests).slice()
  for (let i = dice.below(4); i >= 0; i -= 1) octets = dice.pick(damages)(octets, requests, dice)
  return octets
}

type Damage = (
  octets: Uint8Array<ArrayBuffer>,
  requests: readonly Uint8Array[],
  dice: Dice,
) => Uint8Array<ArrayBuffer>

const damages: readonly Damage[] = [
  function flipBit(octets, _requests, dice) {
    const at = dice.below(octets.length + 1)
    octets.set([(octets[at] ?? 0) ^ (1 << dice.below(8))], Math.min(at, octets.length - 1))
    return octets
  },
  function setOctet(octets, _requests, dice) {
    octets[dice.below(octets.length)] = dice.pick([0, 1, 0x3f, 0x40, 0x80, 0xc0, 0xff])
    return octets
  },
  function cutOff(octets, _requests, dice) {
    return octets.slice(0, 1 + dice.below(octets.length))
  },
  function append(octets, _requests, dice) {
    return joined(octets, randomOctets(dice))
  },
  function spliceAnother(octets, requests, dice) {
    const other = dice.pick(requests)
    return joined(octets.slice(0, 1 + dice.below(octets.length)), other.slice(dice.below(60)))
  },
  function insert(octets, _requests, dice) {
    const at = dice.below(octets.length)
    return joined(octets.slice(0, at), randomOctets(dice), octets.slice(at))
  },
  function setCount(octets, _requests, dice) {
    const at = 4 + 2 * dice.below(4)
    if (octets.length > at + 1) octets.set(dice.pick(counts), at)
    return octets
  },
  function point(octets, _requests, dice) {
    const at = dice.below(octets.length - 1 || 1)
    const target = dice.below(octets.length)
    if (octets.length > at + 1) octets.set([0xc0 | (target >> 8), target & 0xff], at)
    return octets
  },
]

const counts = [
  [0, 0],
  [0, 1],
  [0, 2],
  [0xff, 0xff],
]

function randomOctets(dice: Dice): Uint8Array {
  return Uint8Array.from({ length: 1 + dice.below(30) }, () => dice.below(256))
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}
