import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { changedNsRecords } from '../../src/service/ns-records.ts'
import { ensureDefaultPool } from '../../src/service/pools.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'

t.test('the default pool is made at the first start and then left alone', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await ensureDefaultPool(store)
  const pool = store.get('pools', defaultPoolId)
  if (pool === undefined) throw new Error('there is no default pool')
  await store.commit(tx => {
    const servers = [{ hostname: 'ns1.example.com.', priority: 1 }]
    tx.put('pools', { ...pool, nsRecords: changedNsRecords(tx, pool.nsRecords, servers) })
  })
  const changed = store.get('pools', defaultPoolId)
  t.match(changed, { nsRecords: [{ hostname: 'ns1.example.com.' }] })
  await ensureDefaultPool(store)
  t.equal(store.get('pools', defaultPoolId), changed)
})
