import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { signatureFields } from '../../../src/dnssec/key.ts'
import { signBatch } from '../../../src/dnssec/sign-batch.ts'
import type { Zone } from '../../../src/model/zone.ts'
import type { ParentServer } from '../../../src/service/dnssec/parent-check.ts'
import { eventFactsOf, eventsOf } from '../../../src/service/events/resource-event.ts'
import { everything } from '../../../src/store/indexes.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { addresses, callerOf, openDns, primary, type TestDns } from '../../helpers/dns.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { refusal } from '../../helpers/refusal.ts'
import { until } from '../../helpers/until.ts'

const one = callerOf('one')
const hourMillis = 3_600_000

async function signedZone(dns: TestDns, name = 'example.com.', draft = {}): Promise<Zone> {
  const zone = await dns.zones.create(one, primary(name))
  await dns.recordsets.create(one, zone.id, addresses(`www.${name}`))
  await dns.dnssec.enable(one, zone.id, draft)
  await until(
    async () => dns.dnssec.get(one, zone.id).status,
    status => status === 'SIGNED',
  )
  return zone
}

/** Lets the driver run for some hours, every ten minutes. */
async function pass(dns: TestDns, hours: number): Promise<void> {
  for (let left = hours * 6; left > 0; left -= 1) {
    dns.clock.advanceMillis(hourMillis / 6)
    await dns.dnssec.rolls.stepDue()
  }
}

const states = (dns: TestDns, { id }: Zone) =>
  dns.dnssec
    .get(one, id)
    .keys.map(({ row }) =>
      [row.role, row.algorithm, row.dnskey, row.zoneSignatures, row.ds]
        .map(it => (it !== null && typeof it === 'object' ? it.state[0] : (it ?? '-')))
        .join(' '),
    )

/** How many records of a type the apex has. */
const countAt = (dns: TestDns, { name }: Zone, type: number) =>
  dns.served.get(parseName(name))?.findRrset(parseName(name), type)?.rdatas.length ?? 0

/** Tags that sign the address of www. */
function signersOf(dns: TestDns, { name }: Zone): number[] {
  const signatures = dns.served
    .get(parseName(name))
    ?.findRrset(parseName(`www.${name}`), types.RRSIG)
  const fields = (signatures?.rdatas ?? []).map(signatureFields)
  return fields.filter(({ covered }) => covered === types.A).map(({ tag }) => tag)
}

/** A parent whose servers have what the test says. */
function scriptedParent() {
  const servers: ParentServer[] = ['a.', 'b.'].map(host => {
    return { host, ds: [], ttlSeconds: null, error: null }
  })
  return {
    servers,
    ask: async () => ({ parent: 'com.', servers: [...servers] }),
    set(host: number, ds: readonly string[], error: string | null = null) {
      servers[host] = { host: `${host}.`, ds, ttlSeconds: 3600, error }
    },
  }
}

t.test(
  'a zone is signed, its DS is asked for, and all servers of the parent have to have it',
  async t => {
    const parent = scriptedParent()
    const dns = await openDns({ askParent: parent.ask })
    const zone = await signedZone(dns)
    t.same(states(dns, zone), ['CSK 13 R R H'])
    t.equal(countAt(dns, zone, types.CDS), 0)
    await pass(dns, 4)
    t.same(states(dns, zone), ['CSK 13 O O R'])
    t.equal(countAt(dns, zone, types.CDS), 1)
    t.equal(countAt(dns, zone, types.CDNSKEY), 1)
    const { ds } = dns.dnssec.get(one, zone.id)
    parent.set(0, ds)
    await pass(dns, 48)
    t.same(states(dns, zone), ['CSK 13 O O R'], 'one of two servers is not enough, however long')
    parent.set(1, [], 'no answer')
    await pass(dns, 48)
    t.same(states(dns, zone), ['CSK 13 O O R'], 'nor is one that does not answer')
    parent.set(1, ds)
    await pass(dns, 1)
    t.same(states(dns, zone), ['CSK 13 O O R'], 'caches follow')
    await pass(dns, 4)
    t.same(states(dns, zone), ['CSK 13 O O O'])
    t.equal(countAt(dns, zone, types.CDS), 0)
    t.same(dns.problems, [])
  },
)

