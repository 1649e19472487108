import fc from 'fast-check'
import t from 'tap'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import { formatEntry, lsnOfLine, packedOf, parseEntry } from '../../src/store/journal-line.ts'
import { PackedChange } from '../../src/store/packed-change.ts'
import type { Commit } from '../../src/store/store.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const recordset = recordsetRow({ records: ['"ünï\\010\u{1f600}"', '","crc":"00000000"}'] })
const commit: Commit = {
  lsn: 7,
  atMicros: 1_795_262_400_000_000,
  changes: [
    { collection: 'recordsets', id: recordset.id, before: undefined, after: recordset },
    { collection: 'zones', id: zoneRow().id, before: zoneRow(), after: undefined },
  ],
}
const line = Buffer.from(formatEntry(commit, 5))

t.test('a commit is one line, and is read as it was written', async t => {
  t.equal(line.indexOf('\n'), line.length - 1)
  t.match(parseEntry(line.subarray(0, -1)), {
    lsn: 7,
    at: 1_795_262_400_000_000,
    batch: 5,
    changes: [
      { collection: 'recordsets', id: recordset.id, row: recordset },
      { collection: 'zones', id: zoneRow().id, row: null },
    ],
  })
})

t.test('any other program can read a line as JSON', async t => {
  t.equal(JSON.parse(line.toString()).changes.length, 2)
})

t.test('a line that has lost octets is not whole', async t => {
  const whole = line.subarray(0, -1)
  for (let at = 0; at < whole.length; at += 1) {
    t.equal(parseEntry(whole.subarray(0, at)), undefined)
    t.equal(parseEntry(whole.subarray(at + 1)), undefined)
  }
})

t.test('a line with any octet changed is not whole', async t => {
  const whole = line.subarray(0, -1)
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flips) => {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ flips
      return parseEntry(damaged) === undefined
    }),
    { numRuns: 1000 },
  )
  t.pass()
})

t.test('what was noted of a commit is in its line, and lines without are read', async t => {
  const noted = Buffer.from(formatEntry({ ...commit, facts: [{ position: 0 }] }, 5))
  t.same(parseEntry(noted.subarray(0, -1))?.facts, [{ position: 0 }])
  t.equal(parseEntry(line.subarray(0, -1))?.facts, undefined)
})

t.test('the number of a commit can be told without the rest of its line', async t => {
  t.equal(lsnOfLine(line), 7)
  t.equal(lsnOfLine(line.subarray(0, 20)), 7)
  for (const other of ['', '{', '{"lsn":', '{"lsn":x,', '\0'.repeat(40)])
    t.equal(lsnOfLine(Buffer.from(other)), undefined, other)
})

t.test('record sets that came packed are in a line as they are', async t => {
  const rows = ['Www', '\\097', 'x'].map((label, i) =>
    recordsetRow({ id: uuidOf(i), name: `${label}.example.com.`, ttlSeconds: i }),
  )
  const packed = [...recordsetsOf(packRun(rows))].map(record => new PackedChange(record))
  const [first] = commit.changes
  const mixed = { ...commit, changes: [...packed, first as Commit['changes'][number]] }
  const entry = parseEntry(Buffer.from(formatEntry(mixed, 5)).subarray(0, -1))
  t.same(entry?.changes, [{ collection: 'recordsets', id: recordset.id, row: recordset }])
  t.strictSame(entry && packedOf(entry).map(record => recordsetUnpacker.unpack(record)), rows)
  t.same(packedOf({ lsn: 1, at: 1, batch: 1, changes: [] }), [])
})
