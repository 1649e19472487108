import t from 'tap'
import { HashmapGroups } from '../../../src/rating/hashmap/groups.ts'
import { HashmapRules, type RuleDraft } from '../../../src/rating/hashmap/rules.ts'
import { HashmapFields, HashmapServices } from '../../../src/rating/hashmap/services.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { refusal } from '../../helpers/refusal.ts'

const by = { by: 'jo' }

async function openHashmap() {
  const store = openMemoryStore({ clock: fakeClock() })
  const services = new HashmapServices(store)
  const fields = new HashmapFields(store)
  const groups = new HashmapGroups(store)
  const service = await services.create('dns.queries')
  return {
    store,
    services,
    fields,
    groups,
    mappings: new HashmapRules(store, 'hashmapMappings'),
    thresholds: new HashmapRules(store, 'hashmapThresholds'),
    service,
    field: await fields.create({ serviceId: service.id, name: 'rcode' }),
    group: await groups.create('dns'),
  }
}

function rule(more: Partial<RuleDraft<'hashmapMappings'>>): RuleDraft<'hashmapMappings'> {
  return {
    serviceId: null,
    fieldId: null,
    groupId: null,
    tenantId: null,
    type: 'flat',
    cost: '1',
    name: null,
    description: null,
    start: null,
    end: null,
    value: null,
    ...more,
  }
}

function level(more: Partial<RuleDraft<'hashmapThresholds'>>): RuleDraft<'hashmapThresholds'> {
  const { value: _, ...common } = rule({})
  return { ...common, level: '10', ...more }
}

t.test('names of services, fields and groups are unique where they are', async t => {
  const { services, fields, groups, service } = await openHashmap()
  await t.rejects(services.create('dns.queries'), refusal('conflict'))
  await t.rejects(fields.create({ serviceId: service.id, name: 'rcode' }), refusal('conflict'))
  await t.rejects(groups.create('dns'), refusal('conflict'))
  const other = await services.create('dns.zone')
  t.equal((await fields.create({ serviceId: other.id, name: 'rcode' })).serviceId, other.id)
  await t.rejects(fields.create({ serviceId: 'gone', name: 'x' }), refusal('bad_request'))
  for (const name of ['', 'a\nb', 'x'.repeat(256)])
    await t.rejects(async () => services.create(name), refusal('bad_request'), name.slice(0, 5))
})

t.test('a rule has one parent that is there, and a value where the parent is a field', async t => {
  const { mappings, thresholds, service, field } = await openHashmap()
  const bad = [
    rule({}),
    rule({ serviceId: service.id, fieldId: field.id }),
    rule({ serviceId: service.id, value: 'x' }),
    rule({ fieldId: field.id }),
    rule({ fieldId: field.id, value: '' }),
    rule({ serviceId: 'gone' }),
    rule({ fieldId: 'gone', value: 'x' }),
    rule({ serviceId: service.id, groupId: 'gone' }),
    rule({ serviceId: service.id, start: 7200, end: 7200 }),
  ]
  for (const draft of bad) await t.rejects(mappings.create(draft, by), refusal('bad_request'))
  await t.rejects(thresholds.create(level({}), by), refusal('bad_request'))
  t.strictSame(mappings.list({}), [])
  t.strictSame(thresholds.list({}), [])
})

t.test('two rules for the same thing at the same time are refused', async t => {
  const { mappings, thresholds, service, field, group } = await openHashmap()
  const first = rule({ fieldId: field.id, value: 'NXDOMAIN', start: 3600, end: 7200 })
  const { id } = await mappings.create(first, by)
  const apart = [
    { value: 'NOERROR' },
    { groupId: group.id },
    { tenantId: 'p1' },
    { start: 7200, end: null },
    { start: null, end: 3600 },
  ]
  for (const more of apart) await mappings.create({ ...first, ...more }, by)
  for (const more of [
    {},
    { type: 'rate' as const },
    { start: 0, end: 3601 },
    { start: null, end: null },
  ])
    await t.rejects(mappings.create({ ...first, ...more }, by), refusal('conflict'))
  await t.rejects(mappings.update(id, { end: null }, by), refusal('conflict'))
  await mappings.update(id, { cost: '2' }, by)
  await thresholds.create(level({ serviceId: service.id }), by)
  await t.rejects(thresholds.create(level({ serviceId: service.id }), by), refusal('conflict'))
})

