import t from 'tap'
import type { ApiError } from '../../../src/errors.ts'
import type { ChangeSet } from '../../../src/model/change-set.ts'
import { diffLines } from '../../../src/service/changes/change-diff.ts'
import { addresses, callerOf, everyRow, openDns, primary } from '../../helpers/dns.ts'
import { checkPublished } from '../../helpers/publish-check.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')
const nothing: ChangeSet = { create: [], replace: [], delete: [] }
const www = { name: 'www.example.com.', type: 'A' }

async function openZone() {
  const dns = await openDns()
  const zone = await dns.zones.create(one, primary('example.com.'))
  const create = (name: string, ...records: string[]) =>
    dns.recordsets.create(one, zone.id, addresses(name, ...records))
  const apply = (set: Partial<ChangeSet>, caller = one) =>
    dns.changeSets.apply(caller, zone.id, { ...nothing, ...set })
  const rows = async () => {
    const { rows } = await dns.recordsets.list(dns.zones.get(one, zone.id), everyRow)
    return rows.filter(({ isManaged }) => !isManaged)
  }
  const now = () => dns.zones.get(one, zone.id)
  return { dns, zone, create, apply, rows, now }
}

/** What is wrong with which lines. */
async function wrongLines(change: Promise<unknown>) {
  const error = (await change.then(
    () => t.fail('nothing was refused'),
    error => error,
  )) as ApiError
  const lines = error.fieldErrors.map(({ path, validator }) => `${path.join(' ')}: ${validator}`)
  return { type: error.type, lines }
}

t.test('creates, replaces and deletes in one commit with one serial', async t => {
  const { dns, zone, create, apply, rows, now } = await openZone()
  const { recordset: gone } = await create('gone.example.com.')
  const { recordset: other } = await create('www.example.com.', '192.0.2.1')
  const lsn = dns.store.lastLsn
  const serial = now().serial
  const outcome = await apply({
    create: [addresses('new.example.com.', '192.0.2.9')],
    replace: [{ key: www, patch: { records: ['192.0.2.2', '192.0.2.3'] } }],
    delete: [{ key: { id: gone.id } }],
  })
  t.equal(dns.store.lastLsn, lsn + 1)
  t.equal(outcome.before.serial, serial)
  t.equal(outcome.zone.serial, serial + 1)
  t.equal(now().serial, serial + 1)
  t.equal(now().id, zone.id)
  t.same(
    (await rows()).map(({ name, records }) => [name, records]),
    [
      ['www.example.com.', ['192.0.2.2', '192.0.2.3']],
      ['new.example.com.', ['192.0.2.9']],
    ],
  )
  t.match(outcome.replaced, [{ before: { id: other.id, version: 1 }, after: { version: 2 } }])
  t.match(outcome.deleted, [{ id: gone.id }])
  t.same(
    [...diffLines(outcome)],
    [
      '-gone.example.com. 3600 IN A 192.0.2.1',
      '-www.example.com. 3600 IN A 192.0.2.1',
      '+www.example.com. 3600 IN A 192.0.2.2',
      '+www.example.com. 3600 IN A 192.0.2.3',
      '+new.example.com. 3600 IN A 192.0.2.9',
    ],
  )
  checkPublished(t, dns)
})

t.test('a name changes from CNAME to addresses in one change', async t => {
  const { dns, create, apply, zone } = await openZone()
  const cname = { ...addresses('www.example.com.', 'example.net.'), type: 'CNAME' }
  await dns.recordsets.create(one, zone.id, cname)
  await t.rejects(create('www.example.com.'), refusal('invalid_recordset_location'))
  await apply({
    create: [addresses('www.example.com.')],
    delete: [{ key: { name: 'www.example.com.', type: 'CNAME' } }],
  })
  checkPublished(t, dns)
})

