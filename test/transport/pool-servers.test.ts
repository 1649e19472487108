import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { rcodeOfMessage } from '../../src/dns/message.ts'
import { formatHostPort } from '../../src/host-port.ts'
import { callerOf, openDns, primary, type TestDns } from '../helpers/dns.ts'
import { freePort } from '../helpers/free-port.ts'
import { queryUdp } from '../helpers/query.ts'
import { refusal } from '../helpers/refusal.ts'
import { TcpClient } from '../helpers/tcp-client.ts'
import { until } from '../helpers/until.ts'

const admin = callerOf('one', 'admin')

function poolNamed(name: string, attributes: Record<string, string> = {}) {
  const nsRecords = [{ hostname: 'ns1.example.net.', priority: 1 }]
  return { name, description: null, projectId: null, provisioner: null, attributes, nsRecords }
}

/** The response code for a zone's SOA where a pool listens. */
async function askedAt(dns: TestDns, poolId: string, name: string): Promise<number> {
  const [address] = dns.servers.addressesOf(poolId)
  if (address === undefined) throw new Error('the pool has no listeners')
  return rcodeOfMessage(await queryUdp(address, { name, type: types.SOA }))
}

async function openFor(t: Tap) {
  const dns = await openDns()
  t.teardown(() => dns.servers.close())
  return dns
}

type Tap = { teardown(step: () => Promise<void>): void }

t.test('a pool’s own listeners answer its zones and no others, over UDP and TCP', async t => {
  const dns = await openFor(t)
  const pool = await dns.pools.create(poolNamed('own', { listen: '127.0.0.1:0, [::1]:0' }))
  await dns.zones.create(admin, primary('default.example.'))
  const zone = await dns.zones.create(
    admin,
    primary('own.example.', { attributes: { pool_id: pool.id } }),
  )
  t.equal(await askedAt(dns, pool.id, 'own.example.'), 0)
  t.equal(await askedAt(dns, pool.id, 'default.example.'), 5, 'REFUSED')
  t.equal(dns.served.size, 1, 'the default listeners have the other zone alone')
  t.match(dns.zones.stateOf(zone), { status: 'ACTIVE' })
  t.same(
    dns.servers.addressesOf(pool.id).map(({ host }) => host),
    ['127.0.0.1', '::1'],
  )
  for (const address of dns.servers.addressesOf(pool.id)) {
    const client = await TcpClient.connect(address)
    client.socket.destroy()
  }
})

t.test('the same name can be in two pools that do not listen together', async t => {
  const dns = await openFor(t)
  const own = await dns.pools.create(poolNamed('own', { listen: '127.0.0.1:0' }))
  const beside = await dns.pools.create(poolNamed('beside'))
  const zoneIn = (poolId: string) =>
    dns.zones.create(admin, primary('twice.example.', { attributes: { pool_id: poolId } }))
  const zone = await zoneIn(own.id)
  const other = await zoneIn(beside.id)
  await t.rejects(dns.zones.create(admin, primary('twice.example.')), refusal('duplicate_zone'))
  await t.rejects(
    dns.pools.update(own.id, { attributes: {} }),
    refusal('invalid_operation'),
    'there would be two of that name',
  )
  await t.rejects(dns.zones.movePool(admin, other.id, own.id), refusal('duplicate_zone'))
  await dns.zones.delete(admin, other.id)
  t.equal(await askedAt(dns, own.id, 'twice.example.'), 0)
  await dns.pools.update(own.id, { attributes: {} })
  t.match(dns.zones.stateOf(zone), { status: 'ACTIVE' })
  t.equal(dns.served.size, 1)
})

t.test('listeners come and go with the attribute, and the zones with them', async t => {
  const dns = await openFor(t)
  const pool = await dns.pools.create(poolNamed('moving'))
  for (const name of ['a.moving.example.', 'b.moving.example.']) {
    await dns.zones.create(admin, primary(name, { attributes: { pool_id: pool.id } }))
  }
  t.equal(dns.served.size, 2)
  await dns.pools.update(pool.id, { attributes: { listen: '127.0.0.1:0' } })
  t.equal(dns.served.size, 0)
  t.equal(await askedAt(dns, pool.id, 'b.moving.example.'), 0)
  const before = dns.servers.addressesOf(pool.id)
  await dns.pools.update(pool.id, { attributes: { listen: '127.0.0.1:0,[::1]:0' } })
  t.same(dns.servers.addressesOf(pool.id)[0], before[0], 'what stays is not opened anew')
  await dns.pools.update(pool.id, { attributes: { listen: '[::1]:0' } })
  t.same(
    dns.servers.addressesOf(pool.id).map(({ host }) => host),
    ['::1'],
  )
  await dns.pools.update(pool.id, { attributes: {} })
  t.same(dns.servers.addressesOf(pool.id), [])
  t.equal(dns.served.size, 2)
  await dns.pools.update(pool.id, { attributes: { listen: '127.0.0.1:0' } })
  t.equal(await askedAt(dns, pool.id, 'a.moving.example.'), 0)
})