t.test('a CSK roll, an algorithm roll and going insecure, step by step', async t => {
  const parent = scriptedParent()
  const dns = await openDns({ askParent: parent.ask })
  const zone = await signedZone(dns)
  const follow = async () => {
    const wanted = dns.dnssec.get(one, zone.id).ds
    for (const host of [0, 1]) parent.set(host, wanted)
    await pass(dns, 5)
  }
  await pass(dns, 4)
  await follow()
  t.same(states(dns, zone), ['CSK 13 O O O'])
  const [old = 0] = signersOf(dns, zone)
  await dns.dnssec.roll(one, zone.id, 'CSK')
  t.same(states(dns, zone), ['CSK 13 O O O', 'CSK 13 R H H'])
  t.same(signersOf(dns, zone), [old])
  await t.rejects(dns.dnssec.roll(one, zone.id, 'CSK'), refusal('bad_request'))
  await pass(dns, 4)
  t.same(states(dns, zone), ['CSK 13 O U U', 'CSK 13 O R R'])
  t.equal(signersOf(dns, zone).length, 1)
  t.notMatch(signersOf(dns, zone), [old])
  await pass(dns, 30)
  t.same(states(dns, zone), ['CSK 13 O H U', 'CSK 13 O O R'], 'the old key stays while it has a DS')
  await follow()
  await pass(dns, 4)
  t.same(states(dns, zone), ['CSK 13 O O O'])

  await dns.dnssec.enable(one, zone.id, { policyId: 'ed25519' })
  await pass(dns, 1)
  t.same(states(dns, zone), ['CSK 13 O O O', 'CSK 15 H R H'], 'signatures first')
  t.equal(signersOf(dns, zone).length, 2)
  await pass(dns, 4)
  t.same(states(dns, zone), ['CSK 13 O O O', 'CSK 15 R O H'])
  await pass(dns, 4)
  t.same(states(dns, zone), ['CSK 13 O O U', 'CSK 15 O O R'])
  await follow()
  await pass(dns, 12)
  t.same(states(dns, zone), ['CSK 15 O O O'])
  t.equal(signersOf(dns, zone).length, 1)

  const leaving = await dns.dnssec.disable(one, zone.id, false)
  t.equal(leaving?.status, 'UNSIGNING')
  t.equal(countAt(dns, zone, types.CDS), 1)
  await pass(dns, 100)
  t.equal(signersOf(dns, zone).length, 1, 'signed while the parent has a DS')
  for (const host of [0, 1]) parent.set(host, [])
  await pass(dns, 30)
  t.equal(dns.dnssec.get(one, zone.id).status, 'UNSIGNED')
  t.equal(countAt(dns, zone, types.DNSKEY), 0)
  t.same([...dns.store.list('dnssecKeys', 'byZone', zone.id)], [])
  t.same(dns.problems, [])
})

t.test('a parent that is hosted here gets the DS in the same commit', async t => {
  const dns = await openDns()
  const parent = await dns.zones.create(one, primary('example.com.'))
  const records = ['ns1.example.com.']
  const cut = { ...addresses('child.example.com.'), type: 'NS', records }
  await dns.recordsets.create(one, parent.id, cut)
  const child = await signedZone(dns, 'child.example.com.')
  const ds = () => {
    const name = parseName('child.example.com.')
    return dns.served.get(parseName('example.com.'))?.findRrset(name, types.DS)?.rdatas.length ?? 0
  }
  t.equal(ds(), 0)
  await pass(dns, 4)
  t.equal(ds(), 1)
  await pass(dns, 4)
  t.same(states(dns, child), ['CSK 13 O O O'])
  t.ok(dns.dnssec.get(one, child.id).parent.hosted)
  await dns.dnssec.disable(one, child.id, false)
  t.equal(ds(), 0)
  t.equal(dns.dnssec.get(one, child.id).status, 'UNSIGNING')
  await pass(dns, 4)
  t.equal(dns.dnssec.get(one, child.id).status, 'UNSIGNED')
})

