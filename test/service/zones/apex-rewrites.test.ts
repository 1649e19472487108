import t from 'tap'
import { changedNsRecords } from '../../../src/service/pools/ns-records.ts'
import { ApexRewrites } from '../../../src/service/zones/apex-rewrites.ts'
import { callerOf, openDns, primary, secondary, type TestDns } from '../../helpers/dns.ts'

const admin = callerOf('one', 'admin')
const servers = (...hostnames: string[]) =>
  hostnames.map((hostname, i) => ({ hostname, priority: i + 1 }))

async function openPool(zoneCount: number) {
  const dns = await openDns()
  const { pools, quotas, store, zones } = dns
  const pool = await pools.create({
    name: 'many',
    description: null,
    projectId: null,
    provisioner: null,
    attributes: {},
    nsRecords: servers('old.ns.example.'),
  })
  const attributes = { pool_id: pool.id }
  await quotas.set('one', { zones: -1 })
  for (let i = 0; i < zoneCount; i += 1) {
    await zones.create(admin, primary(`z${i}.many.example.`, { attributes }))
  }
  await zones.create(admin, secondary('copy.many.example.', { attributes }))
  const other = await zones.create(admin, primary('elsewhere.example.'))
  const ids = [...store.list('zones', 'byPool', pool.id)].map(({ id }) => id)
  return { ...dns, pool, other, ids }
}

function apexOf({ store }: TestDns, zoneId: string, type: string): readonly string[] {
  const rows = [...store.list('recordsets', 'byZone', zoneId)]
  return rows.find(row => row.type === type)?.records ?? []
}

t.test('every PRIMARY zone of the pool gets the name servers, with a new serial', async t => {
  const dns = await openPool(130)
  const { pools, pool, store, rewrites, ids, other } = dns
  const before = ids.map(id => store.get('zones', id)?.serial ?? 0)
  await pools.update(pool.id, { nsRecords: servers('a.ns.example.', 'b.ns.example.') })
  await rewrites.finishAll()
  for (const [i, id] of ids.entries()) {
    const zone = store.get('zones', id)
    if (zone?.type !== 'PRIMARY') continue
    t.same(apexOf(dns, id, 'NS'), ['a.ns.example.', 'b.ns.example.'])
    t.match(apexOf(dns, id, 'SOA')[0], new RegExp(`^a\\.ns\\.example\\. .* ${zone.serial} `))
    t.equal(zone.serial, (before[i] ?? 0) + 1)
  }
  t.not(apexOf(dns, other.id, 'NS')[0], 'a.ns.example.', 'not the zones of other pools')
  t.equal(store.get('pools', pool.id)?.isRewritePending, undefined)
})

t.test('what a crash cut short is finished at the next start, and nothing twice', async t => {
  const dns = await openPool(60)
  const { store, pool, ids } = dns
  await store.commit(tx => {
    const nsRecords = changedNsRecords(tx, pool.nsRecords, servers('new.ns.example.'))
    tx.put('pools', { ...pool, nsRecords, isRewritePending: true })
  })
  const versions = () => ids.map(id => store.get('zones', id)?.version)
  const restarted = new ApexRewrites(store)
  await restarted.finishAll()
  for (const id of ids) {
    if (store.get('zones', id)?.type === 'PRIMARY')
      t.same(apexOf(dns, id, 'NS'), ['new.ns.example.'])
  }
  const written = versions()
  await store.commit(tx => {
    const row = tx.get('pools', pool.id)
    if (row !== undefined) tx.put('pools', { ...row, isRewritePending: true })
  })
  await restarted.finishAll()
  t.same(versions(), written)
})

t.test('name servers that change during a rewrite win', async t => {
  const dns = await openPool(120)
  const { pools, pool, rewrites, ids, store } = dns
  const first = pools.update(pool.id, { nsRecords: servers('first.ns.example.') })
  const second = pools.update(pool.id, { nsRecords: servers('second.ns.example.') })
  await Promise.all([first, second])
  await rewrites.finishAll()
  for (const id of ids) {
    if (store.get('zones', id)?.type === 'PRIMARY')
      t.same(apexOf(dns, id, 'NS'), ['second.ns.example.'])
  }
  t.equal(store.get('pools', pool.id)?.isRewritePending, undefined)
})
