import t from 'tap'
import { ObjectRows, RowNumbers } from '../../src/store/row-heap.ts'
import { zoneRow } from '../helpers/store-rows.ts'

t.test('numbers are given from 1 on, and those that are free first', async t => {
  const numbers = new RowNumbers()
  t.same([numbers.take(), numbers.take(), numbers.take()], [1, 2, 3])
  numbers.giveBack(2)
  t.same([numbers.take(), numbers.take()], [2, 4])
  t.equal(numbers.last, 4)
})

t.test('a row is the very one that was given, until another takes its stead', async t => {
  const heap = new ObjectRows()
  const row = zoneRow()
  const number = heap.add(row)
  t.equal(heap.get(number), row)
  const changed = { ...row, version: 2 }
  heap.replace(number, changed)
  t.equal(heap.get(number), changed)
  heap.delete(number)
  t.equal(heap.get(number), undefined)
  t.same([...heap.numbers()], [])
})

t.test('rows are ordered by their places', async t => {
  const heap = new ObjectRows()
  const [late, early] = [zoneRow({ createdAt: 2 }), zoneRow({ createdAt: 1 })].map(row =>
    heap.add(row),
  )
  t.ok(heap.compare(late ?? 0, early ?? 0) > 0)
  t.ok(heap.comparePlace(early ?? 0, zoneRow({ createdAt: 2 })) < 0)
  t.throws(() => heap.compare(1, 3), /no row has the number 3/)
})