t.test('a policy of KSK and ZSK: the ZSK is rolled by its age', async t => {
  const dns = await openDns()
  const policy = await dns.dnssecPolicies.create({
    name: 'split',
    description: null,
    keys: 'KSK+ZSK',
    algorithm: 13,
    kskLifetimeDays: null,
    zskLifetimeDays: 2,
    dsDigests: [2, 4],
  })
  const zone = await signedZone(dns, 'example.com.', { policyId: policy.id })
  t.same(states(dns, zone).toSorted(), ['KSK 13 R - H', 'ZSK 13 R R -'])
  await pass(dns, 4)
  t.equal(countAt(dns, zone, types.CDS), 2)
  const [key] = dns.dnssec.get(one, zone.id).keys.filter(({ row }) => row.role === 'KSK')
  const keyId = key?.row.id ?? ''
  await dns.dnssec.confirmDs(one, zone.id, { keyId, isPresent: true })
  await t.rejects(
    dns.dnssec.confirmDs(one, zone.id, { keyId, isPresent: false }),
    refusal('bad_request'),
  )
  await pass(dns, 30)
  const [old = 0] = signersOf(dns, zone)
  await pass(dns, 28)
  t.same(states(dns, zone).toSorted(), ['KSK 13 O - O', 'ZSK 13 O O -'])
  t.notMatch(signersOf(dns, zone), [old])
  await t.rejects(dns.dnssecPolicies.delete(policy.id), refusal('conflict'))
})

t.test('without a DS, or by force, a zone is unsigned at once', async t => {
  const dns = await openDns()
  const zone = await signedZone(dns)
  t.equal(await dns.dnssec.disable(one, zone.id, false), undefined)
  t.equal(dns.dnssec.get(one, zone.id).status, 'UNSIGNED')
  const other = await signedZone(dns, 'example.net.')
  await pass(dns, 4)
  t.equal((await dns.dnssec.disable(one, other.id, false))?.status, 'UNSIGNING')
  const back = await dns.dnssec.enable(one, other.id, {})
  t.equal(back.status, 'SIGNED')
  t.same(states(dns, other), ['CSK 13 O O R'], 'the same key')
  t.equal(await dns.dnssec.disable(one, other.id, true), undefined)
})

t.test('a DS that the parent was given early is one to be removed like any other', async t => {
  const parent = scriptedParent()
  const dns = await openDns({ askParent: parent.ask })
  const zone = await signedZone(dns)
  const give = (given: Zone) => parent.set(0, dns.dnssec.get(one, given.id).ds)
  give(zone)
  t.equal((await dns.dnssec.disable(one, zone.id, false))?.status, 'UNSIGNING')
  await pass(dns, 12)
  t.equal(signersOf(dns, zone).length, 1, 'signed while the parent has a DS')
  t.equal(countAt(dns, zone, types.CDS), 1)
  parent.set(0, [])
  await pass(dns, 30)
  t.equal(dns.dnssec.get(one, zone.id).status, 'UNSIGNED')

  const rolled = await signedZone(dns, 'example.net.')
  give(rolled)
  await dns.dnssec.roll(one, rolled.id, 'CSK')
  await pass(dns, 12)
  t.same(states(dns, rolled), ['CSK 13 O H U', 'CSK 13 O O R'], 'the old key stays')
  const other = await signedZone(dns, 'example.org.')
  give(other)
  await dns.dnssec.enable(one, other.id, { policyId: 'ed25519' })
  await pass(dns, 12)
  t.same(states(dns, other), ['CSK 13 O O U', 'CSK 15 O O R'], 'and so it does for another policy')
  t.same(dns.problems, [])
})

