import t from 'tap'
import { blacklistedZoneMessage } from '../../../src/model/blacklist.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { Blacklists } from '../../../src/service/rules/blacklists.ts'
import { requireAllowedName } from '../../../src/service/rules/zone-name-rules.ts'
import { callerOf, openDns, primary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const invalidTld =
  'Invalid TLD: administrators keep a list of TLDs here, and the name is below none'

const member = callerOf('one')
const admin = callerOf('one', 'admin')

function named(name: string, type: Zone['type'] = 'PRIMARY') {
  return { name, type }
}

async function dnsWith(rules: { readonly tlds?: string[]; readonly patterns?: string[] }) {
  const dns = await openDns()
  for (const name of rules.tlds ?? []) await dns.tlds.create({ name, description: null })
  for (const pattern of rules.patterns ?? [])
    await dns.blacklists.create({ pattern, description: null })
  return dns
}

t.test('where there are TLDs, a name must be below one of them', async t => {
  const { store } = await dnsWith({ tlds: ['com', 'co.uk'] })
  const rows: [name: string, message: string | undefined][] = [
    ['example.com.', undefined],
    ['a.b.example.com.', undefined],
    ['Example.COM.', undefined],
    ['example.co.uk.', undefined],
    ['com.', 'More than one label is required'],
    ['co.uk.', 'Zone name cannot be the same as a TLD'],
    ['CO.UK.', 'Zone name cannot be the same as a TLD'],
    ['example.uk.', invalidTld],
    ['example.org.', invalidTld],
    ['com.org.', invalidTld],
    ['example-com.', 'More than one label is required'],
  ]
  for (const [name, message] of rows) {
    const ask = () => requireAllowedName(store, member, named(name))
    if (message === undefined) t.doesNotThrow(ask, name)
    else t.throws(ask, { type: 'invalid_zone_name', message: new RegExp(message) }, name)
  }
})

t.test('without TLDs any name will do, and administrators have to mind them as well', async t => {
  const { store, tlds } = await dnsWith({ tlds: ['com'] })
  t.throws(
    () => requireAllowedName(store, admin, named('example.org.')),
    refusal('invalid_zone_name'),
  )
  const [tld] = [...store.list('tlds', 'all', '')]
  await tlds.delete(tld?.id ?? '')
  t.doesNotThrow(() => requireAllowedName(store, member, named('example.org.')))
})

t.test('an administrator may copy a top-level domain, where the API has it', async t => {
  const { store } = await dnsWith({ tlds: ['com', 'arpa'] })
  const mayCopyTopLevels = true
  const copy = named('arpa.', 'SECONDARY')
  t.doesNotThrow(() => requireAllowedName(store, { ...admin, mayCopyTopLevels }, copy))
  for (const [caller, zone] of [
    [admin, copy],
    [{ ...member, mayCopyTopLevels }, copy],
    [{ ...admin, mayCopyTopLevels }, named('arpa.')],
    [{ ...admin, mayCopyTopLevels }, named('in-addr.arpa.org.', 'SECONDARY')],
  ] as const)
    t.throws(() => requireAllowedName(store, caller, zone), refusal('invalid_zone_name'))
})

t.test(
  'a blacklisted name is refused to all but administrators, and to those where they are bound',
  async t => {
    const { store } = await dnsWith({ patterns: ['^(a+)+$', 'evil', '^exact\\.example\\.\\Z'] })
    const refused = { type: 'invalid_zone_name', message: blacklistedZoneMessage }
    for (const name of ['www.evil.example.', 'EVIL.example.', 'exact.example.']) {
      t.throws(() => requireAllowedName(store, member, named(name)), refused, name)
      t.doesNotThrow(() => requireAllowedName(store, admin, named(name)))
      const bound = { ...admin, isBoundByBlacklists: true }
      t.throws(() => requireAllowedName(store, bound, named(name)), refused, name)
    }
    t.doesNotThrow(() => requireAllowedName(store, member, named('inexact.example.')))
  },
)

t.test('a changed pattern counts at once, and zones that are there stay', async t => {
  const { store, zones, blacklists } = await dnsWith({ patterns: ['^never'] })
  const zone = await zones.create(member, primary('kept.example.'))
  const [row] = [...store.list('blacklists', 'all', '')]
  await blacklists.update(row?.id ?? '', { pattern: '^kept' })
  t.equal(zones.get(member, zone.id).name, 'kept.example.')
  await t.rejects(zones.create(member, primary('kept.two.example.')), refusal('invalid_zone_name'))
  t.ok(await zones.create(member, primary('never.example.')))
})

t.test('a stored pattern that cannot be compiled keeps nobody from a zone', async t => {
  const { store } = await dnsWith({})
  await store.commit(tx => {
    const stamp = { id: 'a', version: 1, createdAt: 1, updatedAt: null }
    tx.put('blacklists', { ...stamp, pattern: '(', description: null })
  })
  t.ok(new Blacklists(store))
  t.doesNotThrow(() => requireAllowedName(store, member, named('a.example.')))
})

t.test('the checks of a new zone come in Designate’s order', async t => {
  const dns = await dnsWith({ tlds: ['example'], patterns: ['bad'] })
  await dns.zones.create(callerOf('two'), primary('taken.example.'))
  const wrong = { ttlSeconds: 1, attributes: { pool_id: 'there is none' } }
  const low = await openDns({ store: dns.store, minTtlSeconds: 60 })
  await dns.quotas.set('one', { zones: 0 })
  const create = (name: string) => low.zones.create(member, primary(name, wrong))
  await t.rejects(create('no dot'), refusal('invalid_object'))
  await dns.quotas.set('one', { zones: 0 })
  await t.rejects(create('bad.taken.org.'), refusal('over_quota'))
  await dns.quotas.set('one', { zones: 1 })
  await t.rejects(create('bad.taken.org.'), { message: invalidTld })
  await t.rejects(create('bad.taken.example.'), { message: blacklistedZoneMessage })
  await t.rejects(create('below.taken.example.'), refusal('invalid_ttl'))
  const fine = { ...wrong, ttlSeconds: 60 }
  await t.rejects(
    low.zones.create(member, primary('below.taken.example.', fine)),
    refusal('illegal_child'),
  )
  await t.rejects(low.zones.create(member, primary('free.example.', fine)), refusal('forbidden'))
  await t.rejects(
    low.zones.create(admin, primary('free.example.', fine)),
    refusal('no_valid_pool_found'),
  )
})
