import t from 'tap'
import { Bulk } from '../../../src/bulk/bulk.ts'
import { ChangingDuty, soleDuty } from '../../../src/cluster/duty.ts'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { formatHostPort } from '../../../src/host-port.ts'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { defaultRefreshBounds } from '../../../src/model/refresh.ts'
import { installCopy } from '../../../src/service/secondaries/secondary-rows.ts'
import type {
  ExternalTargetClient,
  ProbeResult,
} from '../../../src/service/targets/external-target-client.ts'
import { ExternalTargets } from '../../../src/service/targets/external-targets.ts'
import { HostAddresses } from '../../../src/service/targets/host-addresses.ts'
import { addresses, callerOf, openDns, primary, secondary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'
import { copyFromText } from '../../helpers/scripted-client.ts'
import { newSecondary, secondaryId } from '../../helpers/secondary-zone.ts'
import { until } from '../../helpers/until.ts'

const admin = callerOf('one', 'admin')

/** Name external targets that do what they are told. */
function scriptedServers() {
  const probes: string[] = []
  const notified: string[] = []
  const script = {
    answer: (_server: string): ProbeResult | Promise<ProbeResult> => ({ kind: 'absent' }),
    notifyProblem: undefined as string | undefined,
  }
  const client: ExternalTargetClient = {
    async probe(server, zone) {
      probes.push(`${formatHostPort(server)} ${formatName(zone)}`)
      return script.answer(formatHostPort(server))
    },
    async notify(server, zone) {
      notified.push(`${formatHostPort(server)} ${formatName(zone)}`)
      return script.notifyProblem
    },
  }
  return { client, probes, notified, script }
}

async function openWithPool(attributes: Record<string, string>) {
  const servers = scriptedServers()
  const dns = await openDns({ externalTargetClient: servers.client })
  const pool = await dns.pools.create({
    name: 'outside',
    description: null,
    projectId: null,
    provisioner: null,
    attributes,
    nsRecords: [{ hostname: 'ns1.example.net.', priority: 1 }],
  })
  const create = (name = 'example.com.') =>
    dns.zones.create(admin, primary(name, { attributes: { pool_id: pool.id } }))
  return { ...servers, dns, pool, create }
}

t.test('a zone is ACTIVE once every checked server serves its serial', async t => {
  const { dns, create, script, probes } = await openWithPool({
    check: '192.0.2.1, [2001:db8::1]:54',
  })
  let askedCount = 0
  script.answer = server => {
    askedCount += 1
    const isBehind = server.startsWith('[') && askedCount < 8
    const serial = [...dns.store.list('zones', 'byLowerName', 'example.com.')][0]?.serial ?? 0
    return { kind: 'serves', serial: isBehind ? serial - 1 : serial }
  }
  const zone = await create()
  t.match(dns.zones.stateOf(zone), { status: 'PENDING', action: 'CREATE', reason: null })
  await dns.externalTargets.idle()
  t.match(dns.zones.stateOf(zone), { status: 'ACTIVE', action: 'NONE' })
  t.ok(probes.includes('192.0.2.1:53 example.com.'))
  t.ok(probes.filter(probe => probe.startsWith('[2001:db8::1]:54')).length > 1)
  const { zone: changed } = await dns.recordsets.create(
    admin,
    zone.id,
    addresses('www.example.com.'),
  )
  t.match(dns.zones.stateOf(changed), { status: 'PENDING', action: 'UPDATE' })
  await dns.externalTargets.idle()
  t.match(dns.zones.stateOf(changed), { status: 'ACTIVE' })
})

t.test('what is wrong is said after bounded tries, and unsaid when it is right again', async t => {
  const rows: [answer: ProbeResult, reason: RegExp][] = [
    [
      { kind: 'failed', reason: 'nothing listens there' },
      /^192\.0\.2\.1:53: nothing listens there$/,
    ],
    [{ kind: 'absent' }, /it does not serve the zone/],
    [{ kind: 'serves', serial: 7 }, /it serves serial 7 and not \d+/],
  ]
  for (const [answer, reason] of rows) {
    const { dns, create, script, probes } = await openWithPool({ check: '192.0.2.1' })
    script.answer = () => answer
    const zone = await create()
    await dns.externalTargets.idle()
    t.match(dns.zones.stateOf(zone), { status: 'ERROR', action: 'CREATE', reason })
    t.ok(probes.length <= 10, 'there is an end to it')
    dns.externalTargets.recheck()
    await dns.externalTargets.idle()
    t.match(dns.zones.stateOf(zone), { status: 'ERROR', reason })
    script.answer = () => ({ kind: 'serves', serial: zone.serial })
    dns.externalTargets.recheck()
    await dns.externalTargets.idle()
    t.match(dns.zones.stateOf(zone), { status: 'ACTIVE', reason: null })
    const askedCount = probes.length
    dns.externalTargets.recheck()
    await dns.externalTargets.idle()
    t.equal(probes.length, askedCount, 'what is well is left alone')
  }
})

t.test('a server that is silent holds up one zone, and the others say so at once', async t => {
  const { dns, create, script, probes } = await openWithPool({ check: '192.0.2.1' })
  script.answer = () => ({ kind: 'failed', reason: 'no answer within 2 s' })
  await create()
  await dns.externalTargets.idle()
  const askedCount = probes.length
  const other = await create('example.org.')
  t.match(dns.zones.stateOf(other), { status: 'ERROR', reason: /no answer/ })
  await dns.externalTargets.idle()
  t.ok(probes.length - askedCount <= 2)
})

t.test('servers are notified of each change that they could see', async t => {
  const { dns, create, notified, script } = await openWithPool({ also_notify: '192.0.2.7:5353' })
  const zone = await create()
  t.match(dns.zones.stateOf(zone), { status: 'ACTIVE' }, 'nobody has to be asked')
  await dns.externalTargets.idle()
  t.same(notified, ['192.0.2.7:5353 example.com.'])
  await dns.recordsets.create(admin, zone.id, addresses('www.example.com.'))
  await dns.recordsets.create(admin, zone.id, addresses('ftp.example.com.'))
  await dns.externalTargets.idle()
  t.ok(notified.length >= 2)
  const notifiedCount = notified.length
  script.notifyProblem = 'it answers NOTAUTH'
  await dns.zones.update(admin, zone.id, { ttlSeconds: 60 })
  await dns.externalTargets.idle()
  t.ok(notified.length > notifiedCount)
  t.same(dns.unacknowledged, ['example.com. 192.0.2.7:5353: it answers NOTAUTH'])
})

t.test('a deleted zone goes when the last server has let go of it', async t => {
  const { dns, create, script } = await openWithPool({ check: '192.0.2.1' })
  const zone = await create()
  script.answer = () => ({ kind: 'serves', serial: zone.serial })
  await dns.externalTargets.idle()
  const deleted = await dns.zones.delete(admin, zone.id)
  t.match(dns.zones.stateOf(deleted), { status: 'PENDING', action: 'DELETE' })
  await dns.externalTargets.idle()
  t.match(dns.zones.stateOf(deleted), {
    status: 'ERROR',
    action: 'DELETE',
    reason: /it still serves the zone/,
  })
  t.ok(dns.store.get('zones', zone.id), 'its name is still taken')
  await t.rejects(create(), refusal('duplicate_zone'))
  script.answer = () => ({ kind: 'absent' })
  dns.externalTargets.recheck()
  await dns.externalTargets.idle()
  await dns.removal.finishAll()
  t.equal(dns.store.get('zones', zone.id), undefined)
  t.equal(dns.store.count('recordsets', 'byZone', zone.id), 0)
})

t.test('abandoning a zone that is being deleted waits for nobody', async t => {
  const { dns, create, script } = await openWithPool({ check: '192.0.2.1' })
  const zone = await create()
  script.answer = () => ({ kind: 'serves', serial: zone.serial })
  await dns.externalTargets.idle()
  await dns.zones.delete(admin, zone.id)
  t.ok(dns.store.get('zones', zone.id))
  await dns.zones.abandon(admin, zone.id)
  t.equal(dns.store.get('zones', zone.id), undefined)
  await dns.externalTargets.idle()
})

t.test('a server that does not answer is not taken for one that has let go', async t => {
  const { dns, create, script } = await openWithPool({ check: '192.0.2.1' })
  script.answer = () => ({ kind: 'failed', reason: 'no answer' })
  const zone = await create()
  await dns.externalTargets.idle()
  await dns.zones.delete(admin, zone.id)
  await dns.externalTargets.idle()
  await dns.removal.finishAll()
  t.ok(dns.store.get('zones', zone.id))
})

t.test('a pool that gets other servers has its zones asked for there', async t => {
  const { dns, create, pool, script, probes } = await openWithPool({})
  const zone = await create()
  t.match(dns.zones.stateOf(zone), { status: 'ACTIVE' })
  const { promise, resolve } = Promise.withResolvers<ProbeResult>()
  script.answer = () => promise
  await dns.pools.update(pool.id, { attributes: { check: '192.0.2.9' } })
  t.match(dns.zones.stateOf(zone), { status: 'PENDING' })
  resolve({ kind: 'serves', serial: zone.serial })
  await dns.externalTargets.idle()
  t.match(dns.zones.stateOf(zone), { status: 'ACTIVE' })
  t.ok(probes.every(probe => probe === '192.0.2.9:53 example.com.'))
  await dns.pools.update(pool.id, { attributes: {} })
  t.match(dns.zones.stateOf(zone), { status: 'ACTIVE' })
})

t.test('after a restart all zones are asked for again', async t => {
  const { dns, create, script, client } = await openWithPool({ check: '192.0.2.1' })
  const zone = await create()
  script.answer = () => ({ kind: 'serves', serial: zone.serial })
  await dns.externalTargets.idle()
  const restarted = await openDns({ store: dns.store, externalTargetClient: client })
  t.match(restarted.zones.stateOf(zone), { status: 'PENDING' })
  await restarted.externalTargets.start()
  await restarted.externalTargets.idle()
  t.match(restarted.zones.stateOf(zone), { status: 'ACTIVE' })
  await restarted.externalTargets.close()
  await restarted.recordsets.create(admin, zone.id, addresses('www.example.com.'))
  await restarted.externalTargets.idle()
})

t.test('a zone that moves is asked for at its new pool’s servers', async t => {
  const { dns, create, script, probes } = await openWithPool({ check: '192.0.2.1' })
  const zone = await create()
  script.answer = () => ({ kind: 'serves', serial: zone.serial })
  await dns.externalTargets.idle()
  const moved = await dns.zones.movePool(admin, zone.id, undefined)
  t.match(dns.zones.stateOf(moved), { status: 'ACTIVE' }, 'the default pool has none elsewhere')
  const askedCount = probes.length
  await dns.externalTargets.idle()
  t.equal(probes.length, askedCount)
})

t.test('a copy that is not there yet is not counted as served', async t => {
  const { dns, pool } = await openWithPool({ check: '192.0.2.1' })
  const attributes = { pool_id: pool.id }
  const zone = await dns.zones.create(admin, secondary('example.net.', { attributes }))
  await dns.externalTargets.idle()
  t.match(dns.zones.stateOf(zone).status, /PENDING|ERROR/)
})

t.test('zones of which nobody elsewhere has been told yet are counted', async t => {
  const { dns, client, create } = await openWithPool({ also_notify: '192.0.2.53' })
  const pauses = Promise.withResolvers<void>()
  const externalTargets = new ExternalTargets({
    duty: soleDuty,
    store: dns.store,
    client,
    hosts: new HostAddresses({ resolveHost: async () => [] }),
    pause: () => pauses.promise,
    onUnacknowledged: (_zone, server) => t.fail(server),
    onBroken: (_zone, error) => t.fail('broken', { error }),
  })
  t.equal(externalTargets.unnotifiedCount, 0)
  for (const name of ['a.example.', 'b.example.']) externalTargets.zoneChanged(await create(name))
  t.equal(externalTargets.unnotifiedCount, 2)
  pauses.resolve()
  await externalTargets.idle()
  t.equal(externalTargets.unnotifiedCount, 0)
})

t.test('name servers of a SECONDARY zone are notified in turns, silent ones once', async t => {
  const { dns, client, notified, script } = await openWithPool({})
  const zone = newSecondary({ poolId: defaultPoolId, transferredAt: 1 })
  const attempts: (number | undefined)[] = []
  const pausesMs: number[] = []
  const externalTargets = new ExternalTargets({
    duty: soleDuty,
    store: dns.store,
    client: {
      ...client,
      notify(target, name, options) {
        attempts.push(options.maxAttempts)
        return client.notify(target, name, options)
      },
    },
    hosts: new HostAddresses({ resolveHost: async () => ['192.0.2.8', '2001:db8::8'] }),
    pause: async ms => void pausesMs.push(ms),
    onUnacknowledged: (_zone, server) => t.fail(server),
    onBroken: (_zone, error) => t.fail('broken', { error }),
  })
  const text = '@ 300 SOA ns1 host 7 3600 600 86400 60\n@ 300 NS ns1\n@ 300 NS ns.example.net.'
  await dns.store.commit(tx => tx.put('zones', zone))
  await installCopy(dns.store, zone, {
    copy: copyFromText(text),
    bulk: new Bulk({ maxThreads: 0 }),
    momentAt: atMicros => ({ atMicros, random: 0, bounds: defaultRefreshBounds }),
  })
  const all = ['192.0.2.8:53 example.', '[2001:db8::8]:53 example.']
  for (const problem of ['no answer within 1 s', undefined, undefined]) {
    notified.length = 0
    pausesMs.length = 0
    script.notifyProblem = problem
    externalTargets.zoneChanged(dns.store.get('zones', zone.id)!)
    await externalTargets.idle()
    t.strictSame(notified.toSorted(), all.toSorted())
    t.ok(pausesMs.filter(ms => ms === 100).length >= 4, 'a turn of the project and of each address')
  }
  t.strictSame(attempts, [undefined, undefined, 1, 1, undefined, undefined])
})

t.test(
  'after a start, name servers of the SECONDARY zones that were transferred last are notified',
  async t => {
    const { dns, client, notified } = await openWithPool({})
    const transfer = async (number: number) => {
      const some = { id: secondaryId(number), name: `example${number}.`, transferredAt: 1 }
      const zone = newSecondary({ ...some, poolId: defaultPoolId })
      await dns.store.commit(tx => tx.put('zones', zone))
      await installCopy(dns.store, zone, {
        copy: copyFromText(
          '@ 300 SOA ns1 host 7 3600 600 86400 60\n@ 300 NS ns.example.net.',
          parseName(zone.name),
        ),
        bulk: new Bulk({ maxThreads: 0 }),
        momentAt: atMicros => ({ atMicros, random: 0, bounds: defaultRefreshBounds }),
      })
    }
    await transfer(1)
    dns.clock.advanceMillis(600_000)
    await transfer(2)
    dns.clock.advanceMillis(60_000)
    await transfer(3)
    await dns.externalTargets.idle()
    // A NOTIFY that was due when the process was killed has not been sent.
    const restarted = new ExternalTargets({
      duty: soleDuty,
      store: dns.store,
      client,
      hosts: new HostAddresses({ resolveHost: async () => ['192.0.2.8'] }),
      pause: async () => undefined,
      onUnacknowledged: (_zone, server) => t.fail(server),
      onBroken: (_zone, error) => t.fail('broken', { error }),
    })
    notified.length = 0
    await restarted.start()
    await restarted.idle()
    t.strictSame(notified.toSorted(), ['192.0.2.8:53 example2.', '192.0.2.8:53 example3.'])
  },
)

t.test('name servers that a project has named hold up none that a pool names', async t => {
  const { dns, client, create } = await openWithPool({ also_notify: '192.0.2.53' })
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const told = new Set<string>()
  let addressCount = 0
  let pauseCount = 0
  const nextAddress = () => `2001:db8::${(addressCount++).toString(16)}`
  const externalTargets = new ExternalTargets({
    duty: soleDuty,
    store: dns.store,
    client: {
      ...client,
      notify(target) {
        told.add(target.namedBy)
        return promise
      },
    },
    hosts: new HostAddresses({ resolveHost: async () => Array.from({ length: 4 }, nextAddress) }),
    pause: async () => void pauseCount++,
    onUnacknowledged: (_zone, server) => t.fail(server),
    onBroken: (_zone, error) => t.fail('broken', { error }),
  })
  for (const number of [1, 2, 3]) {
    const name = `example${number}.`
    const servers = Array.from({ length: 13 }, (_, i) => `@ 300 NS ns${i}.${number}.example.net.`)
    const some = { poolId: defaultPoolId, transferredAt: 1, id: secondaryId(number), name }
    const zone = newSecondary(some)
    await dns.store.commit(tx => tx.put('zones', zone))
    const text = `@ 300 SOA ns1 host 7 3600 600 86400 60\n${servers.join('\n')}`
    await installCopy(dns.store, zone, {
      copy: copyFromText(text, parseName(name)),
      bulk: new Bulk({ maxThreads: 0 }),
      momentAt: atMicros => ({ atMicros, random: 0, bounds: defaultRefreshBounds }),
    })
    externalTargets.zoneChanged(dns.store.get('zones', zone.id)!)
  }
  // One before each zone, and two before each address.
  await until(() => pauseCount === 3 + 2 * 3 * 13 * 4)
  externalTargets.zoneChanged(await create())
  await until(() => told.has('operator'))
  t.ok(told.size > 1, 'those of the project were notified, too')
  resolve(undefined)
  await externalTargets.idle()
})

t.test('of several nodes each asks, and the one with the duty notifies', async t => {
  const { client, probes, notified } = scriptedServers()
  const duty = new ChangingDuty()
  const { dns, create } = await openWithPool({ check: '192.0.2.1', also_notify: '192.0.2.1' })
  const targets = new ExternalTargets({
    store: dns.store,
    duty,
    client,
    hosts: new HostAddresses({ resolveHost: async () => [] }),
    onUnacknowledged: () => t.fail('acknowledged'),
    onBroken: (_zone, error) => t.fail('broken', { error }),
    pause: async () => undefined,
  })
  t.teardown(() => targets.close())
  const zone = await create()
  targets.zoneChanged(zone)
  await targets.idle()
  t.not(probes.length, 0)
  t.equal(notified.length, 0)
  duty.take(1)
  await targets.start()
  await targets.idle()
  t.strictSame(notified, ['192.0.2.1:53 example.com.'])
})