t.test('a key from elsewhere: the zone goes on with it, and may be rolled to another', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  const text = (seed: number) =>
    `Algorithm: 13\nPrivateKey: ${Buffer.alloc(32, seed).toString('base64')}\n`
  const imported = await dns.dnssecKeys.import(one, zone.id, { text: text(1), role: 'CSK' })
  await t.rejects(
    dns.dnssecKeys.import(one, zone.id, { text: text(1), role: 'CSK' }),
    refusal('bad_request'),
  )
  await dns.dnssec.enable(one, zone.id, {})
  await until(
    async () => dns.dnssec.get(one, zone.id).status,
    status => status === 'SIGNED',
  )
  t.same(states(dns, zone), ['CSK 13 O O O'])
  t.match(dns.dnssec.get(one, zone.id).ds, [new RegExp(`^${imported.row.tag} 13 2 `)])
  await dns.dnssecKeys.import(one, zone.id, { text: text(2), role: 'CSK' })
  t.same(states(dns, zone), ['CSK 13 O O O', 'CSK 13 R H H'])
  await t.rejects(
    dns.dnssecKeys.import(one, zone.id, { text: text(3), role: 'CSK' }),
    refusal('bad_request'),
  )
  const { bind } = dns.dnssecKeys.export(one, zone.id, imported.row.id)
  t.ok(bind.includes(text(1).split('\n')[1] ?? ''))
  const events = JSON.stringify([...dns.store.list('dnssecKeys', 'byZone', zone.id)])
  t.notOk(events.includes(Buffer.alloc(32, 1).toString('base64')), 'sealed')
  t.same(dns.problems, [])
})

t.test('below a parent without a DS an imported key is introduced as a new one is', async t => {
  const dns = await openDns()
  const parent = await dns.zones.create(one, primary('example.com.'))
  const name = 'child.example.com.'
  const cut = { ...addresses(name), type: 'NS', records: ['ns1.example.com.'] }
  await dns.recordsets.create(one, parent.id, cut)
  const child = await dns.zones.create(one, primary(name))
  const text = `Algorithm: 13\nPrivateKey: ${Buffer.alloc(32, 1).toString('base64')}\n`
  await dns.dnssecKeys.import(one, child.id, { text, role: 'CSK' })
  await dns.dnssec.enable(one, child.id, {})
  await until(
    async () => dns.dnssec.get(one, child.id).status,
    status => status === 'SIGNED',
  )
  t.same(states(dns, child), ['CSK 13 R R H'], 'caches may have that there is no DNSKEY')
  await pass(dns, 8)
  t.same(states(dns, child), ['CSK 13 O O O'])
  t.same(dns.problems, [])
})

t.test('a key is deleted before its zone is signed, and not behind that', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  const text = `Algorithm: 13\nPrivateKey: ${Buffer.alloc(32, 7).toString('base64')}\n`
  const take = () => dns.dnssecKeys.import(one, zone.id, { text, role: 'CSK' })
  const { row } = await take()
  await t.rejects(dns.dnssecKeys.delete(one, zone.id, zone.id), refusal('dnssec_key_not_found'))
  await dns.dnssecKeys.delete(one, zone.id, row.id)
  t.same(dns.dnssec.get(one, zone.id).keys, [])
  const again = await take()
  await dns.dnssec.enable(one, zone.id, {})
  await t.rejects(dns.dnssecKeys.delete(one, zone.id, again.row.id), refusal('bad_request'))
  t.same(dns.problems, [])
})

t.test('all signatures are made anew, with a serial that shows it', async t => {
  const dns = await openDns()
  const zone = await signedZone(dns)
  const name = parseName('www.example.com.')
  const served = () => dns.served.get(parseName('example.com.'))
  const signature = () =>
    Buffer.from(served()?.findRrset(name, types.RRSIG)?.rdatas[0] ?? []).toString('hex')
  const before = { signature: signature(), serial: served()?.serial }
  await dns.dnssec.sign(one, zone.id)
  await until(() => signature() !== before.signature && served()?.serial !== before.serial)
  t.same(dns.problems, [])
})

