import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { type Denial, denialOf } from '../../src/dnssec/denial.ts'
import { signatureFields } from '../../src/dnssec/key.ts'
import { signBatch } from '../../src/dnssec/sign-batch.ts'
import type { Zone } from '../../src/model/zone.ts'
import { DnssecPolicies } from '../../src/service/dnssec/policies.ts'
import { StoreUnavailableError } from '../../src/store/store.ts'
import { signing, zone as zoneBlock } from '../../src/zone/table/layout.ts'
import { TableMemory } from '../../src/zone/table/memory.ts'
import { fakeClock } from '../helpers/clock.ts'
import { addresses, callerOf, openDns, primary, type TestDns } from '../helpers/dns.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import type { SigningOptions } from '../helpers/sign-zone.ts'
import { until } from '../helpers/until.ts'
import { requireSigned } from '../helpers/verify-zone.ts'

const one = callerOf('one')

function servedOf(dns: TestDns, { name }: Zone) {
  const served = dns.served.get(parseName(name))
  if (served === undefined) throw new Error('it is not served')
  return served
}

async function untilSigned(dns: TestDns, zone: Zone): Promise<void> {
  await until(
    async () => dns.dnssec.get(one, zone.id).status,
    status => status === 'SIGNED',
  )
}

function check(dns: TestDns, zone: Zone, denial?: SigningOptions['denial']): void {
  const sent = [...servedOf(dns, zone).rrsets()].filter(({ type }) => type !== types.ALIAS)
  requireSigned(sent, Math.floor(dns.clock.nowMillis() / 1000), new Set(), denial)
}

/** How often it has changed for readers. */
function changeCountOf(dns: TestDns, zone: Zone): number {
  const { words } = new TableMemory(dns.table.memory)
  const signingAt = words[servedOf(dns, zone).ref + zoneBlock.signing] as number
  return (words[signingAt + signing.changes] as number) / 2
}

t.test('readers see a commit as a whole', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  await dns.dnssec.enable(one, zone.id, {})
  await untilSigned(dns, zone)
  const count = changeCountOf(dns, zone)
  const added = { ...addresses('x.y.example.com.'), type: 'A', records: ['192.0.2.1'] }
  const { recordset } = await dns.recordsets.create(one, zone.id, added)
  t.equal(changeCountOf(dns, zone), count + 1)
  await dns.recordsets.delete(one, { zoneId: zone.id, id: recordset.id })
  t.equal(changeCountOf(dns, zone), count + 2)
  await dns.zones.update(one, zone.id, { ttlSeconds: 77 })
  t.equal(changeCountOf(dns, zone), count + 3)
  check(dns, zone)
})

t.test('a zone is signed, and with each change of it', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  const create = (name: string, type: string, ...records: string[]) =>
    dns.recordsets.create(one, zone.id, { ...addresses(`${name}.example.com.`), type, records })
  await create('www', 'A', '192.0.2.1')
  await create('a.b.c', 'A', '192.0.2.1')
  const { serial } = dns.zones.get(one, zone.id)
  t.equal((await dns.dnssec.enable(one, zone.id, {})).status, 'SIGNING')
  // What is changed meanwhile is in it.
  await create('*.wild', 'TXT', '"w"')
  await untilSigned(dns, zone)
  t.ok(servedOf(dns, zone).serial > serial)
  check(dns, zone)
  const { recordset: cut } = await create('sub', 'NS', 'ns.sub.example.com.')
  check(dns, zone)
  await create('ns.sub', 'A', '192.0.2.2')
  await create('x.y.sub', 'A', '192.0.2.2')
  await create('sub', 'DS', `1 13 2 ${'0'.repeat(64)}`)
  check(dns, zone)
  await dns.recordsets.delete(one, { zoneId: zone.id, id: cut.id })
  check(dns, zone)
  await dns.zones.update(one, zone.id, { ttlSeconds: 77 })
  check(dns, zone)
  await create('a', 'DNAME', 'example.net.')
  check(dns, zone)
  await dns.dnssec.disable(one, zone.id, true)
  t.equal(servedOf(dns, zone).rrsetCount, dns.store.count('recordsets', 'byZone', zone.id))
  t.same(dns.problems, [])
})

