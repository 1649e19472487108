import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { parseRdata } from '../../src/dns/rdata/index.ts'
import {
  comparePacked,
  comparePackedPlace,
  isJson,
  type PackedRecordset,
  packedVersion,
  RecordsetUnpacker,
} from '../../src/model/packed-recordset.ts'
import type { Recordset } from '../../src/model/recordset.ts'
import { RecordsetPacker } from '../../src/model/recordset-packer.ts'
import { comparePlaces } from '../../src/store/ordered-rows.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

const packer = new RecordsetPacker()
const unpacker = new RecordsetUnpacker()
const unpack = (record: PackedRecordset) => unpacker.unpack(record)

/** A packed row behind some other words. */
function packed(row: Recordset): PackedRecordset {
  packer.pack(row)
  const words = new Uint32Array(packer.wordCount + 5).fill(0xffff_ffff)
  words.set(packer.words.subarray(0, packer.wordCount), 3)
  return { words, octets: Buffer.from(words.buffer), at: 3 }
}

const isKept = (row: Recordset): boolean => {
  const record = packed(row)
  const head = { ...unpacker.unpackHead(record), records: row.records }
  return isDeepStrictEqual(unpack(record), row) && isDeepStrictEqual(head, row)
}

t.test('a usual recordset takes no more than 80 octets', async t => {
  packer.pack(recordsetRow({ name: 'host123456.example.com.', ttlSeconds: 300 }))
  t.ok(4 * packer.wordCount <= 80, `${4 * packer.wordCount} octets`)
})

t.test('the RRset of a recordset is in it as it is answered', async t => {
  const row = recordsetRow({
    name: 'Www.Example.com.',
    type: 'MX',
    records: ['10  mail.example.net.', '20 Mail.example.net.'],
    updatedAt: 7,
  })
  const read = (row: Recordset) => {
    const rrset = unpacker.rrsetOf(packed(row), 3600)
    if (rrset === undefined) return undefined
    const { octets, ownerAt, rdatasAt, rdatasEnd, ...rest } = rrset
    const owner = octets.subarray(ownerAt, rdatasAt)
    return { ...rest, owner, rdatas: octets.subarray(rdatasAt, rdatasEnd) }
  }
  const rdatas = ['10 mail.example.net.', '20 Mail.example.net.'].map(text => parseRdata(15, text))
  const expected = {
    type: 15,
    ttlSeconds: 3600,
    recordCount: 2,
    owner: Buffer.from('\x03Www\x07Example\x03com\0', 'latin1'),
    rdatas: Buffer.concat(rdatas.flatMap(rdata => [Buffer.from([0, rdata.length]), rdata])),
  }
  t.same(read(row), expected)
  t.equal(read({ ...row, ttlSeconds: 60 })?.ttlSeconds, 60)
  t.equal(read({ ...row, records: [] }), undefined)
  t.equal(read({ ...row, records: ['10 '] }), undefined, 'what cannot be read is nothing to answer')
})

const rows: readonly (readonly [string, Partial<Recordset>])[] = [
  ['without records', { records: [] }],
  ['with an empty record', { records: [''] }],
  ['with many records', { records: Array.from({ length: 300 }, (_, i) => `192.0.2.${i}`) }],
  ['with long records', { records: ['x'.repeat(100_000), 'y'.repeat(127), 'z'.repeat(128)] }],
  ['with a description', { description: 'mail' }],
  ['with an empty description', { description: '' }],
  [
    'with characters of two octets',
    { description: '\u0416\u{1f600}\ud800', records: ['caf\u00e9'] },
  ],
  ['with characters up to 255', { records: ['caf\u00e9 \u00ff\0'] }],
  ['that has been changed', { version: 300, updatedAt: 1_800_000_000_000_001 }],
  [
    'with the largest numbers',
    { version: 2 ** 31 - 1, ttlSeconds: 2 ** 31 - 1, createdAt: 2 ** 53 - 1 },
  ],
  ['with numbers beyond those', { version: 2 ** 31, ttlSeconds: 2 ** 40, createdAt: 2 ** 60 }],
  ['with numbers that should not be', { version: -1, ttlSeconds: 0.5, createdAt: -1 }],
  ['with the smallest numbers', { version: 0, ttlSeconds: 0, createdAt: 0, updatedAt: 0 }],
  ['that is managed', { isManaged: true }],
  ['with an id that is no UUID', { id: 'one' }],
  ['with an id in capitals', { id: uuidOf(1).toUpperCase() }],
  ['of a zone whose id is no UUID', { zoneId: 'zone' }],
  ['of a share', { shareId: uuidOf(9) }],
  ['with marks', { recordMarks: { nextNumber: 2, ofValues: [] } }],
  ['of a type of many characters', { type: 'TYPE65280' }],
]

