import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun } from '../../src/model/recordset-run.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import type { Change, Commit, StoreReader } from '../../src/store/store.ts'
import { Tables } from '../../src/store/tables.ts'
import { VisibleTables } from '../../src/store/visible-tables.ts'
import { atOnce } from '../../src/time-slice.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const idCount = 60
/** Beyond what is applied in one go. */
const idleCount = 100

const nameOf = (number: number) => `host${number}.example.com.`
const numbers = Array.from({ length: idCount }, (_, i) => i)

/** All that readers can ask of the zone. */
function seen(reader: StoreReader) {
  return {
    zone: reader.get('zones', testZoneId),
    rows: numbers.map(i => reader.get('recordsets', uuidOf(i))),
    named: numbers.map(i =>
      reader.find('recordsets', 'byNameAndType', keyOf(testZoneId, nameOf(i), 'A')),
    ),
    listed: [...reader.list('recordsets', 'byZone', testZoneId)],
    owned: numbers.map(i => [
      ...reader.list('recordsets', 'byOwner', keyOf(testZoneId, nameOf(i))),
    ]),
    backwards: [
      ...reader.list('recordsets', 'byZone', testZoneId, {
        isDescending: true,
        after: { createdAt: idCount, id: '' },
      }),
    ],
    count: reader.count('recordsets', 'byZone', testZoneId),
    sum: reader.sum('recordsets', 'recordsOfZone', testZoneId),
    zones: reader.count('zones', 'all', everything),
  }
}

function rowOf(number: number, name: number, version: number, createdAt = number): Recordset {
  const records = Array.from({ length: version }, (_, i) => `192.0.2.${i}`)
  return recordsetRow({ id: uuidOf(number), createdAt, name: nameOf(name), version, records })
}

/** Of each number: what its row was before, what becomes of it, and whether a new one comes packed. */
const arbitraryPlan = fc.array(
  fc.record({
    before: fc.constantFrom('there', 'not there'),
    change: fc.constantFrom('none', 'replaced', 'deleted', 'made', 'made packed', 'handed over'),
  }),
  { minLength: idCount / 2, maxLength: idCount / 2 },
)

type Plan = { readonly before: string; readonly change: string }[]

/** A zone, and a commit that does to it what a plan says. A row that hands over its name has a neighbour that takes it. */
function commitOf(plan: Plan, zoneAfter = zoneRow({ version: 2, serial: 2 })) {
  const present: Recordset[] = []
  const changes: Change[] = []
  const added: Recordset[] = []
  const change = (before: Recordset | undefined, after: Recordset | undefined) =>
    changes.push({ collection: 'recordsets', id: (after ?? before)?.id ?? '', before, after })
  for (const [i, { before: state, change: kind }] of plan.entries()) {
    const row = state === 'there' ? rowOf(2 * i, i, 1) : undefined
    if (row !== undefined) present.push(row)
    for (const { before, after } of changesTo(row, kind, i)) change(before, after)
    if (row === undefined && kind === 'made packed') added.push(rowOf(2 * i, i, 2, idCount + i))
  }
  // Rows that stay as they are in all that is looked at: they only make it a large one.
  for (let i = 0; i <= idleCount; i += 1) {
    const row = recordsetRow({ id: uuidOf(1000 + i), name: nameOf(1000 + i), zoneId: uuidOf(1) })
    change(undefined, row)
  }
  changes.push({ collection: 'zones', id: testZoneId, before: zoneRow(), after: zoneAfter })
  const commit = { rowChanges: changes, added: added.length === 0 ? [] : [packRun(added)] }
  return { present, commit }
}

/** What a plan says of a row, or of the place of one. */
function changesTo(row: Recordset | undefined, kind: string, i: number) {
  const made = (number: number) => ({
    before: undefined,
    after: rowOf(number, i, 2, idCount + i),
  })
  if (row === undefined) return kind === 'made' ? [made(2 * i)] : []
  const gone = { before: row, after: undefined }
  if (kind === 'replaced') return [{ before: row, after: { ...rowOf(2 * i, i, 3), updatedAt: 9 } }]
  if (kind === 'deleted') return [gone]
  return kind === 'handed over' ? [made(2 * i + 1), gone] : []
}

function tablesOf(rows: readonly Recordset[]): Tables {
  const tables = new Tables()
  tables.apply({ rowChanges: [put('zones', zoneRow()), ...rows.map(putRecordset)], added: [] })
  return tables
}

