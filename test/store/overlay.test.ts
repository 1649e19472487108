import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun } from '../../src/model/recordset-run.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import { comparePlaces } from '../../src/store/ordered-rows.ts'
import { Overlay } from '../../src/store/overlay.ts'
import { PackedCommit } from '../../src/store/packed-change.ts'
import { UniqueViolation } from '../../src/store/store.ts'
import { Tables } from '../../src/store/tables.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const named = (label: string, differences: Partial<Recordset> = {}) =>
  recordsetRow({ id: label, name: `${label}.example.com.`, ...differences })

const keyFor = ({ zoneId, name, type }: Recordset) => keyOf(zoneId, name, type)

/** A base with record sets a, b and c, created in that order, and an empty layer over it. */
function layers() {
  const base = new Tables()
  const [a, b, c] = [
    named('a', { createdAt: 1 }),
    named('b', { createdAt: 2 }),
    named('c', { createdAt: 3 }),
  ]
  for (const row of [a, b, c]) base.table('recordsets').put(row)
  return { base, layer: new Overlay(base), a, b, c }
}

const idsIn = (reader: Overlay, isDescending = false) =>
  [...reader.list('recordsets', 'byZone', testZoneId, { isDescending })].map(({ id }) => id)

t.test('what a layer puts or deletes is seen in it and not below', async t => {
  const { base, layer, a, b } = layers()
  layer.put('recordsets', named('d', { createdAt: 4 }))
  layer.put('recordsets', { ...b, ttlSeconds: 60 })
  layer.delete('recordsets', 'a')
  t.same(idsIn(layer), ['b', 'c', 'd'])
  t.same(idsIn(layer, true), ['d', 'c', 'b'])
  t.equal(layer.count('recordsets', 'byZone', testZoneId), 3)
  t.equal(layer.get('recordsets', 'b')?.ttlSeconds, 60)
  t.equal(layer.find('recordsets', 'byNameAndType', keyFor(a)), undefined)
  t.same(base.get('recordsets', 'b'), b)
  t.equal(base.count('recordsets', 'byZone', testZoneId), 3)
})

t.test('a name is taken until its row is deleted or renamed in the layer', async t => {
  const { layer, a, b } = layers()
  const thief = named('thief', { name: a.name })
  t.throws(() => layer.put('recordsets', thief), UniqueViolation)
  layer.delete('recordsets', 'a')
  layer.put('recordsets', thief)
  t.equal(layer.find('recordsets', 'byNameAndType', keyFor(a))?.id, 'thief')
  layer.put('recordsets', { ...b, name: 'moved.example.com.' })
  layer.put('recordsets', named('heir', { name: b.name }))
  t.equal(layer.find('recordsets', 'byNameAndType', keyFor(b))?.id, 'heir')
})

t.test(
  'changes tell the first and last state of each row, and nothing of what came to nothing',
  async t => {
    const { layer, a, b, c } = layers()
    layer.put('recordsets', { ...a, ttlSeconds: 1 })
    const last = { ...a, ttlSeconds: 2 }
    layer.put('recordsets', last)
    layer.delete('recordsets', 'b')
    layer.put('recordsets', named('d'))
    layer.delete('recordsets', 'd')
    layer.put('recordsets', c)
    t.strictSame(layer.changes(), [
      { collection: 'recordsets', id: 'a', before: a, after: last },
      { collection: 'recordsets', id: 'b', before: b, after: undefined },
    ])
  },
)

t.test('a walk goes over the rows as they were when it was asked for', async t => {
  const { layer } = layers()
  layer.put('recordsets', named('d', { createdAt: 4 }))
  const seen: string[] = []
  for (const row of layer.list('recordsets', 'byZone', testZoneId)) {
    seen.push(row.id)
    layer.delete('recordsets', row.id)
    layer.put('recordsets', named(`new-${row.id}`, { createdAt: 5 }))
  }
  t.same(seen, ['a', 'b', 'c', 'd'])
})