for (const [what, differences] of rows) {
  t.test(`a recordset ${what} is unpacked as it was packed`, async t => {
    const row = recordsetRow({ id: uuidOf(3), ...differences })
    t.strictSame(unpack(packed(row)), row)
  })
}

t.test('a recordset of whatever form is kept', async t => {
  const { description: _, ...withoutDescription } = recordsetRow()
  t.ok(isKept(withoutDescription as Recordset))
  t.ok(isKept({ ...recordsetRow(), later: { version: 1 } } as Recordset))
  t.ok(isKept(recordsetRow({ records: [1] as unknown as string[] })))
})

/** Values in their usual spelling and in others, by type. */
const valuesByType: Readonly<Record<string, readonly string[]>> = {
  A: ['192.0.2.1', '198.51.100.255', '\\# 4 C0000201', '192.0.2.300'],
  AAAA: ['2001:db8::1', '2001:DB8:0:0::1', '::ffff:192.0.2.1'],
  CNAME: ['www.example.net.', 'WWW.Example.net.', 'a\\.b.example.', '\\097.example.', '.'],
  MX: ['10 mail.example.net.', '10  mail.example.net.', '0 .'],
  TXT: ['"a text"', 'unquoted text', '"one" "two"', '"\\"quoted\\""', '"caf\\233"'],
  TYPE65280: ['\\# 0', '\\# 2 abcd', '\\# 2 ABCD'],
  a: ['192.0.2.1'],
  NONE: ['x'],
}

const arbitraryContents = fc.oneof(
  fc.record({
    name: fc.string({ unit: 'binary' }),
    type: fc.string(),
    records: fc.array(fc.string()),
  }),
  fc.constantFrom(...Object.entries(valuesByType)).chain(([type, values]) =>
    fc.record({
      name: fc.constantFrom(
        'www.example.com.',
        'WWW.Example.COM.',
        '*.example.com.',
        'a\\.b.example.com.',
        '\\119ww.example.com.',
        'with@sign.example.com.',
        'relative',
        '.',
        `${'x'.repeat(63)}.`.repeat(3),
      ),
      type: fc.constant(type),
      records: fc.array(fc.constantFrom(...values)),
    }),
  ),
)

const arbitraryRow = fc
  .record({
    id: fc.oneof(fc.uuid(), fc.constantFrom('a', 'b')),
    zoneId: fc.constantFrom(uuidOf(1), uuidOf(2), 'zone'),
    createdAt: fc.oneof(fc.nat({ max: 3 }), fc.maxSafeNat()),
    updatedAt: fc.option(fc.maxSafeNat()),
    version: fc.nat(),
    ttlSeconds: fc.option(fc.nat()),
    description: fc.option(fc.string({ unit: 'binary' })),
    isManaged: fc.boolean(),
    contents: arbitraryContents,
  })
  .map(({ contents, ...differences }) => recordsetRow({ ...differences, ...contents }))

t.test('any recordsets, one after the other, are unpacked as they were packed', async t => {
  fc.assert(fc.property(fc.array(arbitraryRow), rows => rows.every(isKept)))
  t.pass()
})

t.test('packed recordsets have the order of their places', async t => {
  fc.assert(
    fc.property(arbitraryRow, arbitraryRow, (left, right) => {
      const order = Math.sign(comparePlaces(left, right))
      const [first, second] = [packed(left), packed(right)]
      const orders = [
        comparePacked(first, second) ?? (isJson(first) || isJson(second) ? order : undefined),
        comparePackedPlace(first, right) ?? (isJson(first) ? order : undefined),
      ]
      return orders.every(each => each !== undefined && Math.sign(each) === order)
    }),
  )
  t.pass()
})

t.test('a type that an earlier version had no name for is packed by the one it has', async t => {
  const row = recordsetRow({ type: 'TYPE42', records: ['\\\\# 4 00011800'] })
  t.same(unpack(packed(row)), { ...row, type: 'APL' })
})

t.test('the version is known without unpacking, but for what is kept as JSON', async t => {
  for (const version of [1, 127, 128, 2 ** 31 - 1])
    for (const updatedAt of [null, 5])
      t.equal(packedVersion(packed(recordsetRow({ version, updatedAt }))), version)
  t.equal(packedVersion(packed(recordsetRow({ id: 'no uuid' }))), undefined)
})