function put(collection: 'zones', after: ReturnType<typeof zoneRow>): Change {
  return { collection, id: after.id, before: undefined, after }
}

function putRecordset(after: Recordset): Change {
  return { collection: 'recordsets', id: after.id, before: undefined, after }
}

t.test('of a commit that is applied in steps nothing is seen, and then all of it', async t => {
  fc.assert(
    fc.property(arbitraryPlan, plan => {
      const { present, commit } = commitOf(plan)
      const tables = tablesOf(present)
      const visible = new VisibleTables(tables)
      const before = seen(visible.reader)
      let stepCount = 0
      const steps = visible.applyInSteps(commit)
      let step = steps.next()
      for (; step.done !== true; step = steps.next()) {
        stepCount += 1
        if (!isDeepStrictEqual(seen(visible.reader), before) || !visible.isChanging(testZoneId))
          return false
      }
      if (!isDeepStrictEqual(seen(visible.reader), before)) return false
      step.value()
      const twin = tablesOf(present)
      twin.apply(commit)
      const after = seen(twin)
      return (
        stepCount >= commit.rowChanges.length - 1 &&
        isDeepStrictEqual(seen(visible.reader), after) &&
        isDeepStrictEqual(seen(tables), after) &&
        !visible.isChanging(testZoneId)
      )
    }),
    { numRuns: 20 },
  )
  t.pass()
})

t.test('a walk that began on the way gives out each row once', async t => {
  const plan = numbers.slice(0, idCount / 2).map(() => ({ before: 'there', change: 'replaced' }))
  const { present, commit } = commitOf(plan)
  const visible = new VisibleTables(tablesOf(present))
  const steps = visible.applyInSteps(commit)
  for (let i = 0; i < 10; i += 1) steps.next()
  const walk = visible.reader.list('recordsets', 'byZone', testZoneId)[Symbol.iterator]()
  const walked = [walk.next().value?.id]
  atOnce(steps)()
  for (let row = walk.next(); row.done !== true; row = walk.next()) walked.push(row.value.id)
  t.same(
    walked,
    present.map(({ id }) => id),
  )
})

t.test('a small commit is applied in one go', async t => {
  const visible = new VisibleTables(tablesOf([]))
  const commit: Pick<Commit, 'rowChanges' | 'added'> = {
    rowChanges: [putRecordset(rowOf(1, 1, 1))],
    added: [packRun([rowOf(2, 2, 1)])],
  }
  visible.apply(commit)
  t.equal(visible.reader.count('recordsets', 'byZone', testZoneId), 2)
})

t.test('a zone that comes with its recordsets is seen last', async t => {
  const tables = new Tables()
  const visible = new VisibleTables(tables)
  const rows = Array.from({ length: 2 * idleCount }, (_, i) => rowOf(i, i, 1))
  const steps = visible.applyInSteps({
    rowChanges: [put('zones', zoneRow())],
    added: [packRun(rows)],
  })
  let stepCount = 0
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) {
    stepCount += 1
    t.equal(visible.reader.get('zones', testZoneId), undefined)
    t.ok(visible.isChanging(testZoneId))
  }
  t.ok(stepCount > 1)
  step.value()
  t.ok(visible.reader.get('zones', testZoneId))
  t.equal(visible.reader.count('recordsets', 'byZone', testZoneId), rows.length)
})

t.test('small commits of other rows are seen while a large one is applied', async t => {
  const plan = numbers.slice(0, idCount / 2).map(() => ({ before: 'there', change: 'replaced' }))
  const { present, commit } = commitOf(plan)
  const visible = new VisibleTables(tablesOf(present))
  const before = seen(visible.reader)
  const steps = visible.applyInSteps(commit)
  for (let i = 0; i < 10; i += 1) steps.next()
  const other = recordsetRow({ id: uuidOf(500), zoneId: uuidOf(2) })
  visible.apply({ rowChanges: [putRecordset(other)], added: [] })
  t.same(seen(visible.reader), before)
  t.same([...visible.reader.list('recordsets', 'byZone', uuidOf(2))], [other])
  atOnce(steps)()
  t.equal(visible.reader.count('recordsets', 'byZone', uuidOf(2)), 1)
  t.equal(visible.reader.get('zones', testZoneId)?.version, 2)
})
