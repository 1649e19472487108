import fc from 'fast-check'
import t from 'tap'
import { rcodes, types } from '../../src/dns/codes.ts'
import { flags, opcodeFlags } from '../../src/dns/header.ts'
import { parseName } from '../../src/dns/name.ts'
import {
  copyDefects,
  TransferIn,
  type TransferProgress,
  type TransferQuota,
  type ZoneCopy,
} from '../../src/zone/transfer-in.ts'
import {
  linesOf,
  noQuota,
  recordsFromText,
  rrsetsOf,
  splitAt,
  type TransferMessage,
  transferFlags,
  transferMessage,
} from '../helpers/transfer.ts'

const zone = parseName('example.')
const id = 4711
const limits = { maxRecords: 1000, maxOctets: 100_000 }

const soa = '@ 300 SOA ns.example. host.example. 7 60 30 600 60'
const zoneText = `
  @ 300 NS ns
  ns 300 A 192.0.2.1
  www 60 A 192.0.2.2
  www 60 A 192.0.2.3
  www 60 AAAA 2001:db8::2
`

function receive(
  messages: readonly Uint8Array[],
  bounds = limits,
  quota = noQuota,
): TransferProgress {
  const transfer = new TransferIn({ zone, id, limits: bounds, quota, hashSeed: 1 })
  let progress: TransferProgress = { kind: 'more' }
  for (const message of messages) {
    if (progress.kind !== 'more') return progress
    progress = transfer.receive(message)
  }
  return progress
}

function receiveText(text: string, message: Partial<TransferMessage> = {}): TransferProgress {
  const records = recordsFromText(zone, text)
  return receive([transferMessage({ id, zone, records, ...message })])
}

function copyOf(progress: TransferProgress): ZoneCopy {
  if (progress.kind !== 'complete') throw new Error(JSON.stringify(progress))
  return progress.copy
}

function firstDefect(copy: ZoneCopy): string | undefined {
  for (const defect of copyDefects(zone, copy)) if (defect !== undefined) return defect.reason
  return undefined
}

t.test('a transfer in one message gives the zone, its SOA once and first', async t => {
  const copy = copyOf(receiveText(`${soa}${zoneText}${soa}`))
  t.equal(copy.soa.serial, 7)
  t.equal(copy.soa.expireSeconds, 600)
  t.equal(copy.outsideCount, 0)
  t.strictSame(linesOf(rrsetsOf(copy)), [
    'example. 300 SOA ns.example. host.example. 7 60 30 600 60',
    'example. 300 NS ns.example.',
    'ns.example. 300 A 192.0.2.1',
    'www.example. 60 A 192.0.2.2',
    'www.example. 60 A 192.0.2.3',
    'www.example. 60 AAAA 2001:db8::2',
  ])
  t.equal(firstDefect(copy), undefined)
})

t.test('messages without AA are taken, as Knot DNS sends them', async t => {
  t.equal(receiveText(`${soa}${zoneText}${soa}`, { flags: flags.response }).kind, 'complete')
})

t.test('however the records are split over messages, the copy is the same', async t => {
  const many = Array.from({ length: 60 }, (_, i) => `h${i % 20} 60 A 192.0.2.${i}`).join('\n')
  const records = recordsFromText(zone, `${soa}\n${zoneText}\n${many}\n${soa}`)
  const whole = linesOf(rrsetsOf(copyOf(receive([transferMessage({ id, zone, records })]))))
  const cuts = fc.array(fc.nat(records.length), { maxLength: 80 })
  const property = fc.property(cuts, fc.boolean(), (at, hasQuestions) => {
    const messages = splitAt(records, at).map((part, i) =>
      transferMessage({ id, zone, records: part, hasQuestion: hasQuestions || i === 0 }),
    )
    return linesOf(rrsetsOf(copyOf(receive(messages)))).join() === whole.join()
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 100 }))
})

t.test('until the final SOA there is more to come, whatever has come', async t => {
  const records = recordsFromText(zone, `${soa}${zoneText}`)
  t.equal(receive([transferMessage({ id, zone, records })]).kind, 'more')
  const started = transferMessage({ id, zone, records: records.slice(0, 1) })
  t.equal(receive([started, transferMessage({ id, zone, records: [] })]).kind, 'more')
})