t.test('a zone is rolled, signed anew or given another policy ten times a day', async t => {
  const dns = await openDns()
  const zone = await signedZone(dns)
  await dns.dnssec.roll(one, zone.id, 'CSK')
  await dns.dnssec.enable(one, zone.id, { policyId: 'nsec3' })
  for (let i = 3; i <= 10; i += 1) await dns.dnssec.sign(one, zone.id)
  await t.rejects(dns.dnssec.sign(one, zone.id), refusal('over_quota'))
  await t.rejects(dns.dnssec.enable(one, zone.id, { policyId: 'default' }), refusal('over_quota'))
  const other = await signedZone(dns, 'example.net.')
  await dns.dnssec.sign(one, other.id)
  dns.clock.advanceMillis(24 * hourMillis)
  await dns.dnssec.sign(one, zone.id)
  t.same(dns.problems, [])
})

t.test('a project has as many signed zones as its quota says', async t => {
  const dns = await openDns()
  const two = callerOf('two')
  await dns.quotas.set('one', { signedZones: 1 })
  const zone = await signedZone(dns)
  const other = await dns.zones.create(one, primary('example.net.'))
  await t.rejects(dns.dnssec.enable(one, other.id, {}), refusal('over_quota'))
  await dns.dnssec.enable(one, zone.id, { policyId: 'ed25519' })
  await dns.dnssec.disable(one, zone.id, true)
  await dns.dnssec.enable(one, other.id, {})

  await dns.quotas.set('two', { signedZones: 0 })
  const { request } = await dns.zoneTransferRequests.create(one, other.id, {
    description: null,
    targetProjectId: null,
  })
  const { id: zoneTransferRequestId, key } = request
  const accepted = dns.zoneTransferAccepts.create(two, { zoneTransferRequestId, key })
  await t.rejects(accepted, refusal('over_quota'))
})

t.test('the DS of a child that is deleted goes with it, in the same commit', async t => {
  const dns = await openDns()
  const parent = await dns.zones.create(one, primary('example.com.'))
  const name = 'child.example.com.'
  const cut = { ...addresses(name), type: 'NS', records: ['ns1.example.com.'] }
  await dns.recordsets.create(one, parent.id, cut)
  const child = await signedZone(dns, name)
  const isThere = () => {
    const served = dns.served.get(parseName('example.com.'))
    return served?.findRrset(parseName(name), types.DS) !== undefined
  }
  await pass(dns, 4)
  t.ok(isThere())
  const { serial } = dns.zones.get(one, parent.id)
  await dns.zones.delete(one, child.id)
  t.notOk(isThere())
  t.ok(dns.zones.get(one, parent.id).serial > serial)
})

t.test('a parent is notified of CDS at once, and again as long as it does not follow', async t => {
  const parent = scriptedParent()
  let isAcknowledged = false
  const notified: number[] = []
  const dns = await openDns({
    askParent: parent.ask,
    notifyParent: async () => {
      notified.push(Math.round(dns.clock.nowMillis() / 60_000))
      return [{ host: 'dsync.com.', port: 53, isAcknowledged }]
    },
  })
  const zone = await signedZone(dns)
  t.same(notified, [])
  await pass(dns, 13)
  const pauses = notified.slice(1).map((at, i) => at - (notified[i] ?? 0))
  t.same(pauses, [20, 40, 60, 120, 240], 'without an answer ever less often')
  t.match(dns.dnssec.get(one, zone.id).parent.notification?.targets, [{ isAcknowledged: false }])
  isAcknowledged = true
  const { length: before } = notified
  while (notified.length === before) await pass(dns, 1)
  const { length } = notified
  t.match(dns.dnssec.get(one, zone.id).parent.notification?.targets, [{ isAcknowledged: true }])
  await pass(dns, 23)
  t.equal(notified.length, length, 'once it has acknowledged, in a day only')
  await pass(dns, 2)
  t.equal(notified.length, length + 1)
  for (const host of [0, 1]) parent.set(host, dns.dnssec.get(one, zone.id).ds)
  await pass(dns, 48)
  t.equal(notified.length, length + 1, 'and not any more behind that')
})