const arbitraryRow = fc
  .record({
    id: fc.integer({ min: 0, max: 30 }),
    label: fc.constantFrom('x', 'y', 'z'),
    createdAt: fc.integer({ min: 0, max: 4 }),
    zoneId: fc.constantFrom('one', 'two'),
    records: fc.constantFrom([], ['1'], ['1', '2']),
    isManaged: fc.boolean(),
  })
  .map(({ id, label, ...rest }) =>
    recordsetRow({ ...rest, id: String(id), name: `${label}.`, type: `TYPE${65_280 + id}` }),
  )

function recordCount(rows: readonly Recordset[]): number {
  return rows.reduce((sum, { records, isManaged }) => sum + (isManaged ? 0 : records.length), 0)
}

t.test('three layers read like one table with all changes made', async t => {
  const steps = fc.array(
    fc.record({
      row: arbitraryRow,
      isPut: fc.boolean(),
      layer: fc.constantFrom(0, 1, 2),
    }),
    { maxLength: 150, size: 'max' },
  )
  fc.assert(
    fc.property(steps, arbitraryRow, fc.boolean(), (steps, after, isDescending) => {
      const base = new Tables()
      const batch = new Overlay(base)
      const transaction = new Overlay(batch)
      const plain = new Map<string, Recordset>()
      for (const { row, isPut, layer } of steps.toSorted(
        (left, right) => left.layer - right.layer,
      )) {
        if (isPut) plain.set(row.id, row)
        else plain.delete(row.id)
        const changed = [base, batch, transaction][layer] as Tables | Overlay
        const before = changed.get('recordsets', row.id)
        const change = { collection: 'recordsets', id: row.id, before } as const
        const rowChanges = [{ ...change, after: isPut ? row : undefined }]
        if (changed instanceof Tables) changed.apply({ rowChanges, added: [] })
        else changed.absorb({ rowChanges, added: [] })
      }
      const sign = isDescending ? -1 : 1
      const rows = [...plain.values()].sort((left, right) => sign * comparePlaces(left, right))
      const inZone = rows.filter(({ zoneId }) => zoneId === 'one')
      const owned = inZone.filter(({ name }) => name === 'x.')
      const behind = inZone.filter(row => sign * comparePlaces(row, after) > 0)
      const list = (index: 'byZone' | 'byOwner', key: string, options = {}) => [
        ...transaction.list('recordsets', index, key, { isDescending, ...options }),
      ]
      const isRight = (
        walked: readonly (Recordset | undefined)[],
        expected: readonly Recordset[],
      ) => isDeepStrictEqual(walked, expected)
      const readsRight =
        isRight(list('byZone', 'one'), inZone) &&
        isRight(list('byZone', 'one', { after }), behind) &&
        isRight(list('byOwner', keyOf('one', 'x.')), owned) &&
        transaction.count('recordsets', 'byZone', 'one') === inZone.length &&
        transaction.count('recordsets', 'byOwner', keyOf('one', 'x.')) === owned.length &&
        transaction.sum('recordsets', 'recordsOfZone', 'one') === recordCount(inZone) &&
        rows.every(row => isRight([transaction.get('recordsets', row.id)], [row])) &&
        rows.every(row =>
          isRight([transaction.find('recordsets', 'byNameAndType', keyFor(row))], [row]),
        )
      batch.absorb({ rowChanges: transaction.changes(), added: [] })
      base.apply({ rowChanges: batch.changes(), added: [] })
      return (
        readsRight &&
        base.sum('recordsets', 'recordsOfZone', 'one') === recordCount(inZone) &&
        isRight([...base.list('recordsets', 'byZone', 'one', { isDescending })], inZone)
      )
    }),
    { numRuns: 60 },
  )
  t.pass()
})