t.test('an address that cannot be had is refused with the cause, and nothing changes', async t => {
  const dns = await openFor(t)
  const first = await dns.pools.create(poolNamed('first', { listen: '127.0.0.1:0' }))
  const [taken] = dns.servers.addressesOf(first.id)
  if (taken === undefined) throw new Error('no listener')
  const attributes = { listen: `[::1]:0, ${formatHostPort(taken)}` }
  const refused = dns.pools.create(poolNamed('second', attributes))
  await t.rejects(refused, {
    ...refusal('bad_request'),
    message: /another program has the port.*attributes\.listen/,
  })
  t.equal(dns.pools.list(everyPool).totalCount, 2, 'the default pool and the first')
  await t.rejects(
    dns.pools.update(first.id, { attributes: { listen: '192.0.2.1:53' } }),
    refusal('bad_request'),
  )
  t.same(dns.servers.addressesOf(first.id), [taken])
  const third = await dns.pools.create(poolNamed('third'))
  await t.rejects(
    dns.pools.update(third.id, { name: 'first', attributes: { listen: '127.0.0.1:0' } }),
    refusal('duplicate_pool'),
  )
  t.same(dns.servers.addressesOf(third.id), [], 'what was opened for it is closed')
})

t.test('a pool that goes leaves its port', async t => {
  const dns = await openFor(t)
  const free = formatHostPort({ host: '127.0.0.1', port: await freePort() })
  const pool = await dns.pools.create(poolNamed('short', { listen: free }))
  const [address] = dns.servers.addressesOf(pool.id)
  if (address === undefined) throw new Error('no listener')
  await dns.pools.delete(pool.id)
  const listen = formatHostPort(address)
  const next = await dns.pools.create(poolNamed('next', { listen }))
  t.same(dns.servers.addressesOf(next.id), [address])
})

t.test('at start pools listen again, and what cannot says so in its zones', async t => {
  const dns = await openFor(t)
  const pool = await dns.pools.create(poolNamed('kept', { listen: '127.0.0.1:0' }))
  const [address] = dns.servers.addressesOf(pool.id)
  if (address === undefined) throw new Error('no listener')
  await dns.pools.update(pool.id, { attributes: { listen: formatHostPort(address) } })
  const { id } = await dns.zones.create(
    admin,
    primary('kept.example.', { attributes: { pool_id: pool.id } }),
  )
  const restarted = await openDns({ store: dns.store })
  t.teardown(() => restarted.servers.close())
  const zone = restarted.zones.get(admin, id)
  await restarted.servers.open()
  t.match(restarted.zones.stateOf(zone), {
    status: 'ERROR',
    reason: /another program has the port/,
  })
  await dns.servers.close()
  await restarted.servers.open()
  t.match(restarted.zones.stateOf(zone), { status: 'ACTIVE' })
  t.equal(await askedAt(restarted, pool.id, 'kept.example.'), 0)
})

const everyPool = {
  limit: 100,
  marker: undefined,
  isDescending: false,
  sortBy: undefined,
  matches: undefined,
}

t.test('what another node stores of a pool is followed', async t => {
  const dns = await openFor(t)
  const pool = await dns.pools.create(poolNamed('followed'))
  await dns.zones.create(admin, primary('followed.example.', { attributes: { pool_id: pool.id } }))
  t.equal(dns.served.size, 1)
  dns.servers.follow(pool.id, [{ host: '127.0.0.1', port: 0 }])
  t.not(dns.servers.zonesOf(pool.id), dns.served, 'what is published from now on has its place')
  await until(() => dns.servers.addressesOf(pool.id).length === 1)
  const [opened] = dns.servers.addressesOf(pool.id)
  if (opened === undefined) throw new Error('no listener')
  t.equal(await askedAt(dns, pool.id, 'followed.example.'), 0)
  t.equal(dns.served.size, 0)
  dns.servers.follow(pool.id, [{ host: '127.0.0.1', port: 0 }])
  t.same(dns.servers.addressesOf(pool.id), [opened], 'what it has stays')
  for (const addresses of [[], undefined]) {
    dns.servers.follow(pool.id, addresses)
    await dns.servers.remove(pool.id)
    t.same(dns.servers.addressesOf(pool.id), [])
    await t.rejects(TcpClient.connect(opened), { code: 'ECONNREFUSED' })
    t.equal(dns.served.size, 1)
  }
})