t.test('parents that do not answer hold up nobody else, and a run has an end', async t => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const asked: string[] = []
  const dns = await openDns({
    askParent: async name => {
      asked.push(name)
      if (name.endsWith('.slow.example.')) await answered
      return { parent: 'example.', servers: [] }
    },
  })
  const names = Array.from({ length: 50 }, (_, i) => `z${i}.slow.example.`)
  for (const name of names) await signedZone(dns, name)
  const two = callerOf('two')
  const other = await dns.zones.create(two, primary('other.example.'))
  await dns.dnssec.enable(two, other.id, {})
  await until(() => dns.dnssec.get(two, other.id).status === 'SIGNED')
  await dns.dnssec.rolls.stepDue()
  t.same(asked, [], 'caches are to know the DNSKEY first')
  dns.clock.advanceMillis(4 * hourMillis)
  const run = dns.dnssec.rolls.stepDue()
  await until(() => dns.dnssec.get(two, other.id).parent.report !== undefined)
  t.equal(asked.filter(name => name.endsWith('.slow.example.')).length, 4, 'of one project at once')
  answer()
  await run
  t.equal(asked.length, 41, 'of one project in a run')
  await dns.dnssec.rolls.stepDue()
  t.same(new Set(asked), new Set([...names, other.name]), 'the others in the next one')
  t.same(dns.problems, [])
})

t.test('it is known when the first signature ends, hourly and from the first one on', async t => {
  const dns = await openDns()
  t.equal(dns.dnssec.nearestExpiration, undefined)
  const zone = await signedZone(dns)
  await dns.dnssec.renew()
  const nowSeconds = () => dns.clock.nowMillis() / 1000
  const served = () => dns.served.get(parseName(zone.name))
  /** Read from what is answered. */
  const first = () => {
    const names = [...(served()?.names() ?? [])]
    const signatures = names.flatMap(name => served()?.findRrset(name, types.RRSIG)?.rdatas ?? [])
    return Math.min(...signatures.map(it => signatureFields(it).expiration))
  }
  const before = first()
  t.equal(dns.dnssec.get(one, zone.id).nearestExpiration, before)
  t.equal(dns.dnssec.nearestExpiration, before)
  for (let day = 0; day < 15; day += 1) {
    dns.clock.advanceMillis(24 * hourMillis)
    await dns.dnssec.renew()
    t.equal(dns.dnssec.nearestExpiration, first())
    t.ok(first() - nowSeconds() > 4 * 86_400, `day ${day}`)
  }
  t.ok(first() > before)
  await dns.dnssec.disable(one, zone.id, true)
  t.equal(dns.dnssec.nearestExpiration, undefined)
})

