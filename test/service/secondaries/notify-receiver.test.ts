import t, { type Test } from 'tap'
import { Bulk } from '../../../src/bulk/bulk.ts'
import { alone } from '../../../src/cluster/cluster.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { NotifyReceiver } from '../../../src/service/secondaries/notify-receiver.ts'
import { Secondaries } from '../../../src/service/secondaries/secondaries.ts'
import { HostAddresses } from '../../../src/service/targets/host-addresses.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { ScriptedClient, transferred } from '../../helpers/scripted-client.ts'
import { newSecondary, secondaryId } from '../../helpers/secondary-zone.ts'
import { until } from '../../helpers/until.ts'

const zoneText = '@ 300 SOA ns host 7 3600 600 86400 60\n@ 300 NS ns'

async function bench(t: Test, zones: readonly Partial<Zone>[]) {
  const clock = fakeClock(1e12)
  const store = openMemoryStore({ clock })
  await store.commit(tx => {
    for (const [i, zone] of zones.entries())
      tx.put('zones', newSecondary({ id: secondaryId(i), ...zone }))
  })
  const client = new ScriptedClient(() => transferred(zoneText))
  const onEvent = () => undefined
  const secondaries = new Secondaries({
    cluster: alone,
    bulk: new Bulk({ maxThreads: 0 }),
    store,
    clock,
    client,
    random: () => 0,
    onEvent,
  })
  t.teardown(() => secondaries.close())
  /** What names lead to, and which have been looked up. */
  const addressesByHost = new Map<string, readonly string[]>()
  const lookedUp: string[] = []
  let nowMs = 0
  const receiver = new NotifyReceiver({
    store,
    secondaries,
    hosts: new HostAddresses({
      resolveHost: async host => {
        lookedUp.push(host)
        return addressesByHost.get(host) ?? []
      },
      nowMs: () => nowMs,
    }),
  })
  return {
    store,
    client,
    secondaries,
    receiver,
    addressesByHost,
    lookedUp,
    pass: (ms: number) => {
      nowMs += ms
    },
    zone: (id = secondaryId(0)) => store.get('zones', id) as Zone,
  }
}

const spellings: readonly (readonly [master: string, address: string, isMaster: boolean])[] = [
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1:5300', '192.0.2.1', true],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '::ffff:c000:201', true],
  ['[::ffff:192.0.2.1]:53', '192.0.2.1', true],
  ['[2001:DB8:0:0::1]:53', '2001:db8::1', true],
  ['[2001:db8::1]', '2001:0db8:0000:0000:0000:0000:0000:0001', true],
  ['[fe80::1]', 'fe80::1%eth0', true],
  ['192.0.2.1', '192.0.2.10', false],
  ['192.0.2.1', '::192.0.2.1', false],
  ['[2001:db8::1]', '2001:db8::2', false],
  ['192.0.2.1', '', false],
  ['no address', 'no address', false],
]

for (const [master, address, isMaster] of spellings) {
  t.test(`${address} ${isMaster ? 'is' : 'is not'} the master ${master}`, async t => {
    const { client, receiver, secondaries, lookedUp } = await bench(t, [
      { masters: ['192.0.2.99', master] },
    ])
    t.equal(await receiver.notified('example.', address), isMaster)
    await secondaries.settled()
    t.equal(client.asked.length, isMaster ? 1 : 0)
    t.strictSame(lookedUp, [])
  })
}

t.test('a NOTIFY fetches the zone at once, long before it is due', async t => {
  const { client, receiver, secondaries, zone } = await bench(t, [{}])
  await secondaries.refreshNow(secondaryId(0))
  client.script = () => transferred(zoneText.replace(' 7 ', ' 8 '))
  await secondaries.refreshDue()
  t.equal(client.asked.length, 1)
  t.ok(await receiver.notified('example.', '192.0.2.1'))
  await secondaries.settled()
  t.equal(client.asked.at(-1)?.knownSerial, 7)
  t.equal(zone().serial, 8)
})

