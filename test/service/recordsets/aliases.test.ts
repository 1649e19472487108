import t from 'tap'
import type { ResolvedAddresses } from '../../../src/service/recordsets/aliases.ts'
import {
  addresses,
  callerOf,
  openDns,
  piecesOf,
  primary,
  secondary,
  type TestDns,
} from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'
import { recordsetRow, uuidOf } from '../../helpers/store-rows.ts'
import { until } from '../../helpers/until.ts'

const one = callerOf('one')
const apex = 'example.com.'

/** A zone whose aliases lead to what the test says; a name that it does not have is not known. */
async function openAliased() {
  const known = new Map<string, ResolvedAddresses>()
  const asked: string[] = []
  const failing = new Set<string>()
  const unanswered = new Map<string, Promise<ResolvedAddresses>>()
  const dns = await openDns({
    resolve: async (name, type) => {
      asked.push(`${name} ${type}`)
      if (failing.has(type)) throw new Error(`no answer for ${type}`)
      const later = unanswered.get(name)
      if (later !== undefined) return later
      const found = known.get(`${name} ${type}`)
      if (found === undefined && !known.has(name)) throw new Error(`${name} does not exist`)
      return found ?? { addresses: [], ttlSeconds: 0 }
    },
  })
  const zone = await dns.zones.create(one, primary(apex))
  const put = (name: string, addressesOf: readonly string[], ttlSeconds = 300) => {
    const type = addressesOf.some(text => text.includes(':')) ? 'AAAA' : 'A'
    known.set(name, { addresses: [], ttlSeconds: 0 })
    known.set(`${name} ${type}`, { addresses: addressesOf, ttlSeconds })
  }
  const create = (name: string, type: string, ...records: string[]) =>
    dns.recordsets.create(one, zone.id, { ...addresses(name, ...records), type, ttlSeconds: 600 })
  const shown = (name = apex) =>
    [...dns.store.list('recordsets', 'byZone', zone.id)]
      .filter(row => row.name === name && ['A', 'AAAA'].includes(row.type))
      .map(({ type, ttlSeconds, records }) => `${ttlSeconds} ${type} ${records.join(' ')}`)
      .sort()
  const serial = () => dns.store.get('zones', zone.id)?.serial ?? 0
  return { dns, zone, known, asked, failing, unanswered, put, create, shown, serial }
}

async function refreshed({ aliases }: Pick<TestDns, 'aliases'>): Promise<void> {
  await aliases.refreshDue()
  await aliases.settled()
}

t.test('an ALIAS is answered as the addresses of its target, with the lower TTL', async t => {
  const { dns, put, create, shown, serial } = await openAliased()
  put('lb.example.net.', ['192.0.2.2', '192.0.2.1'])
  put('lb.example.net.', ['2001:db8::1'], 900)
  const made = await create(apex, 'ALIAS', 'lb.example.net.')
  const before = serial()
  await refreshed(dns)
  t.same(shown(), ['300 A 192.0.2.1 192.0.2.2', '600 AAAA 2001:db8::1'])
  t.equal(serial(), before + 1, 'both come with one serial')
  t.equal(dns.recordsets.stateOf(made).status, 'ACTIVE')
})

t.test(
  'what has not changed is not written, and a smaller TTL of a cache is no change',
  async t => {
    const { dns, put, create, shown, serial } = await openAliased()
    put('lb.example.net.', ['192.0.2.1'], 300)
    await create(apex, 'ALIAS', 'lb.example.net.')
    await refreshed(dns)
    const before = serial()
    put('lb.example.net.', ['192.0.2.1'], 200)
    dns.clock.advanceMillis(400_000)
    await refreshed(dns)
    t.equal(serial(), before)
    put('lb.example.net.', ['192.0.2.1'], 60)
    dns.clock.advanceMillis(400_000)
    await refreshed(dns)
    t.same(shown(), ['60 A 192.0.2.1'], 'its owner has made it shorter')
  },
)

t.test('of a target with more addresses, 20 are answered', async t => {
  const { dns, put, create, shown } = await openAliased()
  put(
    'lb.example.net.',
    Array.from({ length: 21 }, (_, i) => `192.0.2.${i + 1}`),
  )
  await create(apex, 'ALIAS', 'lb.example.net.')
  await refreshed(dns)
  t.equal(shown()[0]?.split(' A ')[1]?.split(' ').length, 20)
})

t.test('a target is asked for when its TTL is over, and not before', async t => {
  const { dns, asked, put, create } = await openAliased()
  put('lb.example.net.', ['192.0.2.1'], 100)
  await create(apex, 'ALIAS', 'lb.example.net.')
  await refreshed(dns)
  t.equal(asked.length, 2)
  dns.clock.advanceMillis(99_000)
  await refreshed(dns)
  t.equal(asked.length, 2)
  dns.clock.advanceMillis(3_000)
  await refreshed(dns)
  t.equal(asked.length, 4)
})