t.test('an update changes what it names, and nothing is not written', async t => {
  const { mappings, service, group } = await openHashmap()
  const { id } = await mappings.create(rule({ serviceId: service.id, groupId: group.id }), by)
  const unchanged = await mappings.update(id, { cost: '1', groupId: group.id }, { by: 'al' })
  t.match(unchanged, { version: 1, createdBy: 'jo', updatedBy: null })
  const changed = await mappings.update(id, { cost: '2', groupId: null }, { by: 'al' })
  t.match(changed, { version: 2, cost: '2', groupId: null, type: 'flat', updatedBy: 'al' })
  await t.rejects(mappings.update('gone', {}, by), refusal('not_found'))
})

t.test('rules are listed by what they belong to', async t => {
  const { mappings, service, field, group } = await openHashmap()
  const all = [
    rule({ serviceId: service.id, cost: '1' }),
    rule({ serviceId: service.id, groupId: group.id, cost: '2' }),
    rule({ fieldId: field.id, value: 'x', tenantId: 'p1', cost: '3' }),
    rule({ fieldId: field.id, value: 'x', tenantId: 'p2', groupId: group.id, cost: '4' }),
  ]
  for (const draft of all) await mappings.create(draft, by)
  const cases = [
    [{}, '1234'],
    [{ serviceId: service.id }, '12'],
    [{ fieldId: field.id }, '34'],
    [{ groupId: group.id }, '24'],
    [{ groupId: null }, '13'],
    [{ tenantId: 'p1' }, '3'],
    [{ tenantId: null }, '12'],
    [{ fieldId: field.id, groupId: group.id, tenantId: 'p1' }, ''],
  ] as const
  for (const [filter, costs] of cases)
    t.equal(
      mappings
        .list(filter)
        .map(({ cost }) => cost)
        .join(''),
      costs,
    )
})

t.test('the group of a rule is found while it is in one', async t => {
  const { thresholds, service, group } = await openHashmap()
  const inGroup = await thresholds.create(level({ serviceId: service.id, groupId: group.id }), by)
  const alone = await thresholds.create(level({ serviceId: service.id }), by)
  t.equal(thresholds.groupOf(inGroup.id).name, 'dns')
  t.throws(() => thresholds.groupOf(alone.id), refusal('not_found'))
  t.throws(() => thresholds.groupOf('gone'), refusal('not_found'))
})

t.test('a service goes with its fields and all their rules, and nothing else does', async t => {
  const { store, services, fields, mappings, thresholds, service, field } = await openHashmap()
  const other = await services.create('dns.zone')
  const kept = await mappings.create(rule({ serviceId: other.id }), by)
  await mappings.create(rule({ serviceId: service.id }), by)
  await mappings.create(rule({ fieldId: field.id, value: 'x' }), by)
  await thresholds.create(level({ fieldId: field.id }), by)
  await services.delete(service.id)
  t.strictSame(mappings.list({}), [kept])
  t.strictSame(thresholds.list({}), [])
  t.strictSame(fields.listOf(service.id), [])
  t.equal(store.get('hashmapFields', field.id), undefined)
  await t.rejects(services.delete(service.id), refusal('not_found'))
})

t.test('a field goes with its rules', async t => {
  const { fields, mappings, thresholds, service, field } = await openHashmap()
  const kept = await thresholds.create(level({ serviceId: service.id }), by)
  await mappings.create(rule({ fieldId: field.id, value: 'x' }), by)
  await thresholds.create(level({ fieldId: field.id }), by)
  await fields.delete(field.id)
  t.strictSame(mappings.list({}), [])
  t.strictSame(thresholds.list({}), [kept])
  t.throws(() => fields.get(field.id), refusal('not_found'))
})

t.test('a group goes alone, or with its rules', async t => {
  for (const rules of ['release', 'delete'] as const) {
    const { groups, mappings, thresholds, service, group } = await openHashmap()
    const inGroup = { serviceId: service.id, groupId: group.id }
    const { id } = await mappings.create(rule(inGroup), by)
    await thresholds.create(level(inGroup), by)
    await groups.delete(group.id, { rules })
    t.throws(() => groups.get(group.id), refusal('not_found'))
    t.equal(thresholds.list({}).length, rules === 'release' ? 1 : 0)
    if (rules === 'release') t.equal(mappings.get(id).groupId, null)
    else t.throws(() => mappings.get(id), refusal('not_found'))
  }
})

t.test('of many deleted with their parent, all are', async t => {
  const { services, mappings, service, field } = await openHashmap()
  for (let i = 0; i < 50; i++)
    await mappings.create(rule({ fieldId: field.id, value: String(i) }), by)
  await services.delete(service.id)
  t.strictSame(mappings.list({}), [])
})
