import t from 'tap'
import { PackedRecordsets } from '../../src/store/packed-recordsets.ts'
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
  t.throws(() => heap.compare(one, 3), /number 3/)
})
