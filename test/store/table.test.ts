import fc from 'fast-check'
import t from 'tap'
import type { Zone } from '../../src/model/zone.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import { comparePlaces } from '../../src/store/ordered-rows.ts'
import { Table } from '../../src/store/table.ts'
import { zoneRow } from '../helpers/store-rows.ts'

const ids = (rows: Iterable<{ id: string }>) => [...rows].map(({ id }) => id)

t.test('a row is found by id and by every index it belongs to', async t => {
  const table = new Table('zones')
  const row = zoneRow({ id: 'one', name: 'Shop.Example.com.' })
  table.put(row)
  t.equal(table.get('one'), row)
  t.equal(table.find('byName', keyOf(row.poolId, 'shop.example.com.')), row)
  t.same(ids(table.list('byProject', row.projectId)), ['one'])
  t.same(ids(table.list('byAncestor', 'com.')), ['one'])
  t.same(ids(table.list('byAncestor', 'example.com.')), ['one'])
  t.same(ids(table.list('deleting', everything)), [])
})

t.test('a row moves between groups when its keys change', async t => {
  const table = new Table('zones')
  const [one, two] = [zoneRow({ id: 'one' }), zoneRow({ id: 'two', name: 'b.example.' })]
  table.put(one)
  table.put(two)
  table.put({ ...one, isDeleting: true, projectId: 'other' } as Zone)
  t.same(ids(table.list('deleting', everything)), ['one'])
  t.same(ids(table.list('byProject', 'other')), ['one'])
  t.same(ids(table.list('byProject', one.projectId)), ['two'])
  table.delete('one')
  t.same(ids(table.list('deleting', everything)), [])
  t.equal(table.count('byProject', 'other'), 0)
})

t.test('a large group that was emptied begins anew', async t => {
  const table = new Table('zones')
  const zoneAt = (createdAt: number) =>
    zoneRow({ id: `${createdAt}`, createdAt, name: `z${createdAt}.example.` })
  for (let at = 0; at < 30; at += 1) table.put(zoneAt(at))
  for (let at = 0; at < 30; at += 1) table.delete(`${at}`)
  t.equal(table.count('all', everything), 0)
  t.same(table.groupKeys('all'), [])
  table.put(zoneAt(31))
  t.same(ids(table.list('all', everything)), ['31'])
})

t.test('rows that swap their names within a commit both stay to be found', async t => {
  const table = new Table('zones')
  const [one, two] = [
    zoneRow({ id: 'one', name: 'a.example.' }),
    zoneRow({ id: 'two', name: 'b.example.' }),
  ]
  table.put(one)
  table.put(two)
  table.put({ ...one, name: two.name } as Zone)
  table.put({ ...two, name: one.name } as Zone)
  t.equal(table.find('byName', keyOf(one.poolId, 'a.example.'))?.id, 'two')
  t.equal(table.find('byName', keyOf(one.poolId, 'b.example.'))?.id, 'one')
})

const arbitraryZone = fc
  .record({
    id: fc.integer({ min: 0, max: 60 }).map(String),
    label: fc.constantFrom('a', 'b.a', 'c.b.a', 'd'),
    createdAt: fc.integer({ min: 0, max: 5 }),
    projectId: fc.constantFrom('p', 'q'),
    isDeleting: fc.boolean(),
  })
  // The pool makes the unique key of each id its own.
  .map(({ label, id, ...rest }) => zoneRow({ ...rest, id, poolId: id, name: `${label}.example.` }))

function compareNames(one: Zone, other: Zone): number {
  const [before, after] = [`${one.name} ${one.id}`, `${other.name} ${other.id}`]
  return before < after ? -1 : 1
}

t.test('every index says what a filter over all rows says', async t => {
  const steps = fc.array(fc.record({ zone: arbitraryZone, isPut: fc.boolean() }), {
    maxLength: 400,
    size: 'max',
  })
  fc.assert(
    fc.property(steps, steps => {
      const table = new Table('zones')
      const plain = new Map<string, Zone>()
      for (const { zone, isPut } of steps) {
        if (isPut) plain.set(zone.id, zone)
        else plain.delete(zone.id)
        if (isPut) table.put(zone)
        else table.delete(zone.id)
      }
      const rows = [...plain.values()].sort(comparePlaces)
      const groups: [string, string, (zone: Zone) => boolean][] = [
        ['all', everything, () => true],
        ['byProject', 'p', zone => zone.projectId === 'p'],
        ['byLowerName', 'b.a.example.', zone => zone.name === 'b.a.example.'],
        ['byAncestor', 'a.example.', zone => zone.name.endsWith('.a.example.')],
        ['deleting', everything, zone => zone.isDeleting],
        ['allByName', everything, () => true],
        ['ofProjectByName', 'p', zone => zone.projectId === 'p'],
      ]
      return (
        table.size === rows.length &&
        rows.every(row => table.get(row.id) === row) &&
        groups.every(([index, key, isIn]) => {
          const isByName = index.endsWith('ByName')
          const expected = (isByName ? rows.toSorted(compareNames) : rows).filter(isIn)
          const upwards = [...table.list(index, key)]
          const downwards = [...table.list(index, key, { isDescending: true })].reverse()
          return (
            table.count(index, key) === expected.length &&
            [upwards, downwards].every(
              walked =>
                walked.length === expected.length && walked.every((row, i) => row === expected[i]),
            )
          )
        })
      )
    }),
  )
  t.pass()
})
