import t from 'tap'
import { Bulk } from '../../../src/bulk/bulk.ts'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { defaultRefreshBounds } from '../../../src/model/refresh.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { installCopy } from '../../../src/service/secondaries/secondary-rows.ts'
import { HostAddresses } from '../../../src/service/targets/host-addresses.ts'
import { namedTargets, nameServerTargets } from '../../../src/service/targets/notify-targets.ts'
import { callerOf, openDns, primary } from '../../helpers/dns.ts'
import { copyFromText } from '../../helpers/scripted-client.ts'
import { newSecondary } from '../../helpers/secondary-zone.ts'

const bulk = new Bulk({ maxThreads: 0 })
const soa = '@ 300 SOA ns1 host 7 3600 600 86400 60'

async function open(lines: readonly string[], changes: Partial<Zone> = {}) {
  const dns = await openDns()
  const zone = newSecondary({ poolId: defaultPoolId, ...changes })
  await dns.store.commit(tx => tx.put('zones', zone))
  await installCopy(dns.store, zone, {
    copy: copyFromText([soa, ...lines].join('\n')),
    bulk,
    momentAt: atMicros => ({ atMicros, random: 0, bounds: defaultRefreshBounds }),
  })
  const lookedUp: string[] = []
  const hosts = new HostAddresses({
    resolveHost: async host => {
      lookedUp.push(host)
      return host.startsWith('many') ? Array.from({ length: 9 }, (_, i) => `203.0.113.${i}`) : []
    },
  })
  const pool = (attributes: Record<string, string> = {}) => ({
    ...dns.store.get('pools', defaultPoolId)!,
    attributes,
  })
  const targets = async (attributes?: Record<string, string>) => {
    const parts = { zone: dns.store.get('zones', zone.id)!, pool: pool(attributes), hosts }
    const found = await nameServerTargets(dns.store, parts)
    t.ok(found.every(({ port, namedBy }) => port === 53 && namedBy === 'project'))
    return found.map(({ host }) => host)
  }
  return { ...dns, zone, pool, targets, lookedUp }
}

t.test(
  'the other name servers: at what is stored here, or else in DNS, each address once',
  async t => {
    const { targets, lookedUp } = await open([
      '@ 300 NS ns1',
      '@ 300 NS NS2',
      '@ 300 NS ns3',
      '@ 300 NS many.example.net.',
      'ns1 300 A 192.0.2.1',
      'ns2 300 A 192.0.2.2',
      'ns2 300 AAAA 2001:db8::2',
      'ns3 300 A 192.0.2.2',
    ])
    t.strictSame(await targets(), [
      '192.0.2.2',
      '2001:db8::2',
      ...['203.0.113.0', '203.0.113.1', '203.0.113.2', '203.0.113.3'],
    ])
    t.strictSame(lookedUp, ['many.example.net.'])
    t.strictSame(await targets({ notify_ns: 'off' }), [])
    t.strictSame((await targets({ also_notify: '192.0.2.2:53' })).includes('192.0.2.2'), false)
  },
)

t.test('neither the primary, nor masters, nor servers of the pool', async t => {
  const { store, targets, pool } = await open(
    ['@ 300 NS ns1', '@ 300 NS ns9', '@ 300 NS ns8', 'ns9 300 A 192.0.2.9', 'ns8 300 A 192.0.2.8'],
    { masters: ['192.0.2.9:5300'] },
  )
  t.strictSame(await targets(), ['192.0.2.8'])
  const nsRecords = pool().nsRecords.map(row => ({ ...row, hostname: 'NS8.example.' }))
  await store.commit(tx => tx.put('pools', { ...pool(), nsRecords }))
  t.strictSame(await targets(), [])
})

t.test('a PRIMARY zone has those of its pool, and no zone has many', async t => {
  const names = Array.from({ length: 40 }, (_, i) => `n${i}`)
  const { zones, store, pool, targets } = await open([
    ...names.map(name => `@ 300 NS ${name}`),
    ...names.map((name, i) => `${name} 300 A 198.51.100.${i}`),
  ])
  t.equal((await targets()).length, 13)
  const zone = await zones.create(callerOf('one'), primary('example.com.'))
  const hosts = new HostAddresses({ resolveHost: async () => ['192.0.2.1'] })
  t.strictSame(await nameServerTargets(store, { zone, pool: pool(), hosts }), [])
})

t.test('a server that the pool names is notified with its key, and not without', async t => {
  const { store, zone, pool, tsigKeys } = await open([])
  const named = pool({ also_notify: '192.0.2.7 key:K1, 192.0.2.8:54' })
  const second = '192.0.2.8'
  t.match(namedTargets(store, zone, named), {
    targets: [{ host: second, port: 54, key: undefined, namedBy: 'operator' }],
    withoutKey: [{ host: '192.0.2.7', port: 53 }],
  })
  await tsigKeys.create({
    name: 'k1.',
    algorithm: 'hmac-sha256',
    secret: 'AQI=',
    scope: 'POOL',
    resourceId: defaultPoolId,
  })
  t.match(namedTargets(store, zone, named), {
    targets: [{ host: '192.0.2.7', key: { secret: Uint8Array.of(1, 2) } }, { host: second }],
    withoutKey: [],
  })
})
