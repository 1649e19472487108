import t from 'tap'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import { PackedRecordsets } from '../../src/store/packed-recordsets.ts'
import { atOnce } from '../../src/time-slice.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

t.test('a record set is read as it is, before and after each change', async t => {
  const heap = new PackedRecordsets()
  const row = recordsetRow({ id: uuidOf(1) })
  const number = heap.add(row)
  t.same(heap.get(number), row)
  const changed = { ...row, version: 2, records: ['192.0.2.7', '192.0.2.8'] }
  heap.replace(number, changed)
  t.same(heap.get(number), changed)
  heap.delete(number)
  t.equal(heap.get(number), undefined)
})

t.test('a change of the row that was put in does not reach what is kept', async t => {
  const heap = new PackedRecordsets()
  const records = ['192.0.2.1']
  const number = heap.add(recordsetRow({ records }))
  records.push('192.0.2.2')
  t.same(heap.get(number)?.records, ['192.0.2.1'])
})

t.test('rows are ordered by their places, and numbered', async t => {
  const heap = new PackedRecordsets()
  const [one, two] = [
    heap.add(recordsetRow({ createdAt: 9 })),
    heap.add(recordsetRow({ createdAt: 8 })),
  ]
  t.ok(heap.compare(one, two) > 0)
  t.ok(heap.comparePlace(two, recordsetRow({ createdAt: 9 })) < 0)
  t.same([...heap.numbers()], [one, two])
  const odd = heap.add(recordsetRow({ id: 'odd', createdAt: 7 }))
  t.ok(heap.compare(odd, two) < 0)
  t.ok(heap.compare(one, odd) > 0)
  heap.delete(odd)
  t.throws(() => heap.compare(one, 3), /number 3/)
})

t.test(
  'an id and a zone are known without the row, also of rows that are kept as JSON',
  async t => {
    const heap = new PackedRecordsets()
    const plain = heap.add(recordsetRow({ id: uuidOf(1), zoneId: uuidOf(7) }))
    const odd = heap.add(recordsetRow({ id: 'odd', zoneId: 'zone' }))
    const other = heap.add(recordsetRow({ id: uuidOf(2), zoneId: uuidOf(8) }))
    const last = heap.add(recordsetRow({ id: uuidOf(3), zoneId: uuidOf(7) }))
    t.same([heap.idOf(plain), heap.idOf(odd), heap.idOf(9)], [uuidOf(1), 'odd', undefined])
    const byZone = Array.from(atOnce(heap.byZone()), ([id, numbers]) => [id, [...numbers]])
    t.same(
      new Map(byZone as [string, number[]][]),
      new Map([
        ['zone', [odd]],
        [uuidOf(7), [plain, last]],
        [uuidOf(8), [other]],
      ]),
    )
  },
)

t.test('a record set that takes the number of another is found by that', async t => {
  const heap = new PackedRecordsets()
  const rows = [1, 2].map(number => recordsetRow({ id: uuidOf(number), version: number }))
  const [one, two] = rows.map(row => heap.add(row)) as [number, number]
  heap.move(two, one)
  t.match(heap.get(one), rows[1])
  t.equal(heap.get(two), undefined)
  t.same([...heap.numbers()], [one])
})

t.test('a run gives back what it was packed from', async t => {
  const heap = new PackedRecordsets()
  const rows = [1, 2, 3].map(number =>
    recordsetRow({ id: uuidOf(number), records: new Array(number * 40).fill('192.0.2.1') }),
  )
  const numbers = [...recordsetsOf(packRun(rows))].map(record => heap.addPacked(record))
  t.same(
    numbers.map(number => heap.get(number)),
    rows,
  )
})