t.test('targets that do not answer delay no refresh of another project', async t => {
  const { dns, asked, unanswered, put, create } = await openAliased()
  put('lb.example.net.', ['192.0.2.1'], 100)
  const { promise, resolve } = Promise.withResolvers<ResolvedAddresses>()
  unanswered.set('dead.example.net.', promise)
  await create(apex, 'ALIAS', 'dead.example.net.')
  const other = callerOf('other')
  const zone = await dns.zones.create(other, primary('example.org.'))
  const alias = { ...addresses('example.org.', 'lb.example.net.'), type: 'ALIAS' }
  await dns.recordsets.create(other, zone.id, alias)
  const askedFor = () => asked.filter(text => text === 'lb.example.net. A').length
  await until(() => askedFor() === 1)
  dns.clock.advanceMillis(102_000)
  await until(async () => {
    await dns.aliases.refreshDue()
    return askedFor() === 2
  })
  t.ok(asked.includes('dead.example.net. A'), 'they were asked, too')
  resolve({ addresses: [], ttlSeconds: 0 })
  await dns.aliases.settled()
})

t.test('what was known last is answered while the target is not known, and it says so', async t => {
  const { dns, known, put, create, shown } = await openAliased()
  put('lb.example.net.', ['192.0.2.1'], 30)
  const made = await create(apex, 'ALIAS', 'lb.example.net.')
  await refreshed(dns)
  known.clear()
  dns.clock.advanceMillis(40_000)
  await refreshed(dns)
  t.same(shown(), ['30 A 192.0.2.1'])
  const { status, reason } = dns.recordsets.stateOf(made)
  t.equal(status, 'ERROR')
  t.equal(reason, 'lb.example.net. does not exist')
  put('lb.example.net.', ['192.0.2.9'], 30)
  dns.clock.advanceMillis(61_000)
  await refreshed(dns)
  t.same(shown(), ['30 A 192.0.2.9'])
  t.equal(dns.recordsets.stateOf(made).status, 'ACTIVE')
})

t.test('addresses of one family are followed while those of the other are not known', async t => {
  const { dns, failing, put, create, shown } = await openAliased()
  put('lb.example.net.', ['192.0.2.1'], 300)
  put('lb.example.net.', ['2001:db8::1'], 300)
  failing.add('AAAA')
  const made = await create(apex, 'ALIAS', 'lb.example.net.')
  await refreshed(dns)
  t.same(shown(), ['300 A 192.0.2.1'])
  t.match(dns.recordsets.stateOf(made), { status: 'ERROR', reason: 'no answer for AAAA' })
  failing.clear()
  dns.clock.advanceMillis(61_000)
  await refreshed(dns)
  t.same(shown(), ['300 A 192.0.2.1', '300 AAAA 2001:db8::1'])
  t.equal(dns.recordsets.stateOf(made).status, 'ACTIVE')
  failing.add('AAAA')
  put('lb.example.net.', ['192.0.2.2'], 300)
  dns.clock.advanceMillis(301_000)
  await refreshed(dns)
  t.same(shown(), ['300 A 192.0.2.2', '300 AAAA 2001:db8::1'], 'the last known stay')
  failing.add('A')
  dns.clock.advanceMillis(61_000)
  await refreshed(dns)
  t.same(shown(), ['300 A 192.0.2.2', '300 AAAA 2001:db8::1'])
})

t.test('its addresses go with it, and change with its target', async t => {
  const { dns, zone, put, create, shown, serial } = await openAliased()
  put('a.example.net.', ['192.0.2.1'])
  put('b.example.net.', ['2001:db8::2'])
  const { recordset } = await create('www.example.com.', 'ALIAS', 'a.example.net.')
  await refreshed(dns)
  const key = { zoneId: zone.id, id: recordset.id }
  await dns.recordsets.update(one, key, { records: ['b.example.net.'] })
  await refreshed(dns)
  t.same(shown('www.example.com.'), ['300 AAAA 2001:db8::2'])
  const before = serial()
  await dns.recordsets.delete(one, key)
  t.same(shown('www.example.com.'), [], 'in the same commit, so that no crash leaves them')
  await refreshed(dns)
  t.equal(serial(), before + 1)
})

t.test('one change replaces it by an address, and the other way round', async t => {
  const { dns, zone, put, create, shown } = await openAliased()
  put('lb.example.net.', ['192.0.2.1'])
  const name = 'www.example.com.'
  const alias = { ...addresses(name, 'lb.example.net.'), type: 'ALIAS', ttlSeconds: 600 }
  const own = { ...addresses(name, '192.0.2.7'), ttlSeconds: 60 }
  const replace = async (create: typeof own, type: string) => {
    const gone = { key: { name, type } }
    await dns.changeSets.apply(one, zone.id, { create: [create], replace: [], delete: [gone] })
    await refreshed(dns)
  }
  await create(name, 'ALIAS', 'lb.example.net.')
  await refreshed(dns)
  await replace(own, 'ALIAS')
  t.same(shown(name), ['60 A 192.0.2.7'])
  await replace(alias, 'A')
  t.same(shown(name), ['300 A 192.0.2.1'])
})

