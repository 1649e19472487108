import t from 'tap'
import { PackedRows } from '../../src/zone/packed-rows.ts'

t.test('rows begin with zeros and keep what is put, chunk after chunk', async t => {
  const rows = new PackedRows(3)
  const count = 10_000
  for (let row = 0; row < count; row += 1) {
    if (rows.add() !== row) t.fail(`row ${row} has another number`)
    if (rows.get(row, 0) !== 0 || rows.get(row, 2) !== 0) t.fail(`row ${row} is not new`)
    rows.set(row, 0, row)
    rows.set(row, 2, -1 - row)
  }
  t.equal(rows.count, count)
  for (let row = 0; row < count; row += 1) {
    const found = [0, 1, 2].map(column => rows.get(row, column))
    if (found.join() !== [row, 0, -1 - row].join()) t.fail(`row ${row}: ${found}`)
  }
})