t.test('replacing by name and type makes what is not there; by id it does not', async t => {
  const { apply, rows } = await openZone()
  await apply({ replace: [{ key: www, patch: { records: ['192.0.2.1'], ttlSeconds: 60 } }] })
  t.match(await rows(), [{ ...www, ttlSeconds: 60, version: 1 }])
  const id = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
  const lines = await wrongLines(
    apply({ replace: [{ key: { id }, patch: { records: ['192.0.2.1'] } }] }),
  )
  t.same(lines, { type: 'recordset_not_found', lines: ['replace 0: recordset_not_found'] })
})

t.test('of a half wrong set nothing is done, and each wrong line is named', async t => {
  const { apply, create, rows, now } = await openZone()
  await create('www.example.com.')
  const before = now()
  const rowsBefore = await rows()
  const wrong = await wrongLines(
    apply({
      create: [
        addresses('good.example.com.'),
        addresses('bad.example.com.', '192.0.2.1', 'nonsense'),
        addresses('elsewhere.example.net.'),
        addresses('WWW.example.com.'),
        addresses('good.example.com.', '192.0.2.7'),
      ],
      replace: [{ key: { name: 'example.com.', type: 'NS' }, patch: { ttlSeconds: 5 } }],
      delete: [
        { key: { name: 'missing.example.com.', type: 'A' } },
        { key: { name: 'example.com.', type: 'SOA' } },
      ],
    }),
  )
  t.equal(wrong.type, 'invalid_object')
  t.same(wrong.lines.sort(), [
    'create 1 records 1: format',
    'create 2: invalid_recordset_location',
    'create 3: duplicate_recordset',
    'create 4: invalid_object',
    'delete 0: recordset_not_found',
    'delete 1: bad_request',
    'replace 0: bad_request',
  ])
  t.same(now(), before)
  t.same(await rows(), rowsBefore)
})

t.test('expectations: of a serial, a TTL and records, else precondition_failed', async t => {
  const { apply, create, now } = await openZone()
  await create('www.example.com.', '192.0.2.1', '192.0.2.2')
  const { serial } = now()
  const patch = { ttlSeconds: 60 }
  await t.rejects(
    apply({ replace: [{ key: www, patch }], expectedSerial: serial - 1 }),
    refusal('precondition_failed'),
  )
  const records = ['192.0.2.2', '192.0.2.1']
  for (const expected of [
    { records: ['192.0.2.1'] },
    { ttlSeconds: 5 },
    { records, ttlSeconds: 5 },
  ])
    t.same(await wrongLines(apply({ replace: [{ key: www, patch, expected }] })), {
      type: 'precondition_failed',
      lines: ['replace 0: precondition_failed'],
    })
  t.equal(now().serial, serial)
  const expected = { records, ttlSeconds: null }
  await apply({ replace: [{ key: www, patch, expected }], expectedSerial: serial })
  t.equal(now().serial, serial + 1)
})

t.test('quotas hold for the outcome, in whatever order it is written', async t => {
  const { dns, apply, create, rows } = await openZone()
  await create('www.example.com.', '192.0.2.1')
  await create('two.example.com.', '192.0.2.1', '192.0.2.2')
  await dns.quotas.set('one', { zoneRecords: 3, zoneRecordsets: 4 })
  const two = { name: 'two.example.com.', type: 'A' }
  await apply({
    replace: [
      { key: www, patch: { records: ['192.0.2.1', '192.0.2.2'] } },
      { key: two, patch: { records: ['192.0.2.1'] } },
    ],
  })
  await apply({ create: [addresses('new.example.com.')], delete: [{ key: two }] })
  const wrong = await wrongLines(apply({ create: [addresses('one-more.example.com.')] }))
  t.same(wrong, { type: 'over_quota', lines: ['create 0: over_quota'] })
  t.equal((await rows()).length, 2)
})

