import t, { type Test } from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import { defaultRefreshBounds } from '../../../src/model/refresh.ts'
import { newTransferState, type Zone } from '../../../src/model/zone.ts'
import { markExpired } from '../../../src/service/secondaries/secondary-rows.ts'
import { everything } from '../../../src/store/indexes.ts'
import {
  addresses,
  callerOf,
  everyRow,
  openDns,
  piecesOf,
  primary,
  secondary,
} from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')
const two = callerOf('two')
const admin = { ...callerOf('admin', 'admin'), hasAllProjects: true }
const name = 'example.com.'
const www = parseName('www.example.com.')
const typeA = 1

async function openAbandoned() {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary(name))
  await dns.recordsets.create(one, zone.id, addresses('www.example.com.', '192.0.2.7'))
  await dns.zones.abandon(admin, zone.id)
  return { ...dns, zone }
}

type Dns = Awaited<ReturnType<typeof openDns>>

/** The address that is answered for www; none where nothing is. */
function servedAddress({ served }: Pick<Dns, 'served'>): string | undefined {
  const rrset = served.get(parseName(name))?.findRrset(www, typeA)
  return rrset && [...(rrset.rdatas[0] ?? [])].join('.')
}

async function requireSound(test: Test, dns: Dns, abandonedCount: number): Promise<void> {
  test.match(await dns.consistency.check(), { findings: [], abandonedCount })
}

t.test('an abandoned zone is nobody’s and goes on being answered', async t => {
  const dns = await openAbandoned()
  const { zone, zones, recordsets, store, reports } = dns
  for (const caller of [one, admin]) {
    t.throws(() => zones.get(caller, zone.id), refusal('zone_not_found'))
    t.equal((await zones.list(caller, everyRow)).totalCount, 0)
    t.equal((await zones.list(caller, { ...everyRow, name })).totalCount, 0)
    t.equal((await recordsets.listAll(caller, everyRow)).totalCount, 0)
    const marked = { ...everyRow, marker: zone.id }
    await t.rejects(zones.list(caller, marked), refusal('marker_not_found'))
    await t.rejects(zones.delete(caller, zone.id), refusal('zone_not_found'))
    await t.rejects(zones.abandon(caller, zone.id), refusal('zone_not_found'))
  }
  const [row] = store.list('recordsets', 'byZone', zone.id)
  t.throws(() => recordsets.find(admin, row?.id ?? ''), refusal('recordset_not_found'))
  t.equal(reports.count('zones'), 0)
  t.equal(reports.count('records'), 0)
  t.equal(reports.count('tenants'), 0)
  t.equal(servedAddress(dns), '192.0.2.7')
  await requireSound(t, dns, 1)
})

t.test('its project has room for another zone', async t => {
  const dns = await openDns()
  await dns.quotas.set('one', { zones: 1 })
  const zone = await dns.zones.create(one, primary(name))
  await t.rejects(dns.zones.create(one, primary('other.example.')), refusal('over_quota'))
  await dns.zones.abandon(admin, zone.id)
  t.ok(await dns.zones.create(one, primary('other.example.')))
})

t.test('a start answers it again', async t => {
  const { store } = await openAbandoned()
  const again = await openDns({ store })
  t.equal(servedAddress(again), '192.0.2.7')
  await requireSound(t, again, 1)
})

t.test('a zone of its name takes its place, whoever makes it', async t => {
  const dns = await openAbandoned()
  const zone = await dns.zones.create(two, primary('Example.COM.'))
  t.equal(servedAddress(dns), undefined)
  t.equal(dns.served.get(parseName(name))?.serial, zone.serial)
  t.equal(dns.zones.stateOf(zone).status, 'ACTIVE')
  t.equal((await dns.abandonedZones.list(everyRow)).totalCount, 0)
  await dns.removal.finishAll()
  t.equal(dns.store.get('zones', dns.zone.id), undefined)
  t.equal(dns.store.count('recordsets', 'byZone', dns.zone.id), 0)
  t.equal(dns.served.get(parseName(name))?.serial, zone.serial)
  await requireSound(t, dns, 0)
  const again = await openDns({ store: dns.store })
  t.equal(servedAddress(again), undefined)
})

t.test('an import and a zone that is moved take its place as well', async t => {
  const dns = await openAbandoned()
  const text = `$ORIGIN ${name}\n@ 60 SOA ns1 host 1 2 3 4 5\n@ 60 NS ns1\nwww 60 A 192.0.2.8\n`
  await dns.zoneImports.create(two, { pieces: piecesOf(text), attributes: {} })
  await dns.zoneImports.settled()
  t.equal(servedAddress(dns), '192.0.2.8')

  const pool = await dns.pools.create({
    name: 'own',
    projectId: null,
    description: null,
    provisioner: null,
    attributes: { listen: '127.0.0.1:0' },
    nsRecords: [{ hostname: 'ns1.example.org.', priority: 1 }],
  })
  t.teardown(() => dns.servers.close())
  const [zone] = (await dns.zones.list(admin, everyRow)).rows
  await dns.zones.abandon(admin, zone?.id ?? '')
  const elsewhere = { attributes: { pool_id: pool.id } }
  const moving = await dns.zones.create(callerOf('two', 'admin'), primary(name, elsewhere))
  t.equal(servedAddress(dns), '192.0.2.8', 'a pool with listeners of its own has other targets')
  await dns.zones.movePool(admin, moving.id, dns.store.get('zones', zone?.id ?? '')?.poolId)
  t.equal(servedAddress(dns), undefined)
  await dns.removal.finishAll()
  await requireSound(t, dns, 0)
})