t.test('what a stop interrupts is not a problem of the zone', async t => {
  const begun = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<never>()
  let isHeld = false
  const dns = await openDns({
    signBatch: async batch => {
      if (!isHeld) return signBatch(batch)
      begun.resolve()
      return stop.promise
    },
  })
  const zone = await dns.zones.create(one, primary('example.com.'))
  await dns.dnssec.enable(one, zone.id, {})
  await untilSigned(dns, zone)
  isHeld = true
  const signing = dns.publisher.signed.sign(dns.zones.get(one, zone.id))
  await begun.promise
  await dns.publisher.signed.close()
  stop.reject(new Error('its thread has ended'))
  await signing
  t.same(dns.problems, [])
  check(dns, zone)
})

t.test('NSEC and NSEC3 take the place of each other as the policy says', async t => {
  const dns = await openDns()
  const policies = new DnssecPolicies(dns.store)
  const { id: policyId } = await policies.create({
    ...{ name: 'opt-out', description: null, keys: 'CSK', algorithm: 13, dsDigests: [2] },
    ...{ kskLifetimeDays: null, zskLifetimeDays: null, denial: 'NSEC3_OPT_OUT' },
  })
  const zone = await dns.zones.create(one, primary('example.com.'))
  const create = (name: string, type: string, ...records: string[]) =>
    dns.recordsets.create(one, zone.id, { ...addresses(`${name}.example.com.`), type, records })
  await create('a.b.c', 'A', '192.0.2.1')
  await create('ins', 'NS', 'ns.example.net.')
  await dns.dnssec.enable(one, zone.id, { policyId: 'nsec3' })
  await untilSigned(dns, zone)
  check(dns, zone, 'nsec3')
  t.equal(dns.dnssec.get(one, zone.id).denial, 'NSEC3')
  await create('www', 'A', '192.0.2.1')
  check(dns, zone, 'nsec3')

  const follow = async (denial: Denial, kind: SigningOptions['denial']) => {
    await until(() => denialOf(servedOf(dns, zone)) === denial)
    // With another serial, so that secondaries take it.
    await until(() => !dns.publisher.signed.isResigned(zone.id))
    t.equal(dns.dnssec.get(one, zone.id).denial, denial)
    check(dns, zone, kind)
  }
  await dns.dnssec.enable(one, zone.id, { policyId: 'default' })
  // Meanwhile changes are made.
  await create('x.y', 'TXT', '"x"')
  await follow('NSEC', 'nsec')
  await dns.dnssec.enable(one, zone.id, { policyId })
  await follow('NSEC3_OPT_OUT', 'opt-out')
  await policies.update(policyId, { denial: 'NSEC' })
  await follow('NSEC', 'nsec')
  t.same(dns.problems, [])
})

t.test('signatures of NSEC3 are renewed', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  await dns.recordsets.create(one, zone.id, addresses('a.b.example.com.'))
  await dns.dnssec.enable(one, zone.id, { policyId: 'nsec3' })
  await untilSigned(dns, zone)
  dns.clock.advanceMillis(12 * 86_400_000)
  await dns.dnssec.renew()
  dns.clock.advanceMillis(12 * 86_400_000)
  check(dns, zone, 'nsec3')
  t.same(dns.problems, [])
})

t.test('signatures made by a clock far ahead are renewed once it is right', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  await dns.recordsets.create(one, zone.id, addresses('a.b.example.com.'))
  await dns.dnssec.enable(one, zone.id, {})
  await untilSigned(dns, zone)
  dns.clock.advanceMillis(365 * 86_400_000)
  await dns.dnssec.renew()
  dns.clock.advanceMillis(-365 * 86_400_000)
  t.throws(() => check(dns, zone), /not valid yet/)
  await dns.dnssec.renew()
  check(dns, zone)
  t.same(dns.problems, [])
})

