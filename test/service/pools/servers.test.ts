import t from 'tap'
import { maxNsRecords } from '../../../src/model/limits.ts'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { ensureDefaultPool } from '../../../src/service/pools/pools.ts'
import { Servers } from '../../../src/service/pools/servers.ts'
import { callerOf, openDns, primary, type TestDns } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')
const fromTheStart = 'ns1.zonewright.example.'

async function open() {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  return { dns, zone, servers: new Servers(dns.pools) }
}

/** The apex NS of a zone as they are stored. */
function apexNs({ store }: TestDns, zoneId: string): readonly string[] {
  const rows = [...store.list('recordsets', 'byZone', zoneId)]
  return rows.find(({ type, isManaged }) => type === 'NS' && isManaged)?.records ?? []
}

t.test('a new server is an apex NS of every zone, behind those with less priority', async t => {
  const { dns, zone, servers } = await open()
  const server = await servers.create('a.ns.example.')
  t.match(server, { hostname: 'a.ns.example.', priority: 10, updatedAt: null })
  t.same(servers.get(server.id), server)
  t.same(
    servers.list().map(({ hostname }) => hostname),
    [fromTheStart, 'a.ns.example.'],
  )
  t.same(apexNs(dns, zone.id), [fromTheStart, 'a.ns.example.'])
})

t.test('a renamed server keeps its id, its priority and its place in the list', async t => {
  const { dns, zone, servers } = await open()
  const [first] = servers.list()
  await servers.create('b.ns.example.')
  const renamed = await servers.rename(first?.id ?? '', 'c.ns.example.')
  t.match(renamed, { id: first?.id, priority: first?.priority, createdAt: first?.createdAt })
  t.ok((renamed.updatedAt ?? 0) > renamed.createdAt)
  t.same(
    servers.list().map(({ hostname }) => hostname),
    ['c.ns.example.', 'b.ns.example.'],
  )
  t.same(apexNs(dns, zone.id), ['c.ns.example.', 'b.ns.example.'])
  const asItIs = await servers.rename(renamed.id, 'c.ns.example.')
  t.same(asItIs, renamed)
})

t.test('a name taken in any case is refused, one’s own in another case is not', async t => {
  const { servers } = await open()
  const server = await servers.create('a.ns.example.')
  const taken = refusal('duplicate_server')
  await t.rejects(servers.create('A.NS.example.'), taken)
  await t.rejects(servers.rename(server.id, fromTheStart.toUpperCase()), taken)
  t.match(await servers.rename(server.id, 'A.ns.example.'), { id: server.id })
})

t.test('of two who want one name at a time one is refused', async t => {
  const { servers } = await open()
  const both = await Promise.allSettled([
    servers.create('a.ns.example.'),
    servers.create('a.ns.example.'),
  ])
  t.same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  t.equal(servers.list().length, 2)
})

t.test('the last server stays', async t => {
  const { dns, zone, servers } = await open()
  const server = await servers.create('a.ns.example.')
  const [first] = servers.list()
  await servers.delete(first?.id ?? '')
  t.same(apexNs(dns, zone.id), ['a.ns.example.'])
  await t.rejects(servers.delete(server.id), refusal('last_server_delete_not_allowed'))
  t.same(
    servers.list().map(({ id }) => id),
    [server.id],
  )
})

t.test('a server that there is not, or not any more, is not found', async t => {
  const { servers } = await open()
  const { id } = await servers.create('a.ns.example.')
  await servers.delete(id)
  const missing = refusal('server_not_found')
  t.throws(() => servers.get(id), missing)
  await t.rejects(servers.rename(id, 'b.ns.example.'), missing)
  await t.rejects(servers.delete(id), missing)
})

t.test('a name that is no host’s changes nothing', async t => {
  const { dns, servers } = await open()
  const before = dns.store.get('pools', defaultPoolId)
  const [first] = servers.list()
  for (const name of ['ns1.example', '', '.', 'a b.example.', '-a.example.']) {
    await t.rejects(servers.create(name), refusal('invalid_object'), name)
    await t.rejects(servers.rename(first?.id ?? '', name), refusal('invalid_object'), name)
  }
  t.equal(dns.store.get('pools', defaultPoolId), before)
})

t.test('there are as many servers as one message of NS holds, and no more', async t => {
  const { servers } = await open()
  for (let i = 1; i < maxNsRecords; i += 1) await servers.create(`ns${i}.many.example.`)
  await t.rejects(servers.create('one-more.example.'), refusal('invalid_operation'))
})

t.test('a server keeps its id when the pool’s list is replaced by one that has it', async t => {
  const { dns, servers } = await open()
  const kept = await servers.create('a.ns.example.')
  const nsRecords = [
    { hostname: 'z.ns.example.', priority: 1 },
    { hostname: 'A.ns.example.', priority: 2 },
  ]
  await dns.pools.update(defaultPoolId, { nsRecords })
  t.match(servers.get(kept.id), { hostname: 'A.ns.example.', priority: 2 })
  t.not(servers.get(kept.id).updatedAt, null)
  t.equal(servers.list().length, 2)
})

t.test('servers stored before they had ids get one at the next start, once', async t => {
  const { dns, servers } = await open()
  const { store } = dns
  await store.commit(tx => {
    const pool = tx.get('pools', defaultPoolId)
    if (pool === undefined) throw new Error('there is no default pool')
    const plain = pool.nsRecords.map(({ hostname, priority }) => ({ hostname, priority }))
    tx.put('pools', { ...pool, nsRecords: plain as never })
  })
  await ensureDefaultPool(store)
  const [server] = servers.list()
  t.match(server, { hostname: fromTheStart, priority: 1, id: /^[0-9a-f-]{36}$/ })
  const upgraded = store.get('pools', defaultPoolId)
  await ensureDefaultPool(store)
  t.equal(store.get('pools', defaultPoolId), upgraded)
})