t.test('a repeated record counts once and an RRset takes its lowest TTL (RFC 2181 5)', async t => {
  const large = Array.from({ length: 100 }, (_, i) => `large 60 A 192.0.2.${i % 50}`).join('\n')
  const text = `${soa}
    @ 300 NS ns
    www 60 A 192.0.2.2
    WWW 40 A 192.0.2.2
    www 50 A 192.0.2.3
    ${large}
    ${soa}`
  const rrsets = rrsetsOf(copyOf(receiveText(text)))
  const byOwner = rrsets.map(one => [one.owner.slice(1, 4), one.ttlSeconds, one.rdatas.length])
  t.strictSame(byOwner.slice(2), [
    ['www', 40, 2],
    ['lar', 60, 50],
  ])
})

t.test('a record outside the zone is left out and counted', async t => {
  const text = `${soa}${zoneText}
    other.test. 60 A 192.0.2.9
    notexample. 60 A 192.0.2.9
    ${soa}`
  const copy = copyOf(receiveText(text))
  t.equal(copy.outsideCount, 2)
  t.notOk(linesOf(rrsetsOf(copy)).some(line => line.includes('192.0.2.9')))
})

const refusals: readonly [
  rule: string,
  text: string,
  message: Partial<TransferMessage>,
  kind: string,
][] = [
  ['another id', `${soa}${zoneText}${soa}`, { id: 1 }, 'mismatched'],
  ['another zone', `${soa}${zoneText}${soa}`, { zone: parseName('other.') }, 'mismatched'],
  ['another type asked', `${soa}${zoneText}${soa}`, { type: types.IXFR }, 'mismatched'],
  ['no question in the first message', `${soa}\n${soa}`, { hasQuestion: false }, 'mismatched'],
  ['a query', soa, { flags: flags.authoritative }, 'mismatched'],
  ['another opcode', soa, { flags: transferFlags | opcodeFlags(4) }, 'mismatched'],
  ['TC over TCP', soa, { flags: transferFlags | flags.truncated }, 'mismatched'],
  ['REFUSED', '', { rcode: rcodes.refused }, 'refused'],
  ['NOTAUTH', '', { rcode: rcodes.notAuth, flags: flags.response }, 'refused'],
  ['an empty first message', '', {}, 'not-a-transfer'],
  ['no SOA first', `ns 300 A 192.0.2.1\n${soa}`, {}, 'not-a-transfer'],
  ['a SOA of another name first', 'sub 300 SOA a. b. 7 1 1 1 1', {}, 'not-a-transfer'],
  ['a SOA below the apex in between', `${soa}\nsub 9 SOA a. b. 7 1 1 1 1`, {}, 'not-a-transfer'],
  ['a SOA outside the zone in between', `${soa}\nx. 9 SOA a. b. 7 1 1 1 1`, {}, 'not-a-transfer'],
  [
    'a SOA of another serial in between',
    `${soa}${zoneText}${soa.replace(' 7 ', ' 8 ')}`,
    {},
    'not-a-transfer',
  ],
  ['records after the final SOA', `${soa}\n${soa}${zoneText}`, {}, 'not-a-transfer'],
  ['a record of another class', `${soa}\nwww 60 CLASS3 A \\# 4 c0000202`, {}, 'not-a-transfer'],
]

for (const [rule, text, message, kind] of refusals) {
  t.test(`${rule}: refused as ${kind}, with a reason`, async t => {
    const progress = receiveText(text, message)
    t.match(progress, { kind: 'failed', failure: { kind } })
    t.ok(progress.kind === 'failed' && progress.failure.reason.length > 10)
  })
}

t.test(
  'any octets and any cut of a good message are refused or want more, without a throw',
  async t => {
    const good = transferMessage({
      id,
      zone,
      records: recordsFromText(zone, `${soa}${zoneText}${soa}`),
    })
    for (let end = 0; end < good.length; end += 1) {
      const progress = receive([good.subarray(0, end)])
      if (progress.kind !== 'failed') t.fail(`cut at ${end}: ${progress.kind}`)
    }
    const rubbish = fc.property(fc.uint8Array({ maxLength: 200 }), octets => {
      return receive([octets]).kind === 'failed'
    })
    t.doesNotThrow(() => fc.assert(rubbish, { numRuns: 200 }))
    const spoiled = fc.property(fc.nat(good.length - 1), fc.nat(255), (at, octet) => {
      receive([Uint8Array.from(good).fill(octet, at, at + 1)])
    })
    t.doesNotThrow(() => fc.assert(spoiled, { numRuns: 300 }))
  },
)

