import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { ensureDefaultPool } from '../../src/service/pools.ts'
import { openMemoryStore } from '../../src/store/memory-store.ts'
import { fakeClock } from '../helpers/clock.ts'

t.test('the default pool is made at the first start and then left alone', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await ensureDefaultPool(store)
  const pool = store.get('pools', defaultPoolId)
  if (pool === undefined) throw new Error('there is no default pool')
  const changed = { ...pool, nsRecords: [{ hostname: 'ns1.example.com.', priority: 1 }] }
  await store.commit(tx => tx.put('pools', changed))
  await ensureDefaultPool(store)
  t.same(store.get('pools', defaultPoolId), changed)
})