t.test('a dry run says what would be, and does nothing', async t => {
  const { dns, zone, create, now } = await openZone()
  await create('www.example.com.')
  const lsn = dns.store.lastLsn
  const outcome = await dns.changeSets.dryRun(one, zone.id, {
    ...nothing,
    create: [addresses('new.example.com.')],
    delete: [{ key: www }],
  })
  t.equal(outcome.zone.serial, now().serial + 1)
  t.equal([...diffLines(outcome)].length, 2)
  t.equal(dns.store.lastLsn, lsn)
})

/** Names that are in their order as texts. */
function manyNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `h${String(i).padStart(5, '0')}.example.com.`)
}

t.test('10,000 recordsets are one commit: made, changed and deleted', async t => {
  const { dns, apply, rows, now } = await openZone()
  const names = manyNames(10_000)
  const { serial } = now()
  const lsn = dns.store.lastLsn
  const { created } = await apply({
    create: names.map((name, i) => ({
      ...addresses(name),
      description: i === 7 ? 'seventh' : null,
    })),
  })
  t.same(await rows(), created)
  t.same(
    created.map(({ name }) => name),
    names,
    'in their order',
  )
  t.equal(created[7]?.description, 'seventh')
  await apply({
    replace: names.map(name => ({ key: { name, type: 'A' }, patch: { records: ['192.0.2.2'] } })),
  })
  t.ok((await rows()).every(({ records, version }) => version === 2 && records[0] === '192.0.2.2'))
  checkPublished(t, dns)
  await apply({ delete: created.map(({ id }) => ({ key: { id } })) })
  t.same(await rows(), [])
  t.equal(now().serial, serial + 3)
  t.equal(dns.store.lastLsn, lsn + 3)
  checkPublished(t, dns)
  await t.rejects(apply({ create: manyNames(10_001).map(name => addresses(name)) }))
  await t.rejects(apply({}), refusal('invalid_object'))
})

t.test('a large set is judged anew when others change its zone meanwhile', async t => {
  const { dns, apply, create, rows, zone } = await openZone()
  const names = manyNames(1000)
  const change = apply({ create: names.map(name => addresses(name)) })
  const rival = create('h00999.example.com.')
  const outcomes = await Promise.allSettled([change, rival])
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  t.ok([1, 1000].includes((await rows()).length))
  let isOver = false
  const others = (async () => {
    for (let i = 0; !isOver; i += 1) await create(`other${i}.example.com.`)
  })()
  await apply({
    create: manyNames(1500)
      .slice(1000)
      .map(name => addresses(name)),
  })
  isOver = true
  await others
  t.equal(dns.store.count('recordsets', 'byOwner', `${zone.id}\nh01499.example.com.`), 1)
  checkPublished(t, dns)
})

t.test('a zone that is made below takes names away from a large set', async t => {
  const { dns, apply, zone } = await openZone()
  const names = manyNames(1000).map(name => `sub.${name}`)
  const change = apply({ create: names.map(name => addresses(name)) })
  await dns.zones.create(one, primary('h00500.example.com.'))
  const { lines } = await wrongLines(change)
  t.same(lines, ['create 500: invalid_recordset_location'])
  t.equal(dns.store.count('recordsets', 'byZone', zone.id), 2)
})

t.test('a project that a zone is shared with changes its own recordsets only', async t => {
  const { dns, zone, create, apply, rows } = await openZone()
  const two = callerOf('two')
  await t.rejects(apply({ create: [addresses('x.example.com.')] }, two), refusal('zone_not_found'))
  await dns.zoneShares.create(one, zone.id, 'two')
  await create('www.example.com.')
  await apply({ create: manyNames(200).map(name => addresses(name)) }, two)
  const mine = (await rows()).filter(({ shareId }) => shareId !== undefined)
  t.equal(mine.length, 200)
  const { type, lines } = await wrongLines(apply({ delete: [{ key: www }] }, two))
  t.same({ type, lines }, { type: 'forbidden', lines: ['delete 0: forbidden'] })
  await apply({ delete: mine.map(({ id }) => ({ key: { id } })) }, two)
  t.equal((await rows()).length, 1)
})
