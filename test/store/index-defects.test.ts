import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { PackedRecordsets } from '../../src/store/packed-recordsets.ts'
import { ObjectRows, type RowHeap } from '../../src/store/row-heap.ts'
import { Table } from '../../src/store/table.ts'
import { Dice } from '../helpers/dice.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

// The indexes held against the rows. A row is immutable, so whoever changes one in place, where rows are kept as they
// are given, makes every index wrong that knew it as it was: that is how these tests damage what nothing else can.

const row = (number: number, differences: Partial<Recordset> = {}): Recordset =>
  recordsetRow({
    id: uuidOf(number),
    createdAt: 1 + number,
    name: `host${number}.example.com.`,
    ...differences,
  })

function filled(
  count: number,
  heap: RowHeap = new PackedRecordsets(),
): { table: Table; rows: Recordset[] } {
  const table = new Table('recordsets', heap)
  const rows = Array.from({ length: count }, (_, number) => row(number))
  for (const each of rows) table.put(each)
  return { table, rows }
}

function defectsOf(table: Table): string[] {
  const defects = [...table.indexDefects()].filter(defect => defect !== undefined)
  return [...new Set(defects.map(({ index, problem }) => `${index}: ${problem.split(' (')[0]}`))]
}

t.test('sound indexes have no defects, however many rows there are', async t => {
  for (const count of [0, 1, 2, 16, 17, 5000])
    t.same(defectsOf(filled(count).table), [], `${count}`)
})

t.test('an index that does not know a row as it is has a defect', async t => {
  const changes: [Partial<Recordset>, string[]][] = [
    [
      { name: 'other.example.com.' },
      ['byNameAndType: it is not found by its key', 'byOwner: it is missing from its group'],
    ],
    [
      { zoneId: uuidOf(77) },
      [
        'byNameAndType: it is not found by its key',
        'byOwner: it is missing from its group',
        'byZone: it is missing from its group',
        'byZone: it holds a row that is gone, has changed or belongs elsewhere',
      ],
    ],
    [
      { records: ['192.0.2.1', '192.0.2.2'] },
      ['recordsOfZone: the sum is 20, but the rows add up to 21'],
    ],
    [{ isManaged: true }, ['recordsOfZone: the sum is 20, but the rows add up to 19']],
    [{ createdAt: 100 }, ['byZone: it holds a row at a wrong place']],
  ]
  for (const [change, expected] of changes) {
    const { table, rows } = filled(20, new ObjectRows())
    Object.assign(rows[7] as Recordset, change)
    const defects = defectsOf(table)
    for (const defect of expected) t.ok(defects.includes(defect), `${defect} in ${defects}`)
  }
})

t.test('rows that change between two steps make no defects', async t => {
  for (const seed of [1, 2, 3, 4]) {
    const dice = new Dice(seed)
    const { table, rows } = filled(3000)
    let next = rows.length
    const change = (): void => {
      const at = dice.below(rows.length)
      const before = rows[at] as Recordset
      if (dice.below(3) === 0) table.delete(before.id)
      const zoneId = dice.pick([before.zoneId, uuidOf(90), uuidOf(91)])
      const isKept = dice.below(2) === 0
      rows[at] = isKept
        ? { ...before, zoneId, records: Array(dice.below(4)).fill('192.0.2.1') }
        : row(next++, { zoneId, name: `host${dice.below(500)}.example.com.`, type: `T${next}` })
      if (!isKept) table.delete(before.id)
      table.put(rows[at] as Recordset)
    }
    const found: unknown[] = []
    for (const defect of table.indexDefects()) {
      if (defect !== undefined) found.push(defect)
      for (let i = dice.below(3); i > 0; i -= 1) change()
    }
    t.same(found, [], `seed ${seed}`)
  }
})

t.test('a walk over all rows gives out once what stays, whatever comes and goes', async t => {
  const dice = new Dice(5)
  const { table, rows } = filled(4000)
  const seen: string[] = []
  let next = rows.length
  for (const { id } of table.values()) {
    seen.push(id)
    table.put(row(next++))
    if (dice.below(2) === 0) table.delete(uuidOf(dice.below(2000)))
  }
  const stayed = rows.slice(2000).map(({ id }) => id)
  const counts = new Map<string, number>()
  for (const id of seen) counts.set(id, (counts.get(id) ?? 0) + 1)
  t.same(
    stayed.filter(id => counts.get(id) !== 1),
    [],
  )
})
