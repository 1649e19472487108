import fc from 'fast-check'
import t from 'tap'
import { type PlacedRecordset, packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import {
  Scratch,
  TrimmedRecordsets,
  trimmedType,
  trimmedZone,
} from '../../src/store/trimmed-recordsets.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

function packed(row: Parameters<typeof recordsetRow>[0]): PlacedRecordset {
  const [record] = recordsetsOf(packRun([recordsetRow(row)]))
  return record as PlacedRecordset
}

/** A copy, as what is trimmed is only there until the next one is. */
function kept({ words, wordCount, at }: ReturnType<TrimmedRecordsets['trim']>): PlacedRecordset {
  const copy = words.slice(at, at + wordCount)
  return { words: copy, octets: Buffer.from(copy.buffer), at: 0, wordCount }
}

function wordsOf({ words, at, wordCount }: PlacedRecordset): number[] {
  return [...words.subarray(at, at + wordCount)]
}

t.test('what is left out of a recordset is put back as it was', async t => {
  const zones = [
    'example.net.',
    'a.',
    'Sub.Example.net.',
    'rather-long-name-of-a-zone.example.org.',
  ]
  const labels = fc.array(fc.constantFrom('a', 'www', 'A', 'b-1', '*', '\\046'), { maxLength: 3 })
  const row = fc.record({
    zone: fc.nat({ max: zones.length - 1 }),
    labels,
    type: fc.constantFrom('A', 'SOA', 'TXT'),
    hasDescription: fc.boolean(),
    updatedAt: fc.constantFrom(null, 5),
    ttlSeconds: fc.constantFrom(null, 300, 70_000),
    isElsewhere: fc.boolean(),
  })
  const records = { A: ['192.0.2.1'], TXT: ['"a"', '"b"'], SOA: ['a. b. 1 2 3 4 5'] }
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), rows => {
      const trimmer = new TrimmedRecordsets()
      const into = new Scratch()
      const all = rows.map(({ zone, labels, type, hasDescription, isElsewhere, ...rest }) =>
        packed({
          ...rest,
          ...{ zoneId: uuidOf(zone), type, records: records[type as keyof typeof records] },
          name: [...labels, isElsewhere ? 'elsewhere.' : zones[zone]].join('.'),
          description: hasDescription ? 'Ünique' : null,
        }),
      )
      const trimmed = all.map(record => kept(trimmer.trim(record)))
      t.same(
        trimmed.map(record => wordsOf(trimmer.restore(record, into))),
        all.map(wordsOf),
      )
      t.equal(
        trimmer.wordsLeftOut,
        all.reduce((sum, { wordCount }) => sum + wordCount, 0) -
          trimmed.reduce((sum, { wordCount }) => sum + wordCount, 0),
      )
      for (const record of trimmed) trimmer.release(record)
      t.equal(trimmer.wordsLeftOut, 0)
    }),
  )
})

t.test('owners are cut behind the SOA of their zone', async t => {
  const trimmer = new TrimmedRecordsets()
  const soa = { name: 'example.net.', type: 'SOA', records: ['a. b. 1 2 3 4 5'] }
  const host = packed({ id: uuidOf(1), name: 'host.example.net.' })
  const before = kept(trimmer.trim(host))
  t.equal(host.wordCount - before.wordCount, 3)
  trimmer.trim(packed({ id: uuidOf(2), ...soa }))
  const behind = kept(trimmer.trim(host))
  t.equal(host.wordCount - behind.wordCount, 6)
  t.equal(trimmedType(behind), 1)
  t.equal(trimmer.idOfZone(trimmedZone(behind)), recordsetRow({}).zoneId)
})

t.test('a zone without recordsets is forgotten, with its name', async t => {
  const trimmer = new TrimmedRecordsets()
  const soa = packed({ name: 'example.net.', type: 'SOA', records: ['a. b. 1 2 3 4 5'] })
  trimmer.release(kept(trimmer.trim(soa)))
  const host = packed({ name: 'host.example.net.' })
  t.equal(host.wordCount - trimmer.trim(host).wordCount, 3)
})
