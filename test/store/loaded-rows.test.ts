import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import { LoadedRows } from '../../src/store/loaded-rows.ts'
import { comparePlaces } from '../../src/store/ordered-rows.ts'
import { Tables } from '../../src/store/tables.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const never = () => {
  throw new Error('there are no duplicates')
}

t.test('of two rows that claim one key, the one loaded later is left out and reported', async t => {
  const rows = new LoadedRows()
  rows.put('zones', zoneRow({ id: 'early', createdAt: 2 }))
  rows.put('zones', zoneRow({ id: 'late', createdAt: 1 }))
  const duplicates: object[] = []
  const tables = rows.index(duplicate => duplicates.push(duplicate))
  t.same(duplicates, [{ collection: 'zones', index: 'byName', holderId: 'early', id: 'late' }])
  t.equal(tables.get('zones', 'late'), undefined)
  t.same(
    [...tables.list('zones', 'all', '')].map(({ id }) => id),
    ['early'],
  )
  t.equal(tables.table('zones').size, 1)
})

t.test('rows are listed in order of creation, in whatever order they were loaded', async t => {
  const rows = new LoadedRows()
  const times = Array.from({ length: 2000 }, (_, i) => (i * 733) % 2000)
  for (const createdAt of times)
    rows.put(
      'recordsets',
      recordsetRow({ id: uuidOf(createdAt), createdAt, name: `${createdAt}.` }),
    )
  const listed = [...rows.index(never).list('recordsets', 'byZone', testZoneId)]
  t.same(
    listed.map(({ createdAt }) => createdAt),
    times.toSorted((left, right) => left - right),
  )
})

t.test('zones are listed in order of creation and by name, however they were loaded', async t => {
  const rows = new LoadedRows()
  const zones = Array.from({ length: 3000 }, (_, i) => {
    const number = (i * 733) % 3000
    // Two at a time were created together.
    const [createdAt, name] = [number >> 1, `${number % 1000}.${number}.`]
    return zoneRow({ id: uuidOf(number), createdAt, name })
  })
  for (const zone of zones) rows.put('zones', zone)
  const tables = rows.index(never)
  t.same([...tables.list('zones', 'all', everything)], zones.toSorted(comparePlaces))
  t.same(
    [...tables.list('zones', 'allByName', everything)],
    zones.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
  )
  t.same(
    [...tables.indexDefects()].filter(defect => defect !== undefined),
    [],
  )
})

const arbitraryRow = fc
  .record({
    id: fc.integer({ min: 0, max: 25 }).map(String),
    createdAt: fc.integer({ min: 0, max: 5 }),
    label: fc.constantFrom('x', 'y'),
    zoneId: fc.constantFrom('one', 'two'),
  })
  // The type makes the unique key of each id its own.
  .map(({ id, label, ...rest }) =>
    recordsetRow({ ...rest, id, name: `${label}.`, type: `TYPE${id}` }),
  )

t.test('indexes built at once say what indexes kept with every change say', async t => {
  const steps = fc.array(fc.record({ row: arbitraryRow, isPut: fc.boolean() }), {
    maxLength: 300,
    size: 'max',
  })
  fc.assert(
    fc.property(steps, steps => {
      const rows = new LoadedRows()
      const kept = new Tables()
      for (const { row, isPut } of steps) {
        const { id } = row
        const after = isPut ? row : undefined
        const changes = [{ collection: 'recordsets', id, before: undefined, after }] as const
        rows.apply(changes)
        kept.apply({ rowChanges: changes, added: [] })
      }
      const built = rows.index(never)
      const isSame = (read: (tables: Tables) => readonly (Recordset | undefined)[]) => {
        const [left, right] = [read(built), read(kept)]
        return isDeepStrictEqual(left, right)
      }
      return (
        built.table('recordsets').size === kept.table('recordsets').size &&
        steps.every(({ row: { id, zoneId, name, type } }) =>
          isSame(tables => [
            tables.get('recordsets', id),
            tables.find('recordsets', 'byNameAndType', keyOf(zoneId, name, type)),
            ...tables.list('recordsets', 'byZone', zoneId),
            ...tables.list('recordsets', 'byOwner', keyOf(zoneId, name)),
          ]),
        )
      )
    }),
  )
  t.pass()
})