t.test('signatures that are not renewed in time are reported once, until they are', async t => {
  const told: unknown[] = []
  const clock = fakeClock()
  const dns = await openDns({
    clock,
    store: openMemoryStore({ clock, factsOf: eventFactsOf }),
    onPublished(commit) {
      for (const { type, payload, projectIds } of eventsOf(commit) ?? []) {
        if (type === 'dns.dnssec.expiring') told.push({ ...payload, projectIds })
      }
    },
  })
  const zone = await signedZone(dns)
  await dns.dnssec.renew()
  const { signed } = dns.publisher
  const renewal = t.intercept(signed, 'renewSignatures', { value: async () => [] })
  const endsAt = dns.dnssec.nearestExpiration ?? 0
  dns.clock.advanceMillis(endsAt * 1000 - dns.clock.nowMillis() - 3 * 24 * hourMillis)
  await dns.dnssec.renew()
  t.same(told, [], 'three days before their end')
  dns.clock.advanceMillis(24 * hourMillis)
  await dns.dnssec.renew()
  await dns.dnssec.renew()
  const [first] = told
  t.match(first, { zone_id: zone.id, zone_name: zone.name, nearest_expiration: endsAt * 1e6 })
  t.match(first, { projectIds: [zone.projectId] })
  t.equal(told.length, 1)
  renewal.restore()
  await dns.dnssec.renew()
  t.equal(dns.store.get('expiringSignatures', zone.id), undefined)
  t.intercept(signed, 'renewSignatures', { value: async () => [] })
  dns.clock.advanceMillis(13 * 24 * hourMillis)
  await dns.dnssec.renew()
  t.equal(told.length, 2, 'and again the next time')
  await dns.dnssec.disable(one, zone.id, true)
  t.equal(dns.store.get('expiringSignatures', zone.id), undefined)
})

t.test('an abandoned zone is answered with good signatures for as long as it is', async t => {
  const admin = { ...callerOf('admin', 'admin'), hasAllProjects: true }
  const dns = await openDns()
  const parent = await dns.zones.create(one, primary('example.com.'))
  const name = 'child.example.com.'
  const cut = { ...addresses(name), type: 'NS', records: ['ns1.example.com.'] }
  await dns.recordsets.create(one, parent.id, cut)
  const child = await signedZone(dns, name)
  await pass(dns, 8)
  t.same(states(dns, child), ['CSK 13 O O O'])
  await dns.zones.abandon(admin, child.id)
  const served = () => dns.served.get(parseName(name))
  const { serial } = served() ?? {}
  for (let day = 0; day < 15; day += 1) {
    dns.clock.advanceMillis(24 * hourMillis)
    await dns.dnssec.renew()
    await dns.dnssec.rolls.stepDue()
    const names = [...(served()?.names() ?? [])]
    const signatures = names.flatMap(it => served()?.findRrset(it, types.RRSIG)?.rdatas ?? [])
    const ends = signatures.map(it => signatureFields(it).expiration)
    t.ok(Math.min(...ends) - dns.clock.nowMillis() / 1000 > 4 * 86_400, `day ${day}`)
  }
  t.not(served()?.serial, serial, 'secondaries take them too')
  const ds = () => dns.served.get(parseName('example.com.'))?.findRrset(parseName(name), types.DS)
  t.ok(ds())
  await dns.zones.create(one, primary(name))
  t.notOk(ds(), 'the zone that takes its name is not signed by its key')
  t.same(dns.problems, [])
})

