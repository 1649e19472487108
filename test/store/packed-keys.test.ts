import fc from 'fast-check'
import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import { comparePlaces } from '../../src/store/ordered-rows.ts'
import { PackedRecordsets } from '../../src/store/packed-recordsets.ts'
import { Table } from '../../src/store/table.ts'
import { recordsetRow, testZoneId, uuidOf } from '../helpers/store-rows.ts'

const arbitraryRow = fc
  .record({
    zoneId: fc.constantFrom(testZoneId, uuidOf(900), 'zone'),
    name: fc.constantFrom(
      'a.example.com.',
      'A.Example.com.',
      '*.example.com.',
      '\\097.example.com.',
      'a\\.b.example.com.',
      '.',
      'relative',
    ),
    type: fc.constantFrom('A', 'TXT', 'TYPE65280', 'ALIAS', 'a'),
    records: fc.constantFrom(
      [],
      ['192.0.2.1'],
      ['192.0.2.1', '192.0.2.2'],
      ['\\# 1 00'],
      ['lb.example.'],
    ),
    ttlSeconds: fc.option(fc.nat()),
    updatedAt: fc.option(fc.nat()),
    isManaged: fc.boolean(),
    shareId: fc.option(fc.constant(uuidOf(901)), { nil: undefined }),
  })
  .map(({ shareId, ...row }) => ({ ...row, ...(shareId !== undefined && { shareId }) }))

/** Rows with ids of their own, and no key twice. */
function distinct(differences: readonly Partial<Recordset>[]): Recordset[] {
  const rows = differences.map((each, i) =>
    recordsetRow({ ...each, id: uuidOf(i), createdAt: 1 + i }),
  )
  const keys = new Map(
    rows.map(row => [`${row.zoneId} ${row.name.toLowerCase()} ${row.type}`, row]),
  )
  return [...keys.values()]
}

/** All that can be asked of a table's indexes. */
function answersOf(table: Table, rows: readonly Recordset[]) {
  const { size } = table
  return {
    size,
    rows: rows.map(({ id }) => table.get(id)),
    found: rows.map(({ zoneId, name, type }) =>
      table.find('byNameAndType', [zoneId, name.toLowerCase(), type].join('\n')),
    ),
    groups: ['byZone', 'byOwner', 'byShare', 'byMovedRecord', 'aliases'].map(index =>
      table
        .groupKeys(index)
        .toSorted()
        .map(key => [key, [...table.list(index, key)]]),
    ),
    sums: ['recordsOfZone', 'managedRecordsOfZone'].map(index => [
      table.total(index),
      ...rows.map(({ zoneId }) => table.sum(index, zoneId)),
    ]),
    defects: [...table.indexDefects()].filter(defect => defect !== undefined),
  }
}

t.test('indexes of packed record sets are those of the rows they are', async t => {
  fc.assert(
    fc.property(fc.array(arbitraryRow, { maxLength: 12 }), differences => {
      const rows = distinct(differences)
      const [byRow, byPacked] = [
        new Table('recordsets', new PackedRecordsets()),
        new Table('recordsets', new PackedRecordsets()),
      ]
      for (const row of rows) byRow.put(row)
      const inOrder = rows.toSorted(comparePlaces)
      for (const ofZone of Map.groupBy(inOrder, ({ zoneId }) => zoneId).values())
        byPacked.insertRun(packRun(ofZone))
      const expected = answersOf(byRow, rows)
      t.strictSame(answersOf(byPacked, rows), expected)
      t.strictSame(expected.defects, [])
    }),
    { numRuns: 60 },
  )
})

t.test('a run of rows in further indexes belongs to no group of the run before it', async t => {
  const table = new Table('recordsets', new PackedRecordsets())
  const row = recordsetRow({ id: uuidOf(0), zoneId: uuidOf(7) })
  table.insertRun(packRun([row]))
  table.delete(row.id)
  const alias = { type: 'ALIAS', records: ['example.net.'] }
  table.insertRun(packRun([recordsetRow({ id: uuidOf(1), zoneId: uuidOf(8), ...alias })]))
  t.same(table.groupKeys('byZone'), [uuidOf(8)])
  t.equal(table.countGroups('byZone'), 1)
})

t.test('rows that were loaded are indexed in the same way', async t => {
  fc.assert(
    fc.property(fc.array(arbitraryRow, { maxLength: 12 }), differences => {
      const rows = distinct(differences)
      const heap = new PackedRecordsets()
      const [byRow, loaded] = [
        new Table('recordsets', new PackedRecordsets()),
        new Table('recordsets', heap),
      ]
      for (const row of rows) byRow.put(row)
      for (const record of recordsetsOf(packRun(rows))) loaded.loadKept(heap.addPacked(record))
      for (const _ of loaded.indexLoaded());
      t.strictSame(answersOf(loaded, rows), answersOf(byRow, rows))
    }),
    { numRuns: 60 },
  )
})

t.test('of two that are loaded with one key the first has it', async t => {
  const table = new Table('recordsets', new PackedRecordsets())
  const rows = ['a', 'A'].map((label, i) =>
    recordsetRow({ id: uuidOf(i), name: `${label}.example.com.`, createdAt: 1 + i }),
  )
  for (const row of rows) table.load(row)
  const steps = table.indexLoaded()
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  t.strictSame(step.value, [{ index: 'byNameAndType', holderId: uuidOf(0), id: uuidOf(1) }])
  t.equal(table.size, 1)
})