t.test('bounds: one record or octet more than allowed is too much', async t => {
  const records = recordsFromText(zone, `${soa}${zoneText}${soa}`)
  const message = transferMessage({ id, zone, records })
  const fits = { maxRecords: records.length, maxOctets: message.length }
  t.equal(receive([message], fits).kind, 'complete')
  const tooLarge = { kind: 'failed', failure: { kind: 'too-large' } }
  t.match(receive([message], { ...fits, maxRecords: fits.maxRecords - 1 }), tooLarge)
  t.match(receive([message], { ...fits, maxOctets: fits.maxOctets - 1 }), tooLarge)
})

t.test(
  'bounds: an RRset that fits no answer, or too many types at a name, is too much',
  async t => {
    const bounds = { maxRecords: 1_000_000, maxOctets: 1e9 }
    const tooLarge = { kind: 'failed', failure: { kind: 'too-large' } }
    const texts = Array.from({ length: 300 }, (_, i) => `big 60 TXT "${i}${'x'.repeat(240)}"`)
    const bigRecords = recordsFromText(zone, [soa, ...texts].join('\n'))
    const halves = [bigRecords.slice(0, 150), bigRecords.slice(150)]
    const messages = halves.map(part => transferMessage({ id, zone, records: part }))
    t.match(receive(messages, bounds), tooLarge)

    const types257 = Array.from({ length: 257 }, (_, i) => `odd 60 TYPE${4000 + i} \\# 1 00`)
    const many = transferMessage({
      id,
      zone,
      records: recordsFromText(zone, [soa, ...types257].join('\n')),
    })
    t.match(receive([many], bounds), tooLarge)
  },
)

t.test('a copy that makes no zone is refused, one with harmless oddities is not', async t => {
  const rows: readonly [text: string, defect: RegExp | undefined][] = [
    ['', /the zone has no NS/],
    [
      `@ 300 NS ns\nwww 60 CNAME a.test.\nwww 60 A 192.0.2.1`,
      /www\.\S+: a CNAME beside other records/,
    ],
    [
      `@ 300 NS ns\nwww 60 CNAME a.test.\nwww 60 CNAME b.test.`,
      /www\.\S+ CNAME: more than one record/,
    ],
    [`@ 300 NS ns\nwww 60 TYPE250 \\# 1 00`, /www\.\S+ \S+: a type that no zone can have/],
    [`@ 300 NS ns\nold 60 DNAME new\na.old 60 A 192.0.2.1`, undefined],
    [`@ 300 NS ns\n*.x 60 NS ns`, undefined],
  ]
  for (const [text, defect] of rows) {
    const found = firstDefect(copyOf(receiveText(`${soa}\n${text}\n${soa}`)))
    if (defect === undefined) t.equal(found, undefined, text)
    else t.match(found, defect, text)
  }
})

t.test('a quota ends a transfer at the first record over, and holds for all of a zone', async t => {
  const roomy: TransferQuota = {
    maxRrsets: 5,
    maxRecords: 4,
    maxRrsetRecords: 2,
    maxOctets: limits.maxOctets,
  }
  const sent = recordsFromText(zone, `${soa}\n${zoneText}`)
  const messages = [...sent, ...sent.slice(0, 1)].map(record =>
    transferMessage({ id, zone, records: [record] }),
  )
  t.equal(receive(messages, limits, roomy).kind, 'complete', 'SOA and NS of the apex are free')
  const rows: [changes: Partial<TransferQuota>, reason: RegExp][] = [
    [{ maxRrsets: 4 }, /4 recordsets/],
    [{ maxRecords: 3 }, /3 records \(zone_records\)/],
    [{ maxRrsetRecords: 1 }, /1 records \(recordset_records\) at www/],
    [{ maxOctets: 100 }, /100 octets/],
  ]
  for (const [changes, reason] of rows) {
    const over = receive(messages, limits, { ...roomy, ...changes })
    t.match(over, { kind: 'failed', failure: { kind: 'over-quota', reason } })
  }
  const repeated = [...messages.slice(0, 4), ...messages.slice(3)]
  t.equal(receive(repeated, limits, roomy).kind, 'complete', 'a repeated record counts once')
})

t.test('messages without records come to an end', async t => {
  const empty = transferMessage({ id, zone, records: [] })
  const first = transferMessage({ id, zone, records: recordsFromText(zone, soa) })
  const flood = (count: number) => receive([first, ...Array<Uint8Array>(count).fill(empty)])
  t.equal(flood(100).kind, 'more')
  t.match(flood(101), { kind: 'failed', failure: { kind: 'silent', reason: /without records/ } })
})