t.test('a zone without a DS is signalled under the names of its name servers', async t => {
  const admin = { ...callerOf('admin', 'admin'), hasAllProjects: true }
  const parent = scriptedParent()
  const dns = await openDns({ askParent: parent.ask })
  const hosts = await signedZone(dns, 'zonewright.example.')
  const signals = (isOn: boolean) => dns.dnssec.enable(admin, hosts.id, { signalsChildren: isOn })
  const asMember = dns.dnssec.enable(one, hosts.id, { signalsChildren: true })
  await t.rejects(asMember, refusal('forbidden'), 'others see what projects have')
  await signals(true)
  const zone = await signedZone(dns)
  const text = '_dsboot.example.com._signal.ns1.zonewright.example.'
  const rdatasAt = (apex: string, name: string, type: number) =>
    dns.served.get(parseName(apex))?.findRrset(parseName(name), type)?.rdatas
  const signal = (type: number) => rdatasAt(hosts.name, text, type)
  const shown = () => dns.dnssec.get(one, zone.id).parent.signalledAt
  await pass(dns, 3)
  t.same([signal(types.CDS), shown()], [undefined, []], 'caches are to know its DNSKEY first')
  await pass(dns, 1)
  for (const type of [types.CDS, types.CDNSKEY]) {
    t.same(signal(type), rdatasAt(zone.name, zone.name, type))
    t.equal(signal(type)?.length, 1)
  }
  t.ok(signal(types.RRSIG), 'and signed')
  t.same(shown(), [text])
  t.same(
    dns.dnssec.get(one, hosts.id).parent.signalledAt,
    [],
    'below itself it would prove nothing',
  )

  await signals(false)
  await pass(dns, 1)
  t.same([signal(types.CDS), shown()], [undefined, []], 'switched off')
  await signals(true)
  await pass(dns, 1)
  t.same(shown(), [text])
  for (const host of [0, 1]) parent.set(host, dns.dnssec.get(one, zone.id).ds)
  await pass(dns, 5)
  t.same(states(dns, zone), ['CSK 13 O O O'])
  t.same([signal(types.CDS), shown()], [undefined, []], 'the parent has its DS')
  await dns.dnssec.roll(one, zone.id, 'CSK')
  await pass(dns, 4)
  t.ok(rdatasAt(zone.name, zone.name, types.CDS))
  t.equal(signal(types.CDS), undefined, 'a roll is validated by the DS that there is')

  const other = await signedZone(dns, 'example.net.')
  await pass(dns, 4)
  const shownOfOther = () => dns.dnssec.get(one, other.id).parent.signalledAt
  t.equal(shownOfOther().length, 1)
  for (const [type, name] of [
    ['NS', '_signal.ns1.zonewright.example.'],
    ['DNAME', 'net._signal.ns1.zonewright.example.'],
    ['CNAME', '_dsboot.example.net._signal.ns1.zonewright.example.'],
  ] as const) {
    await signals(false)
    await pass(dns, 1)
    const draft = { ...addresses(name, 'elsewhere.example.'), type }
    const { recordset } = await dns.recordsets.create(one, hosts.id, draft)
    await signals(true)
    await pass(dns, 1)
    t.same(shownOfOther(), [], type)
    t.same([...dns.store.list('recordsets', 'signals', everything)], [], type)
    await dns.recordsets.delete(one, recordset)
    await pass(dns, 1)
    t.equal(shownOfOther().length, 1, type)
  }
  const { serial } = dns.zones.get(one, hosts.id)
  await dns.dnssec.disable(one, other.id, true)
  await dns.dnssec.rolls.stepDue()
  t.same([...dns.store.list('recordsets', 'signals', everything)], [])
  t.ok(dns.zones.get(one, hosts.id).serial > serial)
  t.same(dns.problems, [])
})

t.test('a key has no DS before its DNSKEY is in the answers, however long that takes', async t => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isHeld = false
  const dns = await openDns({
    signBatch: async batch => {
      if (isHeld) await released
      return signBatch(batch)
    },
  })
  const parent = await dns.zones.create(one, primary('example.com.'))
  const cut = { ...addresses('child.example.com.'), type: 'NS', records: ['ns1.example.com.'] }
  await dns.recordsets.create(one, parent.id, cut)
  const zone = await signedZone(dns, 'child.example.com.')
  await pass(dns, 8)
  t.same(states(dns, zone), ['CSK 13 O O O'])
  await dns.dnssec.disable(one, zone.id, false)
  await dns.dnssec.enable(one, zone.id, { policyId: 'ed25519' })
  isHeld = true
  await pass(dns, 30)
  t.same(states(dns, zone), ['CSK 13 U U H', 'CSK 15 R O H'])
  const tags = () => dns.dnssec.get(one, zone.id).keys.map(({ row }) => row.tag)
  t.same(signersOf(dns, zone), tags(), 'signed by both, and answered with the old DNSKEY')
  release()
  await until(
    async () => countAt(dns, zone, types.DNSKEY) > 0 && signersOf(dns, zone).length,
    count => count === 1,
  )
  await pass(dns, 8)
  t.same(states(dns, zone), ['CSK 15 O O O'])
  t.same(signersOf(dns, zone), tags())
  t.same(dns.problems, [])
})
