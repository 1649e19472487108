import { randomUUID } from 'node:crypto'
import t from 'tap'
import { parseRecordId, recordIdOf } from '../../src/model/record-id.ts'

const id = '0e8c3a52-9f4d-4b6e-8a3f-000000000001'

t.test('an id says where its record was made, in the form of a UUID', async t => {
  const createdAt = Date.UTC(2026, 10, 22) * 1000 + 123
  for (const number of [0, 1, 255, 65_535]) {
    const recordId = recordIdOf({ id, createdAt }, { number })
    t.match(recordId, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    t.same(parseRecordId(recordId), { createdAt, idPrefix: '0e8c3a52-9f4d', number })
    t.ok(id.startsWith(parseRecordId(recordId)?.idPrefix ?? 'none'))
  }
})

t.test('the earliest and the latest time', async t => {
  for (const createdAt of [0, 1, Number.MAX_SAFE_INTEGER]) {
    const recordId = recordIdOf({ id, createdAt }, { number: 7 })
    t.equal(parseRecordId(recordId)?.createdAt, createdAt)
  }
})

t.test('a record from elsewhere has the id it brought', async t => {
  t.equal(recordIdOf({ id, createdAt: 1 }, { number: 1, id: 'brought' }), 'brought')
})

t.test('ids of anything else are no record’s', async t => {
  for (const other of [id, randomUUID(), '', 'www', `${id}0`]) t.notOk(parseRecordId(other), other)
})
