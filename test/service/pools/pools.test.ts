import t from 'tap'
import {
  defaultPoolId,
  hasPlaceholder,
  nsRecordsInOrder,
  type Pool,
} from '../../../src/model/pool.ts'
import { changedNsRecords } from '../../../src/service/pools/ns-records.ts'
import { ensureDefaultPool } from '../../../src/service/pools/pools.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { callerOf, everyRow, openDns, primary } from '../../helpers/dns.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { refusal } from '../../helpers/refusal.ts'

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

const hostnamesOf = ({ nsRecords }: Pick<Pool, 'nsRecords'>) =>
  nsRecordsInOrder({ nsRecords }).map(({ hostname }) => hostname)

t.test('name servers of the settings are applied once for each value', async t => {
  const { pools, zones, recordsets } = await openDns()
  const zone = await zones.create(callerOf('one'), primary('example.com.'))
  t.ok(hasPlaceholder(await pools.configure([])))
  const names = ['ns2.example.net.', 'ns1.example.net.']
  const pool = await pools.configure(names)
  t.same(hostnamesOf(pool), names, 'in their order')
  t.notOk(hasPlaceholder(pool))
  const { rows } = await recordsets.list(zone, everyRow)
  t.same(rows.find(({ type }) => type === 'NS')?.records, names, 'in the zones there are, too')

  const stored = pools.get(defaultPoolId)
  t.equal(await pools.configure(names), stored, 'the same again is no change')
  const edited = [{ hostname: 'ns9.example.net.', priority: 1 }]
  await pools.update(defaultPoolId, { nsRecords: edited })
  t.same(hostnamesOf(await pools.configure(names)), ['ns9.example.net.'], 'what was edited stays')
  t.same(hostnamesOf(await pools.configure([])), ['ns9.example.net.'])
  t.same(hostnamesOf(await pools.configure(['ns3.example.net.'])), ['ns3.example.net.'])
})

t.test('a pool of an earlier version can be changed, whatever its attributes are', async t => {
  const { pools, store } = await openDns()
  const attributes = { also_notify: '-', check: '192.0.2.1' }
  const stored = pools.get(defaultPoolId)
  await store.commit(tx => tx.put('pools', { ...stored, attributes }))
  const names = ['ns1.example.net.']
  t.same(hostnamesOf(await pools.configure(names)), names)
  const back = { description: 'sent back as a whole', attributes }
  t.match(await pools.update(defaultPoolId, back), { attributes })
  const broken = { attributes: { ...attributes, check: '-' } }
  await t.rejects(pools.update(defaultPoolId, broken), refusal('invalid_object'))
})