t.test('the addresses beside an ALIAS are signed as they change, and the ALIAS is not', async t => {
  let address = '192.0.2.1'
  const dns = await openDns({
    resolve: async (_name, type) => ({ addresses: type === 'A' ? [address] : [], ttlSeconds: 60 }),
  })
  const zone = await dns.zones.create(one, primary('example.com.'))
  const create = (name: string, type: string, record: string) =>
    dns.recordsets.create(one, zone.id, { ...addresses(name), type, records: [record] })
  await create('example.com.', 'ALIAS', 'www.example.net.')
  await dns.dnssec.enable(one, zone.id, {})
  await untilSigned(dns, zone)
  await create('other.example.com.', 'ALIAS', 'www.example.net.')
  await dns.aliases.refreshDue()
  await dns.aliases.settled()
  check(dns, zone)
  address = '192.0.2.2'
  dns.clock.advanceMillis(3_600_000)
  await dns.aliases.refreshDue()
  await dns.aliases.settled()
  check(dns, zone)
  for (const name of ['example.com.', 'other.example.com.']) {
    const rrset = servedOf(dns, zone).findRrset(parseName(name), types.A)
    t.same(rrset?.rdatas, [new Uint8Array([192, 0, 2, 2])])
  }
})

/** A zone that is signed here, and what happens while its next commits are being made durable. */
async function withSlowDisk() {
  const clock = fakeClock()
  const disk: { meanwhile?: () => Promise<void> } = {}
  const store = openMemoryStore({ clock, whileAppending: async () => disk.meanwhile?.() })
  const dns = await openDns({ clock, store })
  const zone = await dns.zones.create(one, primary('example.com.'))
  const { recordset } = await dns.recordsets.create(one, zone.id, addresses('www.example.com.'))
  await dns.dnssec.enable(one, zone.id, {})
  await untilSigned(dns, zone)
  const update = (address: string) =>
    dns.recordsets.update(one, { zoneId: zone.id, id: recordset.id }, { records: [address] })
  const expirationOf = (name: string, type: number) => {
    const signatures = servedOf(dns, zone).findRrset(parseName(name), types.RRSIG)?.rdatas ?? []
    return signatures.map(signatureFields).find(({ covered }) => covered === type)?.expiration ?? 0
  }
  return { dns, zone, disk, update, expirationOf }
}

t.test('a small change is signed while the disk works', async t => {
  const { dns, zone, disk, update, expirationOf } = await withSlowDisk()
  await update('192.0.2.2')
  const before = expirationOf('www.example.com.', types.A)
  disk.meanwhile = async () => dns.clock.advanceMillis(60_000)
  await update('192.0.2.3')
  t.equal(expirationOf('www.example.com.', types.A), before)
  t.equal(expirationOf('example.com.', types.SOA), before)
  check(dns, zone)
  await update('192.0.2.4')
  t.equal(expirationOf('www.example.com.', types.A), before + 60)
})

t.test('a change that may hide names is signed when it is published', async t => {
  const { dns, zone, disk, update, expirationOf } = await withSlowDisk()
  await update('192.0.2.2')
  const before = expirationOf('example.com.', types.SOA)
  disk.meanwhile = async () => dns.clock.advanceMillis(60_000)
  const cut = { ...addresses('sub.example.com.'), type: 'NS', records: ['ns.sub.example.com.'] }
  await dns.recordsets.create(one, zone.id, cut)
  t.equal(expirationOf('example.com.', types.SOA), before + 60)
  check(dns, zone)
})

t.test('what was signed meanwhile is discarded if the zone has changed since', async t => {
  const { dns, zone, disk, update, expirationOf } = await withSlowDisk()
  await update('192.0.2.2')
  const before = expirationOf('example.com.', types.SOA)
  disk.meanwhile = async () => {
    disk.meanwhile = async () => undefined
    dns.clock.advanceMillis(12 * 86_400_000)
    await dns.publisher.signed.renewSignatures()
  }
  await update('192.0.2.3')
  t.equal(expirationOf('example.com.', types.SOA), before + 12 * 86_400)
  check(dns, zone)
})

t.test('what was signed for a commit that failed is discarded', async t => {
  const { dns, zone, disk, update } = await withSlowDisk()
  disk.meanwhile = async () => {
    throw new StoreUnavailableError('not now')
  }
  await t.rejects(update('192.0.2.2'), StoreUnavailableError)
  disk.meanwhile = async () => undefined
  // It has the number of the failed commit, and is not prepared.
  await dns.zones.update(one, zone.id, { ttlSeconds: 77 })
  check(dns, zone)
  const rrset = servedOf(dns, zone).findRrset(parseName('www.example.com.'), types.A)
  t.notSame(rrset?.rdatas, [new Uint8Array([192, 0, 2, 2])])
})