t.test('zones above and below it are anybody’s', async t => {
  const dns = await openAbandoned()
  await dns.zones.create(two, primary('sub.example.com.'))
  t.equal(servedAddress(dns), '192.0.2.7')
  await requireSound(t, dns, 1)
})

t.test('a zone with sub-zones is not abandoned', async t => {
  const { zones } = await openDns()
  const { id } = await zones.create(one, primary(name))
  await zones.create(one, primary('sub.example.com.'))
  await t.rejects(zones.abandon(admin, id), refusal('zone_has_sub_zone'))
})

t.test('an administrator lists and withdraws it', async t => {
  const dns = await openAbandoned()
  const { abandonedZones, zone } = dns
  const { rows, totalCount } = await abandonedZones.list(everyRow)
  t.match([rows, totalCount], [[{ id: zone.id, name }], 1])
  t.equal(abandonedZones.recordCountOf(zone), 3)
  const live = await dns.zones.create(one, primary('live.example.'))
  await t.rejects(abandonedZones.withdraw(live.id), refusal('zone_not_found'))
  await abandonedZones.withdraw(zone.id)
  t.equal(servedAddress(dns), undefined)
  await t.rejects(abandonedZones.withdraw(zone.id), refusal('zone_not_found'))
  await dns.removal.finishAll()
  t.equal(dns.store.get('zones', zone.id), undefined)
  await requireSound(t, dns, 0)
})

t.test('external targets are neither told nor asked', async t => {
  const told: string[] = []
  const externalTargetClient = {
    probe: async () => ({ kind: 'failed', reason: 'no answer' }) as const,
    notify: async () => {
      told.push('told')
      return undefined
    },
  }
  const dns = await openDns({ externalTargetClient })
  const [pool] = dns.store.list('pools', 'all', everything)
  await dns.pools.update(pool?.id ?? '', { attributes: { also_notify: '192.0.2.99' } })
  const zone = await dns.zones.create(one, primary(name))
  await dns.externalTargets.idle()
  told.length = 0
  await dns.zones.abandon(admin, zone.id)
  dns.externalTargets.recheck()
  await dns.abandonedZones.withdraw(zone.id)
  await dns.externalTargets.idle()
  t.same(told, [])
})

/** As after a transfer. */
async function putCopied(dns: Dns, changes: Partial<Zone> = {}): Promise<Zone> {
  const zone = await dns.zones.create(one, secondary(name))
  const soaTimers = {
    refreshSeconds: 60,
    retrySeconds: 60,
    expireSeconds: 300,
    minimumSeconds: 60,
  }
  const refreshedAt = zone.createdAt
  const transfer = { ...newTransferState(zone.createdAt), refreshedAt }
  const copied = { ...zone, serial: 7, soaTimers, transfer, transferredAt: refreshedAt, ...changes }
  await dns.store.commit(tx => {
    const row = { zoneId: zone.id, ttlSeconds: 60, description: null, isManaged: false, version: 1 }
    const stamp = { createdAt: tx.atMicros, updatedAt: null, name }
    const soa = 'ns1.example.com. host.example.com. 7 60 60 300 60'
    tx.put('recordsets', { ...row, ...stamp, id: 'soa', type: 'SOA', records: [soa] })
    tx.put('zones', copied)
  })
  return copied
}

t.test('a SECONDARY neither refreshes nor expires any more', async t => {
  const dns = await openDns()
  const { id } = await putCopied(dns)
  await dns.zones.abandon(admin, id)
  t.equal(dns.store.count('zones', 'secondaries', everything), 0)
  dns.clock.advanceMillis(3_600_000)
  t.same(await markExpired(dns.store, [id], defaultRefreshBounds), [])
  t.match(dns.served.get(parseName(name)), { serial: 7, isExpired: false })
  await requireSound(t, dns, 1)
})

t.test(
  'a zone whose content is being written is not abandoned; one without any is gone',
  async t => {
    const dns = await openDns()
    const transfer = { ...newTransferState(0), isReplacing: true }
    const { id } = await putCopied(dns, { transfer })
    await t.rejects(dns.zones.abandon(admin, id), refusal('bad_request'))
    await dns.zones.delete(admin, id)
    const empty = await dns.zones.create(one, secondary('empty.example.'))
    await dns.zones.abandon(admin, empty.id)
    t.equal(dns.store.get('zones', empty.id), undefined)
  },
)

t.test('a pool answers its abandoned zones wherever it listens, and is not deleted', async t => {
  const dns = await openDns()
  t.teardown(() => dns.servers.close())
  const nsRecords = [{ hostname: 'ns1.example.org.', priority: 1 }]
  const fields = { projectId: null, description: null, provisioner: null, nsRecords }
  const pool = await dns.pools.create({ name: 'other', attributes: {}, ...fields })
  const inPool = primary(name, { attributes: { pool_id: pool.id } })
  const zone = await dns.zones.create(callerOf('one', 'admin'), inPool)
  await dns.zones.abandon(admin, zone.id)
  await t.rejects(dns.pools.delete(pool.id), refusal('invalid_operation'))
  await dns.pools.update(pool.id, { attributes: { listen: '127.0.0.1:0' } })
  t.ok(dns.servers.zonesOf(pool.id).get(parseName(name)))
  t.equal(dns.served.get(parseName(name)), undefined)
  await requireSound(t, dns, 1)
  await dns.zones.create(two, primary(name))
  const joining = dns.pools.update(pool.id, { attributes: {} })
  await t.rejects(joining, refusal('invalid_operation'))
  await dns.abandonedZones.withdraw(zone.id)
  await dns.pools.update(pool.id, { attributes: {} })
  await dns.removal.finishAll()
  await dns.pools.delete(pool.id)
})