t.test('a group in order of names is in it over all layers', async t => {
  const base = new Tables()
  const batch = new Overlay(base)
  const rowOf = (id: string, name: string) => zoneRow({ id, name, createdAt: 9 - Number(id) })
  for (let id = 0; id < 5; id += 1)
    base.table('zones').put(rowOf(String(id), `${'edcba'[id]}.example.`))
  batch.put('zones', rowOf('5', 'C1.example.'))
  batch.put('zones', rowOf('0', 'a1.example.'))
  batch.delete('zones', '3')
  const namesOf = (options = {}) =>
    [...batch.list('zones', 'allByName', everything, options)].map(({ name }) => name[0])
  const all = ['a', 'a', 'c', 'C', 'd']
  t.same(namesOf(), all)
  t.same(namesOf({ isDescending: true }), all.toReversed())
  t.same(namesOf({ after: batch.get('zones', '0') }), ['c', 'C', 'd'])
  t.same(namesOf({ after: batch.get('zones', '2'), isDescending: true }), ['a', 'a'])
})

t.test('record sets that came packed are read like any others', async t => {
  const runOf = (labels: readonly string[]) =>
    packRun(
      labels.map((label, i) =>
        recordsetRow({ id: uuidOf(i), name: `${label}.example.com.`, createdAt: 10 + i }),
      ),
    )
  const reads: readonly ((layer: Overlay) => unknown)[] = [
    layer => layer.get('recordsets', uuidOf(0))?.name,
    layer =>
      layer.find('recordsets', 'byNameAndType', keyOf(testZoneId, 'y.example.com.', 'A'))?.id,
    layer => idsIn(layer),
    layer => layer.count('recordsets', 'byOwner', keyOf(testZoneId, 'x.example.com.')),
    layer => layer.sum('recordsets', 'recordsOfZone', testZoneId),
  ]
  const expected = ['x.example.com.', uuidOf(1), ['a', 'b', 'c', uuidOf(0), uuidOf(1)], 1, 5]
  for (const [i, read] of reads.entries()) {
    const { layer } = layers()
    layer.insertRecordsets(runOf(['x', 'y']))
    t.equal(layer.count('recordsets', 'byZone', testZoneId), 5)
    t.strictSame(read(layer), expected[i])
    t.equal(layer.count('recordsets', 'byZone', testZoneId), 5, 'once')
    const commit = { lsn: 1, atMicros: 1, rowChanges: layer.changes(), added: layer.added() }
    t.strictSame(
      new PackedCommit(commit).changes.map(({ id, before, after }) => [
        id,
        before,
        (after as Recordset).name,
      ]),
      [
        [uuidOf(0), undefined, 'x.example.com.'],
        [uuidOf(1), undefined, 'y.example.com.'],
      ],
    )
    const above = new Overlay(layer)
    above.insertRecordsets(runOf(['z']))
    t.equal(above.count('recordsets', 'byZone', testZoneId), 6)
    t.throws(() => layer.put('recordsets', named('d', { name: 'x.example.com.' })), UniqueViolation)
  }
})

t.test('a record set that is deleted may come back packed, and change then', async t => {
  const { layer } = layers()
  const row = recordsetRow({ id: uuidOf(0), name: 'x.example.com.' })
  layer.put('recordsets', row)
  layer.delete('recordsets', row.id)
  layer.insertRecordsets(packRun([{ ...row, version: 2 }]))
  t.equal(layer.get('recordsets', row.id)?.version, 2)
  t.equal(layer.count('recordsets', 'byZone', testZoneId), 4, 'once')
})

t.test('a layer takes in what came packed above it', async t => {
  const { base, layer } = layers()
  const above = new Overlay(layer)
  above.insertRecordsets(packRun([recordsetRow({ id: uuidOf(0), name: 'x.example.com.' })]))
  const changes = { rowChanges: above.changes(), added: above.added() }
  layer.absorb(changes)
  t.equal(layer.count('recordsets', 'byZone', testZoneId), 4)
  t.equal(layer.get('recordsets', uuidOf(0))?.name, 'x.example.com.')
  base.apply(changes)
  t.equal(base.get('recordsets', uuidOf(0))?.name, 'x.example.com.')
})
