import fc from 'fast-check'
import t from 'tap'
import { classes, rcodes, types } from '../../src/dns/codes.ts'
import { decodeMessage } from '../../src/dns/message.ts'
import { lowerCaseName, type Name, parseName } from '../../src/dns/name.ts'
import { formatRdata, parseRdata, typeCode, typeMnemonic } from '../../src/dns/rdata/index.ts'
import type { Rrset } from '../../src/zone/rrset.ts'
import {
  applyUpdate,
  judgePrerequisites,
  readUpdate,
  type Update,
  type UpdateBasis,
  updateResponse,
} from '../../src/zone/update.ts'
import { type UpdateLines, updateMessage } from '../helpers/update-message.ts'

const soa = 'ns.example.com. ops.example.com. 5 1 2 3 4'
/** Owner, TTL, type, values. */
const stored: readonly (readonly [string, number, string, ...string[]])[] = [
  ['example.com.', 60, 'SOA', soa],
  ['example.com.', 60, 'NS', 'ns1.example.net.', 'ns2.example.net.'],
  ['www.example.com.', 60, 'A', '192.0.2.1', '192.0.2.2'],
  ['alias.example.com.', 60, 'CNAME', 'Www.example.com.'],
]

const basis: UpdateBasis = {
  rrsetsAt: (owner: Name) =>
    stored
      .filter(([name]) => lowerCaseName(parseName(name)) === owner)
      .map(([, ttlSeconds, mnemonic, ...values]) => {
        const type = typeCode(mnemonic) ?? 0
        return { type, ttlSeconds, rdatas: values.map(value => parseRdata(type, value)) }
      }),
}

function update(lines: UpdateLines): Update {
  const read = readUpdate(updateMessage(lines))
  if (typeof read === 'number') throw new Error(`rcode ${read}`)
  return read
}

/** What changes make of the names that they are about. */
function after(...changes: string[]): string[] {
  return applyUpdate(update({ changes }), basis).map(({ owner, type, after }) => {
    const name = owner.slice(1, 4)
    const values = after?.rdatas.map(rdata => formatRdata(type, rdata)) ?? []
    return `${name} ${typeMnemonic(type)} ${after?.ttlSeconds ?? 'gone'} ${values.join(' ')}`.trim()
  })
}

t.test('prerequisites (RFC 2136 3.2)', async t => {
  const rows: [string[], keyof typeof rcodes][] = [
    [['www.example.com. ANY ANY'], 'noError'],
    [['no.example.com. ANY ANY'], 'nxDomain'],
    [['www.example.com. ANY A'], 'noError'],
    [['WWW.example.com. ANY TXT'], 'nxRrset'],
    [['no.example.com. NONE ANY'], 'noError'],
    [['www.example.com. NONE ANY'], 'yxDomain'],
    [['www.example.com. NONE TXT'], 'noError'],
    [['www.example.com. NONE A'], 'yxRrset'],
    [['www.example.com. 0 A 192.0.2.2', 'WWW.example.com. 0 A 192.0.2.1'], 'noError'],
    [['www.example.com. 0 A 192.0.2.1'], 'nxRrset'],
    [['www.example.com. 0 A 192.0.2.1', 'www.example.com. 0 A 192.0.2.3'], 'nxRrset'],
    [['alias.example.com. 0 CNAME wWW.example.com.'], 'noError'],
    [['no.example.com. 0 A 192.0.2.1'], 'nxRrset'],
    [['www.example.com. ANY A', 'no.example.com. ANY A'], 'nxRrset'],
    [['www.example.com. 5 A 192.0.2.1'], 'formErr'],
    [['www.example.com. ANY A 192.0.2.1'], 'formErr'],
    [['www.example.net. ANY A'], 'notZone'],
    [['no.example.com. ANY A', 'www.example.net. ANY A'], 'nxRrset'],
    [['www.example.net. ANY A', 'no.example.com. ANY A'], 'notZone'],
    [['www.example.com. 0 A 192.0.2.9', 'www.example.net. ANY A'], 'notZone'],
  ]
  for (const [prerequisites, rcode] of rows)
    t.equal(judgePrerequisites(update({ prerequisites }), basis), rcodes[rcode], `${prerequisites}`)
})

t.test('what is refused by its form (RFC 2136 3.1, 3.4.1)', async t => {
  const rows: [UpdateLines, keyof typeof rcodes][] = [
    [{ changes: ['www.example.net. 5 A 192.0.2.1'] }, 'notZone'],
    [{ changes: ['www.example.com. ANY A 192.0.2.1'] }, 'formErr'],
    [{ changes: ['www.example.com. NONE ANY'] }, 'formErr'],
    [{ changes: ['www.example.com. NONE A'] }, 'formErr'],
    [{ changes: ['www.example.com. NONE TXT'] }, 'formErr'],
    [{ changes: ['www.example.com. 5 TYPE252 \\# 0'] }, 'formErr'],
  ]
  for (const [lines, rcode] of rows)
    t.equal(readUpdate(updateMessage(lines)), rcodes[rcode], JSON.stringify(lines))
  const empty = updateMessage({ changes: ['www.example.com. NONE APL'] })
  t.not(readUpdate(empty), rcodes.formErr, 'an APL may be empty')
  const octets = updateMessage({})
  octets.set([types.A], octets.length - 3)
  t.equal(readUpdate(octets), rcodes.formErr, 'a zone section of another type')
})

