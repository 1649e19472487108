import fc from 'fast-check'
import t from 'tap'
import { readTransfer } from '../../src/bulk/read-transfer.ts'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { TransferEnd } from '../../src/zone/transfer-end.ts'
import { maxEmptyMessages, TransferIn, type TransferProgress } from '../../src/zone/transfer-in.ts'
import { depth } from '../helpers/depth.ts'
import {
  noQuota,
  piecesOf,
  recordsFromText,
  splitAt,
  transferMessage,
} from '../helpers/transfer.ts'

const zone = parseName('example.')
const id = 4711
const limits = { maxRecords: 12, maxOctets: 2000 }
const soa = '@ 300 SOA ns.example. host.example. 7 60 30 600 60'
const records = recordsFromText(
  zone,
  `${soa}\n@ 300 NS ns\nns 300 A 192.0.2.1\nwww 60 A 192.0.2.2\n${soa}`,
)

function received(messages: readonly Uint8Array[]): TransferProgress {
  const transfer = new TransferIn({ zone, id, limits, quota: noQuota, hashSeed: 1 })
  let progress: TransferProgress = { kind: 'more' }
  for (const message of messages) {
    if (progress.kind === 'more') progress = transfer.receive(message)
  }
  return progress
}

/** How many of the messages are taken; undefined where more are waited for. */
function taken(messages: readonly Uint8Array[]): number | undefined {
  const end = new TransferEnd(id, { ...limits, maxEmptyMessages })
  const last = messages.findIndex(message => end.isAt(message))
  return last < 0 ? undefined : last + 1
}

/** One octet of one message is another, or a message is cut off. */
const damage = fc.option(
  fc.record({ message: fc.nat(), at: fc.nat(), value: fc.nat(255), isCut: fc.boolean() }),
)

t.test('reading what was taken says what reading all of it would', async t => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 4 }), fc.nat(3), damage, (cuts, more, harm) => {
      const parts = [
        ...splitAt(records, cuts),
        ...Array.from({ length: more }, () => [records[2]!]),
      ]
      const messages = parts.map(part => transferMessage({ id, zone, records: part }))
      if (harm !== null) {
        const number = harm.message % messages.length
        const octets = messages[number]!
        octets[harm.at % octets.length] = harm.value
        if (harm.isCut) messages[number] = octets.subarray(0, harm.at % octets.length)
      }
      const count = taken(messages)
      const whole = received(messages)
      if (count === undefined) t.not(whole.kind, 'complete')
      else t.equal(received(messages.slice(0, count)).kind === 'more', false)
      if (count !== undefined) t.match(received(messages.slice(0, count)), { kind: whole.kind })
    }),
    { numRuns: 500 * depth },
  )
})

t.test('a transfer that never ends is bounded by records, octets and empty messages', async t => {
  const message = (some: typeof records) => transferMessage({ id, zone, records: some })
  const first = message(records.slice(0, 1))
  const few = message(records.slice(1, 2))
  const empty = message([])
  t.equal(taken([first, ...Array.from({ length: 50 }, () => few)]), 13)
  // 2000 octets, of which an empty message with its question has 25.
  t.ok((taken([first, ...Array.from({ length: 500 }, () => empty)]) ?? 500) < 81)
  const end = new TransferEnd(id, { maxRecords: 9, maxOctets: 1e6, maxEmptyMessages })
  const all = [first, ...Array.from({ length: 500 }, () => empty)]
  t.equal(
    all.findIndex(each => end.isAt(each)),
    maxEmptyMessages + 1,
  )
})

t.test('what is no answer to the question is the last that is waited for', async t => {
  const some = records.slice(0, 1)
  t.equal(taken([transferMessage({ id: 1, zone, records: some })]), 1)
  t.equal(taken([transferMessage({ id, zone, records: some, rcode: 5 })]), 1)
  t.equal(taken([transferMessage({ id, zone, records: [] })]), 1)
  t.equal(taken([transferMessage({ id, zone, records: some, flags: 0 })]), 1)
  t.equal(taken([transferMessage({ id, zone, records: some, type: types.SOA })]), undefined)
})

t.test('the same of what has changed, in any number of sequences', async t => {
  const change = (from: number, to: number) =>
    recordsFromText(
      zone,
      [
        soa.replace(' 7 ', ` ${from} `),
        `h${from} 60 A 192.0.2.1`,
        soa.replace(' 7 ', ` ${to} `),
        `h${to} 60 A 192.0.2.1`,
      ].join('\n'),
    )
  const responses = [
    [...change(5, 7)],
    [...change(5, 6), ...change(6, 7)],
    [...change(5, 6), ...change(5, 7)],
    records.slice(1, -1),
    [],
  ]
  const read = (messages: readonly Uint8Array[], knownSerial: number) => {
    const pieces = piecesOf(messages)
    const bounds = { limits, quota: noQuota, hashSeed: 1, knownSerial }
    return readTransfer({ zone, id, type: types.IXFR, pieces, ...bounds }).kind
  }
  const known = fc.constantFrom(4, 5, 7)
  const cutting = fc.array(fc.nat(20), { maxLength: 4 })
  fc.assert(
    fc.property(
      fc.constantFrom(...responses),
      cutting,
      known,
      damage,
      (inner, cuts, knownSerial, harm) => {
        const all = [records[0]!, ...inner, ...(inner.length > 0 ? [records[0]!] : [])]
        const parts = [...splitAt(all, cuts), [records[2]!]]
        const messages = parts.map(
          part => new Uint8Array(transferMessage({ id, zone, type: types.IXFR, records: part })),
        )
        if (harm !== null) {
          const number = harm.message % messages.length
          const octets = messages[number]!
          octets[harm.at % octets.length] = harm.value
          if (harm.isCut) messages[number] = octets.slice(0, harm.at % octets.length)
        }
        const end = new TransferEnd(id, { ...limits, maxEmptyMessages, knownSerial })
        const last = messages.findIndex(message => end.isAt(message))
        const takenKind = read(last < 0 ? messages : messages.slice(0, last + 1), knownSerial)
        const wholeKind = read(messages, knownSerial)
        t.equal(takenKind, wholeKind)
      },
    ),
    { numRuns: 300 * depth },
  )
})
