import t from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import { isNewerSerial } from '../../../src/dns/serial.ts'
import type { ApiError } from '../../../src/errors.ts'
import { defaultNsRecords } from '../../../src/model/pool.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { ZoneRemoval } from '../../../src/service/zones/zone-removal.ts'
import { ZoneShares } from '../../../src/service/zones/zone-shares.ts'
import { Zones } from '../../../src/service/zones/zones.ts'
import { addresses, callerOf, everyRow, openDns, primary, secondary } from '../../helpers/dns.ts'
import { inParallel } from '../../helpers/in-parallel.ts'
import { checkPublished } from '../../helpers/publish-check.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')
const two = callerOf('two')
const admin = { ...callerOf('admin', 'admin'), hasAllProjects: true }

t.test('a new PRIMARY zone has defaults, a serial of now, its SOA and its NS', async t => {
  const { zones, recordsets, clock } = await openDns()
  const zone = await zones.create(one, primary('example.com.'))
  t.match(zone, { projectId: 'one', ttlSeconds: 3600, version: 1, updatedAt: null, masters: [] })
  t.equal(zone.serial, Math.floor(clock.nowMillis() / 1000))
  const { rows } = await recordsets.list(zone, everyRow)
  const byType = Object.fromEntries(rows.map(row => [row.type, row]))
  t.match(byType.SOA, { name: 'example.com.', ttlSeconds: null, isManaged: true })
  t.match(
    byType.SOA?.records[0],
    /^ns1\.zonewright\.example\. ops\.example\.com\. \d+ 3\d\d\d 600 /,
  )
  t.match(byType.NS, { records: defaultNsRecords.map(({ hostname }) => hostname), isManaged: true })
})

t.test(
  'a new SECONDARY zone has nothing yet, and its masters are reported for a transfer',
  async t => {
    const { zones, recordsets, mastersSet } = await openDns()
    const zone = await zones.create(one, secondary('example.com.'))
    t.match(zone, { email: null, ttlSeconds: null, serial: 1, transferredAt: null })
    t.equal(zone.transfer?.nextRefreshAt, zone.createdAt)
    t.same(mastersSet, [zone])
    t.equal((await recordsets.list(zone, everyRow)).totalCount, 0)
    t.equal(zones.stateOf(zone).status, 'PENDING')
  },
)

t.test('a name is taken once, in any case, by whomever', async t => {
  const { zones, store } = await openDns()
  await zones.create(one, primary('example.com.'))
  const before = store.count('zones', 'all', '')
  for (const caller of [one, two]) {
    await t.rejects(zones.create(caller, primary('Example.COM.')), refusal('duplicate_zone'))
  }
  t.equal(store.count('zones', 'all', ''), before)
})

t.test('of 64 parallel creations of a name one succeeds', async t => {
  const dns = await openDns()
  const outcomes = await inParallel(64, Array.from({ length: 64 }), () =>
    dns.zones.create(one, primary('example.com.')).then(
      () => 'created',
      error => error.type,
    ),
  )
  t.equal(outcomes.filter(outcome => outcome === 'created').length, 1)
  t.equal(outcomes.filter(outcome => outcome === 'duplicate_zone').length, 63)
  checkPublished(t, dns)
})

t.test('projects stay out of each other’s name space, at any depth and in any pool', async t => {
  const { zones, store } = await openDns()
  const zone = await zones.create(one, primary('b.example.com.'))
  await store.commit(tx => tx.put('zones', { ...zone, poolId: 'elsewhere' }))
  await t.rejects(zones.create(two, primary('b.example.com.')), refusal('duplicate_zone'))
  await t.rejects(zones.create(two, primary('x.y.b.example.com.')), refusal('illegal_child'))
  await t.rejects(zones.create(two, primary('example.com.')), refusal('illegal_parent'))
  await t.resolves(zones.create(two, primary('xb.example.com.')), 'a sibling is free')
  await t.resolves(zones.create(one, primary('y.b.example.com.')), 'a child of its own')
  await t.resolves(zones.create(one, primary('example.org.')))
})

