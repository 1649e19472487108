import t from 'tap'
import { newStamp, updatedRow } from '../../src/model/stamped.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'

t.test('a row that is changed counts its versions, one that is not stays itself', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const role = await store.commit(tx => {
    const row = { ...newStamp(tx), name: 'a', description: '' }
    tx.put('roles', row)
    return row
  })
  t.match(role, { id: /^[0-9a-f-]{36}$/, version: 1, updatedAt: null })
  await store.commit(tx => {
    t.equal(updatedRow(tx, role, {}), role)
    t.equal(updatedRow(tx, role, { name: 'a', description: undefined }), role)
    const changed = updatedRow(tx, role, { name: 'b', description: undefined })
    t.strictSame(changed, { ...role, name: 'b', version: 2, updatedAt: tx.atMicros })
  })
})