t.test('changes are made one after the other (RFC 2136 3.4.2)', async t => {
  t.same(after('new.example.com. 5 A 192.0.2.9'), ['new A 5 192.0.2.9'])
  t.same(after('www.example.com. 5 A 192.0.2.1'), ['www A 5 192.0.2.2 192.0.2.1'])
  t.same(after('www.example.com. 60 A 192.0.2.1'), [], 'what is there already')
  t.same(after('www.example.com. NONE A 192.0.2.1'), ['www A 60 192.0.2.2'])
  t.same(after('www.example.com. ANY A'), ['www A gone'])
  t.same(after('www.example.com. ANY ANY', 'www.example.com. 5 TXT "x"'), [
    'www A gone',
    'www TXT 5 "x"',
  ])
  t.same(after('new.example.com. 5 A 192.0.2.9', 'new.example.com. ANY ANY'), [])
})

t.test('CNAME stays alone, whichever is there first', async t => {
  t.same(after('www.example.com. 5 CNAME example.net.'), [])
  t.same(after('alias.example.com. 5 A 192.0.2.1'), [])
  t.same(after('alias.example.com. 5 CNAME example.net.'), ['ali CNAME 5 example.net.'])
  t.same(after('alias.example.com. ANY CNAME', 'alias.example.com. 5 A 192.0.2.1'), [
    'ali CNAME gone',
    'ali A 5 192.0.2.1',
  ])
})

t.test('SOA and NS of the apex stay', async t => {
  t.same(after('example.com. ANY ANY'), [])
  t.same(after('example.com. ANY SOA', 'example.com. ANY NS'), [])
  t.same(after(`example.com. NONE SOA ${soa}`), [])
  t.same(
    after('example.com. NONE NS ns1.example.net.', 'example.com. NONE NS ns2.example.net.'),
    ['exa NS 60 ns2.example.net.'],
    'not the last one',
  )
  t.same(after(`example.com. 60 SOA ${soa.replace(' 5 ', ' 4 ')}`), [], 'an older SOA')
  t.equal(after(`example.com. 60 SOA ${soa.replace(' 5 ', ' 6 ')}`).length, 1)
})

t.test('a response is header and zone section', async t => {
  const octets = updateMessage({ changes: ['www.example.com. 5 A 192.0.2.1'] })
  const update = { octets, apex: parseName('example.com.') }
  const response = updateResponse({ ...update, hasEdns: false }, rcodes.refused)
  const zone = Buffer.from(octets.subarray(12, 12 + 17)).toString('hex')
  t.equal(Buffer.from(response).toString('hex'), `1234a8050001000000000000${zone}`)
  const { edns } = decodeMessage(updateResponse({ ...update, hasEdns: true }, rcodes.noError))
  const plain = { extendedRcode: 0, version: 0, isDnssecOk: false, options: [] }
  t.same(edns, { ...plain, payloadOctets: 1232 })
})

t.test('thousands of values of a name are each looked at a few times', async t => {
  const valueCount = 2000
  let lookCount = 0
  const rdatas = Array.from({ length: valueCount }, (_, i) => {
    const rdata = Uint8Array.of(192, 0, i >> 8, i & 0xff)
    const { buffer } = rdata
    const looked = () => {
      lookCount += 1
      return buffer
    }
    return Object.defineProperty(rdata, 'buffer', { get: looked })
  })
  const zone = parseName('example.com.')
  const owner = parseName('many.example.com.')
  const type = types.A
  const recordsOf = (rrClass: number, ttlSeconds: number) =>
    rdatas.map(rdata => ({ owner, type, class: rrClass, ttlSeconds, rdata }))
  const having = (...rrsets: Rrset[]): UpdateBasis => ({ rrsetsAt: () => rrsets })
  const whole = { type, ttlSeconds: 60, rdatas }
  const added = { zone, prerequisites: [], changes: recordsOf(classes.in, 60) }
  t.same(applyUpdate(added, having()), [{ owner, type, after: whole }])
  const removed = { zone, prerequisites: [], changes: recordsOf(classes.none, 0) }
  t.same(applyUpdate(removed, having(whole)), [{ owner, type, after: undefined }])
  const required = { zone, prerequisites: recordsOf(classes.in, 0), changes: [] }
  t.equal(judgePrerequisites(required, having(whole)), rcodes.noError)
  t.ok(lookCount <= 10 * valueCount, `${lookCount} looks`)
})

t.test('random damage is an rcode or an update, never an exception', async t => {
  const whole = updateMessage({
    prerequisites: ['www.example.com. ANY A', 'www.example.com. 0 A 192.0.2.1'],
    changes: ['a.example.com. 5 MX 10 mail.example.com.', 'b.example.com. ANY ANY'],
  })
  const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 })
  const judged = fc.check(
    fc.property(damage, fc.nat(whole.length), (changes, cut) => {
      const octets = whole.slice(0, whole.length - (cut % 7 === 0 ? cut : 0))
      for (const [at, octet] of changes) if (at < octets.length) octets[at] = octet
      const read = readUpdate(octets)
      if (typeof read === 'number') return Object.values<number>(rcodes).includes(read)
      judgePrerequisites(read, basis)
      applyUpdate(read, basis)
      return true
    }),
    { numRuns: 5000 },
  )
  t.notOk(judged.failed, `${judged.counterexample}`)
})
