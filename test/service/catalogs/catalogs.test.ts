import t from 'tap'
import { Bulk } from '../../../src/bulk/bulk.ts'
import { parseName } from '../../../src/dns/name.ts'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { defaultRefreshBounds } from '../../../src/model/refresh.ts'
import type { Zone } from '../../../src/model/zone.ts'
import {
  CatalogConsumer,
  type CatalogEvent,
} from '../../../src/service/catalogs/catalog-consumer.ts'
import { CatalogProducer } from '../../../src/service/catalogs/catalog-producer.ts'
import { installCopy } from '../../../src/service/secondaries/secondary-rows.ts'
import type { Store } from '../../../src/store/store.ts'
import { addresses, callerOf, openDns, primary, secondary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'
import { copyFromText } from '../../helpers/scripted-client.ts'

const admin = callerOf('one', 'admin')
const member = callerOf('one')
const bulk = new Bulk({ maxThreads: 0 })
const apex = 'catalog.example.'

async function openProducer(onCommit = () => undefined) {
  let producer: CatalogProducer | undefined
  const dns = await openDns({ onPublished: commit => producer?.commitPublished(commit) })
  producer = new CatalogProducer({
    store: dns.store,
    onBroken: (_, error) => t.fail('broken', { error }),
    pause: async () => onCommit(),
  })
  producer.start()
  const catalog = await dns.zones.create(
    admin,
    primary(apex, { attributes: { catalog: 'producer' } }),
  )
  const lines = async () => {
    await producer.idle()
    return [...dns.store.list('recordsets', 'byZone', catalog.id)]
      .filter(({ type }) => type !== 'SOA' && type !== 'NS')
      .map(({ name, type, records }) => `${name} ${type} ${records.join(' ')}`)
      .toSorted()
  }
  return { ...dns, producer, catalog, lines }
}

const labelOf = ({ id }: Zone) => id.replaceAll('-', '')
const version = `version.${apex} TXT "2"`

t.test('the catalog of a pool lists its zones, and follows them', async t => {
  const { zones, catalog, lines, store } = await openProducer()
  t.strictSame(await lines(), [version])
  const one = await zones.create(member, primary('One.example.'))
  const two = await zones.create(callerOf('two'), primary('two.example.'))
  await zones.create(member, secondary('three.example.'))
  t.strictSame(
    await lines(),
    [
      `${labelOf(one)}.zones.${apex} PTR One.example.`,
      `${labelOf(two)}.zones.${apex} PTR two.example.`,
      version,
    ].toSorted(),
    'without one that has no copy',
  )
  const { serial } = store.get('zones', catalog.id) as Zone
  await zones.update(member, one.id, { description: 'other' })
  await lines()
  t.equal(store.get('zones', catalog.id)?.serial, serial, 'other changes are none of it')
  const attributes = { catalog_group: 'fast', catalog_coo: 'next.example.' }
  await t.rejects(zones.update(member, one.id, { attributes }), refusal('forbidden'))
  await zones.update(admin, one.id, { attributes })
  await zones.delete(callerOf('two'), two.id)
  t.strictSame(
    await lines(),
    [
      `${labelOf(one)}.zones.${apex} PTR One.example.`,
      `coo.${labelOf(one)}.zones.${apex} PTR next.example.`,
      `group.${labelOf(one)}.zones.${apex} TXT "fast"`,
      version,
    ].toSorted(),
  )
  const again = await zones.create(callerOf('two'), primary('two.example.'))
  t.not(labelOf(again), labelOf(two))
  t.ok((await lines()).includes(`${labelOf(again)}.zones.${apex} PTR two.example.`))
})

t.test('a pool has one catalog, which an operator makes and nobody writes to', async t => {
  const { zones, catalog, recordsets, store, lines } = await openProducer()
  const another = primary('other.example.', { attributes: { catalog: 'producer' } })
  await t.rejects(zones.create(admin, another), refusal('bad_request'))
  await zones.delete(admin, catalog.id)
  await t.rejects(zones.create(member, another), refusal('forbidden'))
  const { id } = await zones.create(admin, another)
  await lines()
  const [row] = [...store.list('recordsets', 'byZone', id)].filter(({ type }) => type === 'TXT')
  const key = { zoneId: id, id: row?.id ?? '' }
  await t.rejects(recordsets.delete(admin, key), refusal('bad_request'))
})

t.test('after a restart a catalog is compared as a whole', async t => {
  const { store, zones, catalog, lines, producer } = await openProducer()
  const one = await zones.create(member, primary('one.example.'))
  const two = await zones.create(member, primary('two.example.'))
  await lines()
  await producer.close()
  await zones.delete(member, one.id)
  const three = await zones.create(member, primary('three.example.'))
  const again = new CatalogProducer({
    store,
    onBroken: () => undefined,
    pause: async () => undefined,
  })
  again.start()
  await again.idle()
  const names = [...store.list('recordsets', 'byZone', catalog.id)].flatMap(({ type, records }) =>
    type === 'PTR' ? records : [],
  )
  t.strictSame(names.toSorted(), [three.name, two.name].toSorted())
  const { serial } = store.get('zones', catalog.id) as Zone
  again.start()
  await again.idle()
  t.equal(store.get('zones', catalog.id)?.serial, serial)
})

t.test('a zone that changes while its catalog is written is written again', async t => {
  let producer: CatalogProducer | undefined
  const dns = await openDns({ onPublished: commit => producer?.commitPublished(commit) })
  const { store, zones } = dns
  const attributes = { catalog: 'producer' }
  const catalog = await zones.create(admin, primary(apex, { attributes }))
  const zone = await zones.create(member, primary('a.example.'))
  const commit: Store['commit'] = async work => {
    const done = await store.commit(work)
    if (store.get('zones', zone.id) !== undefined) await zones.delete(member, zone.id)
    return done
  }
  const slowStore = new Proxy(store, {
    get: (_, name) => {
      const value = name === 'commit' ? commit : Reflect.get(store, name)
      return typeof value === 'function' ? value.bind(store) : value
    },
  })
  producer = new CatalogProducer({
    store: slowStore,
    onBroken: (_, error) => t.fail('broken', { error }),
    pause: async () => undefined,
  })
  producer.start()
  await producer.idle()
  t.equal(store.get('zones', zone.id), undefined)
  const names = [...store.list('recordsets', 'byZone', catalog.id)].map(({ type }) => type)
  t.notOk(names.includes('PTR'))
})

async function openConsumer(attributes: Record<string, string> = {}) {
  let consumer: CatalogConsumer | undefined
  const dns = await openDns({ onPublished: commit => consumer?.commitPublished(commit) })
  const { store, zones } = dns
  const events: CatalogEvent[] = []
  const fetched: string[] = []
  consumer = new CatalogConsumer({
    store,
    zones,
    onTransferWanted: zone => fetched.push(zone.name),
    onEvent: event => events.push(event),
  })
  let serial = 0
  const newCatalog = async (name = 'catz.example.') =>
    zones.create(
      member,
      secondary(name, {
        masters: ['192.0.2.1:5300'],
        attributes: { catalog: 'consumer', ...attributes },
      }),
    )
  const catalog = await newCatalog()
  const apply = async (lines: readonly string[], of = catalog) => {
    serial += 1
    const text = [`@ 0 SOA ns host ${serial} 3600 600 86400 60`, '@ 0 NS invalid.', ...lines]
    await installCopy(store, store.get('zones', of.id) as Zone, {
      copy: copyFromText(text.join('\n'), parseName(of.name)),
      bulk,
      momentAt: atMicros => ({ atMicros, random: 0, bounds: defaultRefreshBounds }),
    })
    await consumer.idle()
    return members()
  }
  const members = () =>
    [...store.list('zones', 'byProject', 'one')]
      .filter(zone => zone.member !== undefined)
      .map(zone => `${zone.member?.label} ${zone.name}`)
      .toSorted()
  const named = (name: string) => [...store.list('zones', 'byLowerName', name)].at(0) as Zone
  return { ...dns, catalog, consumer, events, fetched, apply, named, newCatalog }
}

const v2 = 'version 0 TXT "2"'

t.test('zones that a catalog lists are made, with its masters and key, and deleted', async t => {
  const { apply, named, fetched, catalog, events } = await openConsumer({ transfer_key: 'k' })
  t.strictSame(
    await apply([v2, 'a.zones 0 PTR a.test.', 'b.zones 0 PTR b.test.', 'group.b.zones 0 TXT "g"']),
    ['a a.test.', 'b b.test.'],
  )
  t.match(named('a.test.'), {
    type: 'SECONDARY',
    projectId: 'one',
    poolId: defaultPoolId,
    masters: ['192.0.2.1:5300'],
    hasTrustedMasters: false,
    attributes: { transfer_key: 'k' },
    member: { catalogId: catalog.id, label: 'a' },
  })
  t.equal(named('b.test.').attributes.catalog_group, 'g')
  t.strictSame(fetched.toSorted(), ['a.test.', 'b.test.'])
  const { id } = named('b.test.')
  t.strictSame(await apply([v2, 'b.zones 0 PTR b.test.']), ['b b.test.'])
  t.equal(named('b.test.').id, id)
  t.notOk('catalog_group' in named('b.test.').attributes, 'a group that is gone is gone here')
  t.strictSame(await apply([v2, 'c.zones 0 PTR b.test.']), ['c b.test.'])
  t.not(named('b.test.').id, id, 'another label is another zone')
  t.strictSame(await apply([]), ['c b.test.'], 'a catalog without a version changes nothing')
  t.match(events.at(-1), { kind: 'refused', reason: /version/ })
  t.match(named(catalog.name).catalogProblem, /version/)
  t.strictSame(await apply([v2]), [])
  t.notOk('catalogProblem' in named(catalog.name))
})

t.test('a zone goes or begins anew whatever is below it', async t => {
  const { apply, named, events } = await openConsumer()
  const lines = ['a.zones 0 PTR a.test.', 'b.zones 0 PTR sub.a.test.']
  await apply([v2, ...lines])
  const { id } = named('a.test.')
  t.strictSame(await apply([v2, 'c.zones 0 PTR a.test.', lines[1]!]), [
    'b sub.a.test.',
    'c a.test.',
  ])
  t.not(named('a.test.').id, id)
  t.strictSame(await apply([v2, lines[1]!]), ['b sub.a.test.'])
  await apply([v2, ...lines])
  t.strictSame(await apply([v2]), [], 'both at once')
  t.notOk(events.some(({ kind }) => kind === 'refused'))
})

t.test('members follow the masters and the key of their catalog', async t => {
  const { apply, zones, catalog, consumer, named, fetched } = await openConsumer({
    transfer_key: 'k',
  })
  await apply([v2, 'a.zones 0 PTR a.test.'])
  fetched.length = 0
  const attributes = { transfer_key: null }
  await zones.update(member, catalog.id, { masters: ['192.0.2.9'], attributes })
  await consumer.idle()
  t.strictSame(named('a.test.').masters, ['192.0.2.9'])
  t.notOk('transfer_key' in named('a.test.').attributes)
  t.strictSame(fetched, ['a.test.'])
})

t.test('quotas, name spaces and zones that are there hold for catalogs too', async t => {
  const { apply, quotas, zones, events, consumer, catalog, named } = await openConsumer()
  await zones.create(callerOf('two'), primary('theirs.test.'))
  await zones.create(member, primary('ours.test.'))
  const lines = ['theirs', 'www.theirs', 'ours', 'a', 'b'].map(
    (name, i) => `m${i}.zones 0 PTR ${name}.test.`,
  )
  await quotas.set('one', { zones: 3 })
  t.strictSame(await apply([v2, ...lines]), ['m3 a.test.'])
  t.strictSame(
    events.flatMap(event => (event.kind === 'refused' ? (event.zone ?? '') : [])),
    ['theirs.test.', 'www.theirs.test.', 'ours.test.', 'b.test.'],
  )
  t.match(named(catalog.name).catalogProblem, /^theirs\.test\.: .*; ours\.test\.: .*; and 1 more$/)
  consumer.recheck()
  await consumer.idle()
  t.match(events.at(-1), { zone: 'www.theirs.test.', reason: /^Quota/ }, 'another reason is news')
  const eventCount = events.length
  consumer.recheck()
  await consumer.idle()
  t.equal(events.length, eventCount, 'what is still refused for the same reason is not')
  await quotas.set('one', { zones: 4 })
  consumer.recheck()
  await consumer.idle()
  t.match(events.at(-1), { kind: 'applied', created: 1, deleted: 0 })
})

t.test('a zone changes its catalog where the first says so (coo)', async t => {
  const { apply, newCatalog, named, catalog, store, events } = await openConsumer()
  const lines = [v2, 'a.zones 0 PTR a.test.', 'b.zones 0 PTR b.test.']
  await apply(lines)
  const next = await newCatalog('next.example.')
  const { id } = named('a.test.')
  await apply(lines, next)
  t.equal(named('a.test.').member?.catalogId, catalog.id)
  await apply([...lines, 'coo.a.zones 0 PTR next.example.'])
  await apply(lines, next)
  t.match(named('a.test.'), { id, member: { catalogId: next.id, label: 'a' } })
  t.equal(named('b.test.').member?.catalogId, catalog.id)
  await apply([...lines, 'coo.a.zones 0 PTR next.example.', 'c.zones 0 PTR c.test.'])
  t.match(named('a.test.'), { id, member: { catalogId: next.id } })
  t.notOk('catalogProblem' in named(catalog.name), 'both may list it while it changes hands')
  t.match(events.at(-1), { kind: 'applied', catalog: catalog.name, created: 1, deleted: 0 })
  await apply([v2])
  t.equal(store.get('zones', id)?.isDeleting, false, 'it is not the first’s to delete any more')
})

t.test('a zone that the next catalog drops goes back to the one that still lists it', async t => {
  const { apply, newCatalog, named, catalog, consumer } = await openConsumer()
  const lines = [v2, 'a.zones 0 PTR a.test.']
  await apply(lines)
  const next = await newCatalog('next.example.')
  const handedOver = [...lines, 'coo.a.zones 0 PTR next.example.']
  await apply(handedOver)
  await apply(lines, next)
  await apply(handedOver)
  t.equal(named('a.test.').member?.catalogId, next.id)
  await apply([v2], next)
  consumer.recheck()
  await consumer.idle()
  t.match(named('a.test.'), { member: { catalogId: catalog.id } })
})

t.test('what is in a catalog is a zone like any other', async t => {
  const { apply, named, recordsets } = await openConsumer()
  await apply([v2, 'a.zones 0 PTR a.test.'])
  await t.rejects(recordsets.create(member, named('a.test.').id, addresses('www.a.test.')))
})