t.test('NOTIFY during a transfer are heeded after it, once', async t => {
  const { client, receiver, secondaries } = await bench(t, [{}])
  const answer = Promise.withResolvers<void>()
  client.script = async () => {
    await answer.promise
    return transferred(zoneText)
  }
  await receiver.notified('example.', '192.0.2.1')
  await until(() => client.asked.length === 1)
  for (let i = 0; i < 50; i += 1) await receiver.notified('example.', '192.0.2.1')
  t.equal(client.asked.length, 1)
  const done = secondaries.refreshNow(secondaryId(0))
  answer.resolve()
  await done
  t.equal(client.asked.length, 2)
})

t.test('only SECONDARY zones that are there are refreshed, in all pools', async t => {
  const { client, receiver, secondaries, store } = await bench(t, [
    { poolId: 'pool-0', type: 'PRIMARY' },
    { poolId: 'pool-1', isDeleting: true },
    { poolId: 'pool-2', name: 'Example.' },
    { poolId: 'pool-3', masters: ['192.0.2.2'] },
    { poolId: 'pool-4' },
    { name: 'www.example.' },
  ])
  const refreshed: string[] = []
  const spy = new NotifyReceiver({
    store,
    secondaries: {
      async refreshNow(id) {
        refreshed.push(id)
      },
    },
    hosts: new HostAddresses({ resolveHost: async () => [] }),
  })
  t.ok(await spy.notified('example.', '192.0.2.1'))
  t.strictSame(refreshed.sort(), [secondaryId(2), secondaryId(4)])
  t.notOk(await receiver.notified('missing.example.', '192.0.2.1'))
  await store.commit(tx => tx.delete('zones', secondaryId(5)))
  t.notOk(await receiver.notified('www.example.', '192.0.2.1'))
  await secondaries.settled()
  t.strictSame(client.asked, [])
})

t.test('a named master is known by the addresses its name has', async t => {
  const masters = ['192.0.2.9', 'NS1.example.net', 'ns2.example.net:5300']
  const { receiver, addressesByHost, lookedUp, pass } = await bench(t, [{ masters }])
  addressesByHost.set('ns1.example.net', ['192.0.2.1', '2001:db8::1'])
  t.ok(await receiver.notified('example.', '192.0.2.9'))
  t.strictSame(lookedUp, [], 'who is known by his address is not looked up')
  t.ok(await receiver.notified('example.', '2001:DB8::1'))
  for (let i = 0; i < 100; i += 1) t.notOk(await receiver.notified('example.', '192.0.2.2'))
  t.strictSame(lookedUp, ['ns1.example.net', 'ns2.example.net'], 'a flood is not one of questions')
  addressesByHost.set('ns2.example.net', ['192.0.2.2'])
  pass(10_000)
  t.ok(await receiver.notified('example.', '192.0.2.2'))
})

t.test('a store that takes no changes has nothing fetched for it', async t => {
  const { client, receiver, store } = await bench(t, [{}])
  await store.close()
  t.notOk(await receiver.notified('example.', '192.0.2.1'))
  t.strictSame(client.asked, [])
})

t.test('after closing a NOTIFY does nothing', async t => {
  const { client, receiver, secondaries } = await bench(t, [{}])
  await secondaries.close()
  await receiver.notified('example.', '192.0.2.1')
  await secondaries.settled()
  t.strictSame(client.asked, [])
})

t.test('one that is signed with the key of the zone may come from anywhere', async t => {
  const secret = Buffer.alloc(32, 1).toString('base64')
  const attributes = { transfer_key: 'k' }
  const { store, client, receiver, secondaries } = await bench(t, [{ attributes }])
  await store.commit(tx => {
    for (const name of ['k', 'other'])
      tx.put('tsigKeys', {
        id: `id of ${name}`,
        version: 1,
        createdAt: 0,
        updatedAt: null,
        name,
        algorithm: 'hmac-sha256',
        secret,
        scope: 'POOL',
        resourceId: 'pool-1',
      })
  })
  const notified = (address: string, keyId?: string) =>
    receiver.notified('example.', address, keyId)
  t.equal(await notified('198.51.100.1'), false)
  t.equal(await notified('198.51.100.1', 'id of other'), false)
  t.equal(await notified('198.51.100.1', 'id of k'), true)
  await secondaries.settled()
  t.equal(client.asked.length, 1)
})