t.test('of a parent and a child created at once by two projects one succeeds', async t => {
  const { zones } = await openDns()
  const results = await Promise.allSettled([
    zones.create(one, primary('a.example.com.')),
    zones.create(two, primary('example.com.')),
  ])
  t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

t.test('another pool than the default is chosen by an administrator only', async t => {
  const { zones, store } = await openDns()
  const pool = store.get('pools', '794ccc2c-d751-44fe-b57f-8894c9f5c842')
  if (pool === undefined) throw new Error('the default pool is missing')
  await store.commit(tx => tx.put('pools', { ...pool, id: 'pool-2', name: 'second' }))
  const draft = primary('example.com.', { attributes: { pool_id: 'pool-2' } })
  await t.rejects(zones.create(one, draft), refusal('forbidden'))
  t.equal((await zones.create(admin, draft)).poolId, 'pool-2')
  const nowhere = primary('example.org.', { attributes: { pool_id: 'pool-3' } })
  await t.rejects(zones.create(admin, nowhere), refusal('no_valid_pool_found'))
})

t.test('a pool without name servers takes no zone', async t => {
  const { zones, store } = await openDns()
  const pool = store.get('pools', '794ccc2c-d751-44fe-b57f-8894c9f5c842')
  if (pool === undefined) throw new Error('the default pool is missing')
  await store.commit(tx => tx.put('pools', { ...pool, nsRecords: [] }))
  await t.rejects(zones.create(one, primary('example.com.')), refusal('no_servers_configured'))
  t.equal(store.count('zones', 'all', ''), 0)
})

t.test('each change advances version and serial, even within one second', async t => {
  const { zones, clock } = await openDns()
  let zone = await zones.create(one, primary('example.com.'))
  for (const wait of [0, 0, 5_000, -60_000]) {
    clock.advanceMillis(wait)
    const before = zone
    zone = await zones.update(one, zone.id, { description: `${wait}` })
    t.ok(isNewerSerial(zone.serial, before.serial))
    t.equal(zone.version, before.version + 1)
    t.ok((zone.updatedAt ?? 0) > (before.updatedAt ?? before.createdAt))
  }
})

t.test('the SOA carries each new serial and address', async t => {
  const { zones, recordsets } = await openDns()
  const { id } = await zones.create(one, primary('example.com.'))
  const zone = await zones.update(one, id, { email: 'first.last@example.org' })
  const { rows } = await recordsets.list(zone, everyRow)
  const soa = rows.find(({ type }) => type === 'SOA')
  t.match(soa?.records[0], `first\\.last.example.org. ${zone.serial} `)
  t.equal(soa?.version, 2)
})

t.test('what a change leaves out stays, and null takes away', async t => {
  const { zones } = await openDns()
  const { id } = await zones.create(one, primary('example.com.', { description: 'text' }))
  t.match(await zones.update(one, id, { ttlSeconds: 60 }), { description: 'text', ttlSeconds: 60 })
  t.match(await zones.update(one, id, { description: null }), { description: null, ttlSeconds: 60 })
  t.equal((await zones.update(one, id, { ttlSeconds: null })).ttlSeconds, 3600)
})

t.test('a refused change leaves nothing behind', async t => {
  const { zones, store } = await openDns()
  const zone = await zones.create(one, primary('example.com.'))
  const patches = [{ email: null }, { email: 'x' }, { masters: ['192.0.2.1'] }, { name: 'a.b.' }]
  for (const patch of patches) {
    await t.rejects(zones.update(one, zone.id, patch), refusal('invalid_object'))
    t.equal(store.get('zones', zone.id), zone)
  }
})

t.test('a project has no masters that are not out in the open, an administrator any', async t => {
  const { zones } = await openDns()
  const hosts = [
    '127.0.0.1',
    '[::1]',
    '[::ffff:7f00:1]:5300',
    'localhost',
    '10.0.0.1',
    '203.0.113.53',
  ]
  const reasons = new Set<string>()
  for (const master of hosts) {
    const draft = { ...secondary('copy.example.'), masters: ['192.0.2.1', master] }
    const refused = zones.create(one, draft).catch((error: unknown) => error as ApiError)
    t.match(await refused, { type: 'invalid_object', fieldErrors: [{ path: ['masters', 1] }] })
    const { fieldErrors } = (await refused) as ApiError
    reasons.add(String(fieldErrors[0]?.message.replace(master, 'x')))
  }
  t.equal(reasons.size, 1, 'one reason for all')
  const zone = await zones.create(one, secondary('copy.example.'))
  t.notOk(zone.hasTrustedMasters)
  const masters = ['127.0.0.1']
  await t.rejects(zones.update(one, zone.id, { masters }), refusal('invalid_object'))
  const operator = { ...admin, projectId: 'one' }
  t.ok((await zones.update(operator, zone.id, { masters })).hasTrustedMasters)
  t.ok((await zones.update(one, zone.id, { masters })).hasTrustedMasters, 'sent back as they are')
  const own = await zones.update(one, zone.id, { masters: ['192.0.2.2'] })
  t.notOk(own.hasTrustedMasters)
  t.ok(
    (await zones.create(operator, { ...secondary('other.example.'), masters })).hasTrustedMasters,
  )
})

t.test(
  'new masters of a SECONDARY zone are asked at once, an expired copy stays expired',
  async t => {
    const { zones, store, mastersSet } = await openDns()
    const zone = await zones.create(one, secondary('example.com.'))
    const state = {
      nextRefreshAt: 9e15,
      failureCount: 3,
      failure: 'no answer',
      isExpired: true,
      isReplacing: false,
    }
    const expired: Zone = { ...zone, transferredAt: 1, transfer: { refreshedAt: 5, ...state } }
    await store.commit(tx => tx.put('zones', expired))
    const changed = await zones.update(one, zone.id, { masters: ['192.0.2.54'] })
    t.equal(changed.serial, zone.serial, 'the serial is its master’s')
    t.match(changed.transfer, { refreshedAt: 5, failureCount: 0, failure: null, isExpired: true })
    t.equal(changed.transfer?.nextRefreshAt, changed.updatedAt)
    t.equal(mastersSet.length, 2)
    await zones.update(one, zone.id, { description: 'text' })
    t.equal(mastersSet.length, 2, 'other changes are none of the masters’ business')
  },
)

t.test('somebody else’s zone does not exist, except for who spans projects', async t => {
  const { zones } = await openDns()
  const { id } = await zones.create(one, primary('example.com.'))
  t.throws(() => zones.get(two, id), refusal('zone_not_found'))
  t.throws(() => zones.nameservers(two, id), refusal('zone_not_found'))
  await t.rejects(zones.update(two, id, {}), refusal('zone_not_found'))
  await t.rejects(zones.delete(two, id), refusal('zone_not_found'))
  await t.rejects(zones.abandon(two, id), refusal('zone_not_found'))
  t.same(await zones.list(two, everyRow), { rows: [], totalCount: 0, isFull: false })
  t.same(await zones.list(two, { ...everyRow, name: 'example.com.' }), {
    rows: [],
    totalCount: 0,
    isFull: false,
  })
  t.equal(zones.get(admin, id).id, id)
  t.equal((await zones.list(admin, everyRow)).totalCount, 1)
})

t.test('a list by name finds the zone in any case, through further filters', async t => {
  const { zones } = await openDns()
  for (const name of ['example.com.', 'example.org.']) await zones.create(one, primary(name))
  const page = await zones.list(one, { ...everyRow, name: 'EXAMPLE.com.' })
  t.same(
    page.rows.map(({ name }) => name),
    ['example.com.'],
  )
  const none = await zones.list(one, { ...everyRow, name: 'example.com.', matches: () => false })
  t.equal(none.totalCount, 0)
})

t.test(
  'pages by name hold a project’s zones and those shared with it, in any order of creation',
  async t => {
    const { zones, store } = await openDns()
    const shares = new ZoneShares({ store, knowsProjects: false })
    const named = (label: string) => primary(`${label}.example.`)
    for (const label of ['d', 'B', 'f']) await zones.create(one, named(label))
    for (const label of ['g', 'c', 'e', 'a']) {
      const { id } = await zones.create(two, named(label))
      if (label !== 'g') await shares.create(two, id, 'one')
    }
    for (const [caller, labels] of [
      [one, ['a', 'B', 'c', 'd', 'e', 'f']],
      [two, ['a', 'c', 'e', 'g']],
      [admin, ['a', 'B', 'c', 'd', 'e', 'f', 'g']],
    ] as const) {
      for (const isDescending of [false, true]) {
        const seen: string[] = []
        const request = { limit: 2, isDescending, sortBy: (zone: Zone) => zone.name.toLowerCase() }
        for (let marker: string | undefined; ; ) {
          const asked = { ...everyRow, ...request, isByName: true, marker }
          const page = await zones.list(caller, asked)
          t.same(page, await zones.list(caller, { ...asked, isByName: false }))
          seen.push(...page.rows.map(({ name }) => name[0] as string))
          marker = page.rows.at(-1)?.id
          if (page.rows.length < 2) break
        }
        t.same(isDescending ? seen.toReversed() : seen, labels)
      }
    }
  },
)

t.test('a deleted zone is gone, with all it had, and its name is free', async t => {
  const { zones, recordsets, store } = await openDns()
  const zone = await zones.create(one, primary('example.com.'))
  await recordsets.create(one, zone.id, addresses('www.example.com.'))
  const deleted = await zones.delete(one, zone.id)
  t.match(zones.stateOf(deleted), { status: 'PENDING', action: 'DELETE' })
  t.equal(store.get('zones', zone.id), undefined)
  t.equal(store.count('recordsets', 'byZone', zone.id), 0)
  await t.resolves(zones.create(one, primary('example.com.')))
})

t.test('a zone with children stays until they are gone', async t => {
  const { zones } = await openDns()
  const parent = await zones.create(one, primary('example.com.'))
  const child = await zones.create(one, primary('a.b.example.com.'))
  await t.rejects(zones.delete(one, parent.id), refusal('zone_has_sub_zone'))
  await t.rejects(zones.abandon(one, parent.id), refusal('zone_has_sub_zone'))
  await zones.delete(one, child.id)
  await t.resolves(zones.delete(one, parent.id))
})

t.test(
  'while a zone is being deleted it is shown and can be deleted again, but not changed',
  async t => {
    const { zones, recordsets, changeSets, answersOf, store, mastersSet } = await openDns()
    // A target that never lets go.
    const silent = {
      reportsOf: () => [{ target: 'stuck', serial: 1, problem: undefined }],
      problemOf: () => undefined,
    }
    const stuck = new Zones({
      ...{ store, changeSets, answersOf },
      targets: silent,
      removal: new ZoneRemoval({ store, targets: silent }),
      outboundAddresses: { problemOfHost: () => undefined },
      onTransferWanted: zone => mastersSet.push(zone),
      onRemovalFailed: () => undefined,
    })
    const { id } = await zones.create(one, primary('example.com.'))
    await stuck.delete(one, id)
    t.match(stuck.stateOf(stuck.get(one, id)), { status: 'PENDING', action: 'DELETE' })
    await t.rejects(zones.create(one, primary('example.com.')), refusal('duplicate_zone'))
    await t.rejects(zones.update(one, id, { ttlSeconds: 1 }), refusal('bad_request'))
    const draft = addresses('www.example.com.')
    await t.rejects(recordsets.create(one, id, draft), refusal('bad_request'))
    await t.resolves(stuck.delete(one, id))
    await zones.delete(one, id)
    t.throws(() => zones.get(one, id), refusal('zone_not_found'))
  },
)

t.test('a touched zone has another serial and nothing else', async t => {
  const dns = await openDns()
  const { store, zones } = dns
  const zone = await zones.create(one, primary('example.com.'))
  const touched = await zones.touch(one, zone.id)
  t.match(touched, { ...zone, serial: zone.serial + 1, version: 2, updatedAt: Number })
  t.equal(dns.served.get(parseName('example.com.'))?.serial, touched.serial)
  const copy = await zones.create(one, secondary('example.net.'))
  await t.rejects(zones.touch(one, copy.id), refusal('zone_not_found'), 'a SECONDARY')
  await t.rejects(zones.touch(two, zone.id), refusal('zone_not_found'))
  t.equal(store.get('zones', zone.id), touched)
})

t.test('pages of PRIMARY zones go on when the last zone of one is gone', async t => {
  const { zones } = await openDns()
  const ids: string[] = []
  for (let i = 0; i < 1_001; i += 1) {
    ids.push((await zones.create(one, primary(`z${i}.example.`))).id)
  }
  await zones.create(one, secondary('copy.example.'))
  const pages = zones.primaryPages(one, ids[0])
  const first = pages.next().value ?? []
  const last = first.at(-1)
  await zones.delete(one, last?.id ?? '')
  const rest = [...pages].flat()
  t.same(
    [...first, ...rest].map(({ id }) => id),
    ids.slice(1),
  )
  t.throws(() => zones.primaryPages(one, last?.id).next(), refusal('marker_not_found'))
})

t.test('a zone moves only to where it could be created', async t => {
  const dns = await openDns()
  const admin = callerOf('one', 'admin')
  const pool = await dns.pools.create({
    ...{ name: 'other', description: null, projectId: null, provisioner: null, attributes: {} },
    nsRecords: [{ hostname: 'ns1.example.net.', priority: 1 }],
  })
  const there = { pool_id: pool.id }
  const parent = await dns.zones.create(admin, primary('example.com.', { attributes: there }))
  const child = await dns.zones.create(admin, primary('sub.example.com.'))
  await dns.dnssec.enable(admin, parent.id, {})
  await t.rejects(dns.zones.movePool(admin, child.id, pool.id), refusal('illegal_child'))
  const ns = { ...addresses('sub.example.com.', 'ns1.example.net.'), type: 'NS' }
  await dns.recordsets.create(admin, parent.id, ns)
  t.equal((await dns.zones.movePool(admin, child.id, pool.id)).poolId, pool.id)
  const catalog = (name: string, attributes = {}) =>
    primary(name, { attributes: { catalog: 'producer', ...attributes } })
  await dns.zones.create(admin, catalog('catalog.example.', there))
  const second = await dns.zones.create(admin, catalog('second.example.'))
  await t.rejects(dns.zones.movePool(admin, second.id, pool.id), refusal('bad_request'))
})

t.test('others have their turn while a zone is created with many recordsets', async t => {
  const dns = await openDns()
  let turn = 0
  let isOver = false
  const count = () => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const turns = new Set<number>()
  const drafts = Array.from({ length: 2000 }, (_, i) => ({
    get name() {
      turns.add(turn)
      return `h${i}.example.com.`
    },
    ...{ type: 'A', ttlSeconds: null, description: null, records: ['192.0.2.1'] },
  }))
  const zone = await dns.zones.create(callerOf('one'), primary('example.com.'), drafts)
  isOver = true
  t.equal(dns.store.count('recordsets', 'byZone', zone.id), 2002)
  t.ok(turns.size > 1, `${turns.size} turns`)
})