t.test('addresses that a file has in its place stay, also where they are the same', async t => {
  for (const address of ['192.0.2.1', '192.0.2.7']) {
    const { dns, zone, put, create, shown } = await openAliased()
    put('lb.example.net.', ['192.0.2.1'], 300)
    await create('www.example.com.', 'ALIAS', 'lb.example.net.')
    await refreshed(dns)
    const text = `$ORIGIN example.com.\n@ 600 SOA ns.example.net. ops 1 2 3 4 5\nwww 300 A ${address}\n`
    const file = { pieces: piecesOf(text), attributes: {}, replaces: true }
    const { id } = await dns.zoneImports.create(one, file)
    await dns.zoneImports.settled()
    t.match(dns.zoneImports.get(one, id), { status: 'COMPLETE' })
    await refreshed(dns)
    t.same(shown('www.example.com.'), [`300 A ${address}`])
    const rows = [...dns.store.list('recordsets', 'byZone', zone.id)]
    t.match(
      rows.filter(({ name }) => name.startsWith('www')),
      [{ type: 'A', isManaged: false }],
      'it is the owner’s',
    )
  }
})

t.test('there is no other address beside it, and nobody else writes those it has', async t => {
  const { dns, zone, put, create } = await openAliased()
  put('lb.example.net.', ['192.0.2.1'])
  await create(apex, 'ALIAS', 'lb.example.net.')
  await refreshed(dns)
  await t.rejects(create(apex, 'AAAA', '2001:db8::1'), refusal('invalid_recordset_location'))
  await t.rejects(create(apex, 'A', '192.0.2.7'), refusal('duplicate_recordset'))
  await t.resolves(create(apex, 'MX', '10 mail.example.com.'), 'anything else may be there')
  const own = [...dns.store.list('recordsets', 'byZone', zone.id)].find(row => row.type === 'A')
  const key = { zoneId: zone.id, id: own?.id ?? '' }
  await t.rejects(dns.recordsets.delete(one, key), refusal('bad_request'))
  await create('www.example.com.', 'A', '192.0.2.7')
  await t.rejects(
    create('www.example.com.', 'ALIAS', 'lb.example.net.'),
    refusal('invalid_recordset_location'),
  )
  await t.rejects(
    create('two.example.com.', 'ALIAS', 'a.example.net.', 'b.example.net.'),
    refusal('bad_request'),
  )
})

t.test('without a resolver it says what is missing', async t => {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary(apex))
  const draft = { ...addresses(apex, 'lb.example.net.'), type: 'ALIAS' }
  const made = await dns.recordsets.create(one, zone.id, draft)
  await refreshed(dns)
  t.match(dns.recordsets.stateOf(made).reason, /ZONEWRIGHT_ALIAS_RESOLVERS/)
})

t.test('those that were stored before a start are found again', async t => {
  const { dns, put, create } = await openAliased()
  put('lb.example.net.', ['192.0.2.1'])
  await create(apex, 'ALIAS', 'lb.example.net.')
  await refreshed(dns)
  const asked: string[] = []
  const next = await openDns({
    store: dns.store,
    resolve: async name => {
      asked.push(name)
      return { addresses: ['192.0.2.5'], ttlSeconds: 60 }
    },
  })
  await refreshed(next)
  t.same(asked, ['lb.example.net.', 'lb.example.net.'])
})

t.test('those of a zone file are followed', async t => {
  const { dns, put } = await openAliased()
  put('lb.example.net.', ['192.0.2.1'])
  const text =
    '$ORIGIN example.org.\n$TTL 600\n@ SOA ns.example.net. ops 1 2 3 4 5\n@ ALIAS lb.example.net.\n'
  await dns.zoneImports.create(one, { pieces: piecesOf(text), attributes: {} })
  await dns.zoneImports.settled()
  await refreshed(dns)
  const [imported] = dns.store.list('zones', 'byLowerName', 'example.org.')
  const rows = [...dns.store.list('recordsets', 'byZone', imported?.id ?? '')]
  t.same(rows.find(({ type }) => type === 'A')?.records, ['192.0.2.1'])
})

t.test('those of a SECONDARY zone come with their addresses, and are not asked for', async t => {
  const { dns, asked } = await openAliased()
  const zone = await dns.zones.create(one, secondary('example.org.'))
  const row = recordsetRow({
    id: uuidOf(1),
    zoneId: zone.id,
    name: 'example.org.',
    type: 'ALIAS',
    records: ['lb.example.net.'],
  })
  await dns.store.commit(tx => tx.put('recordsets', row))
  await refreshed(dns)
  t.same(asked, [])
})
