import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })

const zone = (await one.post('/v2/zones', { name: 'example.com.', email: 'ops@example.com' })).body
const changes = `/v2/zones/${zone.id}/changes`
const current = async () => (await one.get(`/v2/zones/${zone.id}`)).body

t.test('POST answers what was made, changed and deleted, and both serials', async t => {
  const body = { create: [{ name: 'www', type: 'A', ttl: 60, records: ['192.0.2.1'] }] }
  const answer = await one.post(changes, body)
  t.equal(answer.status, 200)
  const { serial } = await current()
  const { created, ...rest } = answer.body
  t.same(rest, {
    zone_id: zone.id,
    serial_before: zone.serial,
    serial,
    replaced: [],
    deleted: [],
  })
  t.match(created, [{ name: 'www.example.com.', type: 'A', version: 1 }])
  const { id } = created[0]
  t.match((await one.get(`/v2/zones/${zone.id}/recordsets/${id}`)).body, { ttl: 60 })
  const next = await one.post('/v2/zones/example.com/changes', {
    replace: [{ id: id.toUpperCase(), records: ['192.0.2.2'], expected: { ttl: 60 } }],
    delete: [{ name: 'nothing', type: 'A' }],
  })
  t.match(next, { status: 404, body: { type: 'recordset_not_found' } })
  const last = await one.post('/v2/zones/example.com/changes', {
    replace: [{ name: 'new', type: 'A', records: ['192.0.2.2'], ttl: null }],
    delete: [{ id, expected: { records: ['192.0.2.1'] } }],
    expected: { serial },
  })
  t.match(last.body, {
    serial_before: serial,
    serial: serial + 1,
    created: [{ name: 'new.example.com.' }],
    deleted: [{ id }],
  })
})

t.test('dry_run answers the difference as lines of a zone file', async t => {
  const before = await current()
  const create = [{ name: '@', type: 'MX', records: ['10 mail.example.com.'] }]
  const answer = await one.post(changes, { create, dry_run: true })
  t.match(answer, {
    status: 200,
    body: { dry_run: true, diff: ['+example.com. 3600 IN MX 10 mail.example.com.'] },
  })
  t.same(await current(), before)
})

t.test('values are deleted in any spelling, with the last one the recordset', async t => {
  const key = { name: 'text', type: 'TXT' }
  const { body: made } = await one.post(changes, {
    create: [{ ...key, records: ['"hello world"', 'bare', 'last'] }],
  })
  const { id } = made.created[0]
  const missing = await one.post(changes, { delete: [{ ...key, records: ['bare', 'other'] }] })
  t.match(missing, { status: 400, body: { type: 'bad_request' } })
  t.match(missing.body.errors.errors[0], {
    path: ['delete', 0],
    message: 'text.example.com. TXT has no value other',
  })
  const two = ['hello\\032world', '"bare"']
  const { body: left } = await one.post(changes, { delete: [{ ...key, records: two }] })
  t.match(left, { replaced: [{ id }], deleted: [] })
  const shown = await one.get(`/v2/zones/${zone.id}/recordsets/${id}`)
  t.same(shown.body.records, ['last'])
  const { body: gone } = await one.post(changes, { delete: [{ id, records: ['"last"'] }] })
  t.match(gone, { replaced: [], deleted: [{ id }] })
})

t.test('wrong lines are named with their positions', async t => {
  const answer = await one.post(changes, {
    create: [
      { name: 'good', type: 'A', records: ['192.0.2.1'] },
      { name: 'bad', type: 'A', records: ['192.0.2.1', 'x'] },
    ],
    delete: [{ name: 'missing', type: 'A' }],
  })
  t.match(answer, { status: 400, body: { type: 'invalid_object' } })
  const paths = answer.body.errors.errors.map(({ path }: { path: unknown }) => path)
  t.same(paths, [
    ['delete', 0],
    ['create', 1, 'records', 1],
  ])
})

t.test('an expectation that does not hold is 412', async t => {
  const answer = await one.post(changes, {
    delete: [{ name: 'new', type: 'A' }],
    expected: { serial: 1 },
  })
  t.match(answer, { status: 412, body: { type: 'precondition_failed' } })
})

t.test('bodies that are no change set', async t => {
  for (const body of [
    {},
    { create: [{ name: 'www' }] },
    { delete: [{ type: 'A' }] },
    { delete: [{ id: zone.id, name: 'www', type: 'A' }] },
    { replace: [{ id: 'nonsense', records: [] }] },
    { expected: {}, delete: [{ id: zone.id }] },
    { remove: [] },
  ])
    t.match(await one.post(changes, body), { status: 400, body: { type: 'invalid_object' } })
})

t.test('a body has up to 4 MiB', async t => {
  const post = (octets: number) => one.post(changes, '{}'.padEnd(octets))
  t.match(await post(4 * 1024 * 1024), { status: 400, body: { type: 'invalid_object' } })
  t.equal((await post(4 * 1024 * 1024 + 1)).status, 413)
})

t.test('readers may not, Designate has no such path', async t => {
  const body = { delete: [{ name: 'new', type: 'A' }] }
  t.match(await reader.post(changes, body), { status: 401 })
  t.match(await one.post(`/dns${changes}`, body), { status: 405 })
})
