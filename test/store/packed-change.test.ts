import t from 'tap'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import { PackedChange } from '../../src/store/packed-change.ts'
import { recordsetRow } from '../helpers/store-rows.ts'

t.test('a packed change is that of a new row', async t => {
  const row = recordsetRow({ name: 'Www.example.com.', ttlSeconds: 60 })
  const changes = [...recordsetsOf(packRun([row]))].map(
    record => new PackedChange(undefined, record),
  )
  t.strictSame(
    changes.map(({ collection, id, before, after }) => ({ collection, id, before, after })),
    [{ collection: 'recordsets', id: row.id, before: undefined, after: row }],
  )
})
