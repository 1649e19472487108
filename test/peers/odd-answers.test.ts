import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatName, parseName } from '../../src/dns/name.ts'
import { formatRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import { type AskOptions, ask, exchange, queryFor, type Reply, replyFrom } from '../helpers/ask.ts'
import {
  exchange as exchangeWith,
  type Peer,
  peerKinds,
  startPeer,
} from '../helpers/peer-server.ts'
import { someTsig, strayRecord, tsigRecord, withAdditionals } from '../helpers/tsig.ts'
import { zonesFromText } from '../helpers/zone.ts'

// Names, types, sizes and requests that random zones do not have. Where the three servers do not agree with each other,
// ours must be with two of them. Left out is what README.md of `nameserver` decides otherwise.

const label63 = 'x'.repeat(63)
const longestName = `${label63}.${label63}.${label63}.${'y'.repeat(51)}`
const someMx = Array.from({ length: 12 }, (_, i) => i)

const zones = zonesFromText(`
  o.test. 3600 SOA ns host 1 7200 900 1209600 300
  @ 3600 NS ns
  ns 3600 A 192.0.2.1
  ${longestName} 60 TXT "longest"
  ${label63} 60 A 192.0.2.2
  a\\.b 60 A 192.0.2.3
  a\\032b\\000c 60 A 192.0.2.4
  \\255\\200 60 TXT "high"
  A\\@Z 60 TXT "at"
  odd 60 TYPE65280 \\# 3 010203
  odd 60 TYPE65281 \\# 0
  odd 60 HINFO "a" "b"
  odd 60 LOC 42 21 54 N 71 06 18 W -24m 30m
  odd 60 CAA 0 issue "ca.test"
  odd 60 URI 1 2 "http://x/"
  odd 60 NAPTR 1 2 "u" "x" "!a!b!" .
  odd 60 HTTPS 1 . alpn="h2,h3" port=443
  odd 60 RP m.x t
  *.wc 60 CNAME target
  *.wmx 60 MX 10 target
  *.ent.went 60 A 192.0.2.6
  x.*.went 60 TXT "below a wildcard"
  *.wx 60 TXT "w"
  below.*.wx 60 A 192.0.2.7
  target 60 A 192.0.2.5
  dn 60 DNAME dt
  sub.dt 60 A 192.0.2.8
  long 60 DNAME ${'z'.repeat(60)}.${'z'.repeat(60)}
  cut 60 NS ns.cut
  cut 60 NS ns.sib
  cut 60 DS 1 13 2 ${'0'.repeat(64)}
  ns.cut 60 A 192.0.2.9
  ns.cut 60 AAAA 2001:db8::9
  sib 60 NS ns.sib
  ns.sib 60 A 192.0.2.10
  *.above 60 TXT "w"
  d.above 60 NS ns.d.above
  ns.d.above 60 A 192.0.2.11
  chain1 60 CNAME chain2
  chain2 60 CNAME missing
  out 60 CNAME www.elsewhere.invalid.
  big 60 TXT ${['t', 'u', 'v'].map(letter => `"${letter.repeat(200)}"`).join(' ')}
  ${someMx.map(i => `mx 60 MX ${i} h${i}.mailers\n  h${i}.mailers 60 A 192.0.4.${i}`).join('\n  ')}
  _s._tcp 60 SRV 0 0 80 target
  noservice 60 SRV 0 0 80 .
  nomail 60 MX 0 .
`)

type Case = { readonly what: string; readonly request: Uint8Array; readonly ours: Reply }

function asked(question: string, options: AskOptions = { edns: {} }): Case {
  const what = `${question} ${JSON.stringify(options)}`
  return { what, request: queryFor(question, options), ours: ask(zones, question, options) }
}

/** A usual query, its octets changed. */
function damaged(what: string, options: AskOptions, change: (octets: number[]) => number[]): Case {
  const request = Uint8Array.from(change([...queryFor('target.o.test. A', options)]))
  return { what, request, ours: exchange(zones, request) }
}

const relativeNames = [
  ...[longestName, label63, 'a\\.b', 'a.b', 'A\\032B\\000C', '\\255\\200', 'a\\@z', 'a\\`z', 'wc'],
  ...['a.wc', '*.wc', 'a.b.wc', 'a.wmx', 'went', 'a.went', '*.went', 'y.*.went', 'a.ent.went'],
  ...['a.wx', '*.wx', 'b.*.wx', 'c.below.*.wx', 'dn', 'sub.dn', 'a.sub.dn', 'nope.dn', 'SUB.Dn'],
  ...['cut', 'a.cut', 'ns.cut', 'above', 'x.above', 'd.above', 'a.d.above', 'chain1', 'out', 'mx'],
  ...['_s._tcp', '_tcp', 'noservice', 'nomail', 'a.nope', 'tArGeT', `${'w'.repeat(60)}.long`],
]
const oddTypes = [
  ...['TYPE65280', 'TYPE65281', 'TYPE65282', 'HINFO', 'LOC', 'CAA', 'URI', 'NAPTR', 'HTTPS', 'RP'],
  ...['TYPE10', 'TYPE24', 'TYPE249', 'TYPE65535', 'NSEC', 'RRSIG'],
]
const option = (code: number, octetCount: number): AskOptions => ({
  edns: { options: [{ code, octets: new Uint8Array(octetCount) }] },
})
/** EDNS Client Subnet, NSID, padding, an unknown option and TCP keepalive; cookies, none of which the servers issued. */
const optionRows = [
  ...[option(8, 4), option(3, 0), option(12, 100), option(65_001, 3), option(11, 0)],
  ...[option(10, 8), option(10, 16), option(10, 24), option(10, 40)],
]
const record = [0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]

const cases: readonly Case[] = [
  ...relativeNames.flatMap(name =>
    ['A', 'TXT', 'MX', 'CNAME', 'DNAME', 'DS', 'NS', 'SRV'].map(type =>
      asked(`${name}.o.test. ${type}`),
    ),
  ),
  ...oddTypes.map(type => asked(`odd.o.test. ${type}`)),
  ...[`${label63}.${label63}.long.o.test. A`, '. NS', 'test. DS', 'o.test. DS', 'x.invalid. A'].map(
    question => asked(question),
  ),
  ...[0, 511, 512, 513, 700, 1232, 1400, 65_535].flatMap(payloadOctets =>
    ['big TXT', 'mx MX', 'cut A'].map(text =>
      asked(text.replace(' ', '.o.test. '), { edns: { payloadOctets } }),
    ),
  ),
  ...['big TXT', 'mx MX', 'cut A', 'nope A'].map(text => asked(text.replace(' ', '.o.test. '), {})),
  ...optionRows.map(options => asked('target.o.test. A', options)),
  asked('target.o.test. A', { edns: { version: 1 } }),
  asked('target.o.test. A', { edns: { isDnssecOk: true } }),
  ...[0x100, 0x80, 0x40, 0x20, 0x10, 0x400, 0x200, 0x0f].map(flags =>
    asked('target.o.test. A', { flags, edns: {} }),
  ),
  ...[3, 4].map(rrClass => asked('target.o.test. A', { class: rrClass, edns: {} })),
  asked('o.test. SOA', { opcode: 6 }),
  asked('o.test. SOA', { opcode: 2, edns: { version: 1 } }),
  damaged('no question', {}, octets => octets.slice(0, 12).with(5, 0)),
  damaged('no question, EDNS version 1', { edns: { version: 1 } }, octets =>
    [...octets.slice(0, 12), ...octets.slice(-11)].with(5, 0),
  ),
  damaged('two questions', {}, octets => [...octets, ...octets.slice(12)].with(5, 2)),
  damaged('an answer', {}, octets => [...octets, ...record].with(7, 1)),
  damaged('an authority', {}, octets => [...octets, ...record].with(9, 1)),
  damaged('an additional', {}, octets => [...octets, ...record].with(11, 1)),
  damaged('two OPT', { edns: {} }, octets => [...octets, ...octets.slice(-11)].with(11, 2)),
  ...tsigCases(),
  damaged('half an option', { edns: {} }, octets => [...octets.with(-1, 3), 0, 10, 0]),
]

/** Keys that no server has, and malformed TSIGs. */
function tsigCases(): readonly Case[] {
  const sign = (what: string, options: AskOptions, change: (record: Uint8Array) => Uint8Array) =>
    damaged(`TSIG: ${what}`, options, octets => [
      ...withAdditionals(Uint8Array.from(octets), change(tsigRecord())),
    ])
  const classAt = someTsig.keyName.length + 3
  return [
    sign('an unknown key', {}, record => record),
    sign('an unknown key, EDNS', { edns: {} }, record => record),
    sign('an unknown key, EDNS version 1', { edns: { version: 1 } }, record => record),
    sign('an unknown key, class CH', { class: 3 }, record => record),
    sign('an unknown algorithm', {}, () => tsigRecord({ algorithm: parseName('gss-tsig.') })),
    sign('no MAC', {}, () => tsigRecord({ mac: new Uint8Array() })),
    sign('class IN', {}, record => record.with(classAt, 1)),
    sign('cut off', {}, record => record.slice(0, -1)),
    damaged('TSIG: two', {}, octets => [
      ...withAdditionals(Uint8Array.from(octets), tsigRecord(), tsigRecord()),
    ]),
    damaged('TSIG: not the last', {}, octets => [
      ...withAdditionals(Uint8Array.from(octets), tsigRecord(), strayRecord),
    ]),
    damaged('TSIG: in the answer', {}, octets => [...octets, ...tsigRecord()].with(7, 1)),
  ]
}

/** What the RFCs do not leave open. */
function essence(reply: Reply): string {
  const { rcode, flags, answer, authority, edns } = reply
  const negative = authority.filter(line => line.includes(' SOA '))
  const isReferral = answer.length === 0 && negative.length === 0
  const referral = isReferral ? authority.filter(line => line.includes(' NS ')) : []
  const lines = [...answer, ...negative, ...referral].map(line => line.toLowerCase()).sort()
  // Of an answer that does not fit, servers send different parts.
  const rest = flags.includes('tc') ? [] : lines
  return JSON.stringify([rcode, flags, rest, edns?.version, tsigEssence(reply)])
}

/** MAC, id and error of a TSIG, which are its end: the time is the request's or the server's own. */
function tsigEssence({ message }: Reply): string | undefined {
  const tsig = message.additionals.find(({ type }) => type === types.TSIG)
  return tsig && Buffer.from(tsig.rdata.subarray(-8)).toString('hex')
}

const silentAfterMs = 5_000

/** Undefined if there is no response, as from Knot for requests it cannot read. */
async function essenceOf({ port }: Peer, request: Uint8Array): Promise<string | undefined> {
  const octets = await exchangeWith(port, request, silentAfterMs).catch(() => undefined)
  return octets === undefined ? undefined : essence(replyFrom(octets))
}

t.test(`answers to odd questions are those of two of ${peerKinds.join(', ')}`, async t => {
  const text = [...zones]
    .flatMap(zone => [...zone.rrsets()])
    .flatMap(({ owner, type, ttlSeconds, rdatas }) => {
      const head = `${formatName(owner)} ${ttlSeconds} IN ${typeMnemonic(type)}`
      return rdatas.map(rdata => `${head} ${formatRdata(type, rdata)}\n`)
    })
    .join('')
  const zone = { apex: 'o.test.', text }
  const probe = queryFor('o.test. SOA')
  const peers = await Promise.all(peerKinds.map(kind => startPeer(kind, { zones: [zone], probe })))
  t.teardown(() => Promise.all(peers.map(peer => peer.close())))
  for (const { what, request, ours } of cases) {
    const theirs = await Promise.all(peers.map(peer => essenceOf(peer, request)))
    const others = theirs.filter(each => each !== essence(ours))
    if (others.length > 1) t.fail(what, { ours: essence(ours), others })
  }
  t.ok(cases.length > 300, `${cases.length} questions`)
})
