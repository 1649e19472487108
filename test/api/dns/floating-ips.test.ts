import t from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import { startDnsApi } from '../../helpers/dns-api.ts'
import { checkPublished } from '../../helpers/publish-check.ts'

const { dns, api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })

const unknownKey = 'North:5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
const managedProject = '00000000-0000-0000-0000-000000000000'

for (const [base, network] of [
  ['/v2', '192.0.2'],
  ['/dns/v2', '198.51.100'],
] as const) {
  const dialect = base === '/v2' ? 'plain' : 'designate'
  const path = `${base}/reverse/floatingips`
  const reverse = `${network.split('.').reverse().join('.')}.in-addr.arpa.`
  const shownAfter = (action: string) =>
    dialect === 'plain' ? { status: 'ACTIVE', action: 'NONE' } : { status: 'PENDING', action }

  const lent = async (last: number, project = 'one') => {
    const body = { region: 'North', address: `${network}.${last}`, project_id: project }
    const answer = await api.admin.post(path, body)
    t.equal(answer.status, 201)
    return answer
  }
  const nameServed = (last: number) =>
    dns.served.get(parseName(reverse))?.findRrset(parseName(`${last}.${reverse}`), 12) !== undefined

  t.test(`${dialect}: an administrator lends an address, and it has no name`, async t => {
    const { headers, body } = await lent(1)
    t.match(body.id, /^North:[0-9a-f-]{36}$/)
    const self = `${api.url}${path}/${body.id}`
    t.equal(headers.get('location'), self)
    const nothing = { ptrdname: null, description: null, ttl: null, status: null, action: null }
    const seen = {
      id: body.id,
      project_id: 'one',
      address: `${network}.1`,
      ...nothing,
      links: { self },
    }
    t.same(body, seen)
    t.same((await one.get(self)).body, seen)
    const { body: list } = await one.get(path)
    t.same(list.links, { self: `${api.url}${path}` })
    t.same(list.floatingips.at(-1), seen)
    t.same(
      (await two.get(path)).body.floatingips.filter(({ id }: { id: string }) => id === body.id),
      [],
    )
  })

  t.test(`${dialect}: PATCH names an address, in a zone of the project of all zeros`, async t => {
    const { body: row } = await lent(2)
    const patch = { ptrdname: 'mail.example.com.', ttl: 600, description: 'text' }
    const { status, body } = await one.patch(`${path}/${row.id}`, patch)
    t.equal(status, 202)
    t.match(body, { ...patch, id: row.id, ...shownAfter('CREATE') })
    const active = { ...patch, status: 'ACTIVE', action: 'NONE' }
    t.match((await one.get(`${path}/${row.id}`)).body, active)
    t.ok(nameServed(2))
    const zones = await api.admin
      .with({ 'x-auth-all-projects': 'true' })
      .get(`${base}/zones?name=${reverse}`)
    t.match(zones.body.zones, [{ name: reverse, project_id: managedProject }])
    const again = await one.patch(`${path}/${row.id}`, { ptrdname: 'mx.example.com.' })
    t.match(again.body, { ...patch, ptrdname: 'mx.example.com.', ...shownAfter('UPDATE') })
    checkPublished(t, dns)
  })

  t.test(`${dialect}: a name of null takes the name away, also where there is none`, async t => {
    const { body: row } = await lent(3)
    await one.patch(`${path}/${row.id}`, { ptrdname: 'a.example.com.' })
    t.ok(nameServed(3))
    for (const _ of [1, 2]) {
      const { status, text } = await one.patch(`${path}/${row.id}`, { ptrdname: null })
      t.same([status, text], [202, 'null'])
    }
    t.notOk(nameServed(3))
    t.match((await one.get(`${path}/${row.id}`)).body, { ptrdname: null, status: null })
  })

  t.test(`${dialect}: an address that is taken back loses its name`, async t => {
    const { body: row } = await lent(4)
    await one.patch(`${path}/${row.id}`, { ptrdname: 'a.example.com.' })
    t.equal((await api.admin.delete(`${path}/${row.id}`)).status, 204)
    t.notOk(nameServed(4))
    t.match(await one.get(`${path}/${row.id}`), { status: 404, body: { type: 'not_found' } })
    t.match((await lent(4, 'two')).body, { ptrdname: null })
  })

  t.test(`${dialect}: the recordset of a name is for administrators who say so`, async t => {
    const { body: row } = await lent(8)
    await one.patch(`${path}/${row.id}`, { ptrdname: 'a.example.com.' })
    const admin = api.admin.with({ 'x-auth-all-projects': 'true' })
    const editor = admin.with({ 'x-designate-edit-managed-records': 'true' })
    const { recordsets } = (await admin.get(`${base}/recordsets?name=8.${reverse}`)).body
    const { self } = recordsets[0].links
    const other = { records: ['b.example.com.'] }
    const refused = { status: 400, body: { type: 'bad_request' } }
    t.match(await admin.put(self, other), refused)
    t.match(await admin.delete(self), refused)
    t.match((await editor.put(self, other)).body, other)
    t.match((await one.get(`${path}/${row.id}`)).body, { ptrdname: 'b.example.com.' })
    t.equal((await editor.delete(self)).status, dialect === 'plain' ? 204 : 202)
    t.match((await one.get(`${path}/${row.id}`)).body, { ptrdname: null, status: null })
    t.notOk(nameServed(8))
    // What follows from zone and pool is nobody's to write.
    const inZone = self.replace(/[^/]*$/, '')
    for (const { id, type } of (await admin.get(`${inZone}?name=${reverse}`)).body.recordsets) {
      t.match(await editor.put(inZone + id, { ttl: 5 }), refused, type)
      t.match(await editor.delete(inZone + id), refused, type)
      if (type !== 'NS') continue
      t.match((await admin.delete(inZone + id)).body, { message: /^Managed records/ })
      t.match((await editor.delete(inZone + id)).body, { message: /its pool’s/ })
    }
    checkPublished(t, dns)
  })

  t.test(`${dialect}: an address of another project, or of nobody, is not there`, async t => {
    const { body: row } = await lent(5, 'two')
    const name = { ptrdname: 'a.example.com.' }
    const wrongRegion = row.id.replace('North', 'South')
    for (const [client, key] of [
      [one, row.id],
      [two, wrongRegion],
      [one, unknownKey],
    ] as const) {
      t.match(await client.get(`${path}/${key}`), { status: 404, body: { type: 'not_found' } })
      t.equal((await client.patch(`${path}/${key}`, name)).status, 404)
    }
  })

  t.test(`${dialect}: a key that is not region:uuid -> 400 bad_request`, async t => {
    for (const key of ['North', 'North:1', `North:a:${unknownKey}`, `:${unknownKey.slice(6)}`]) {
      t.match(await one.get(`${path}/${key}`), { status: 400, body: { type: 'bad_request' } }, key)
    }
  })

  t.test(`${dialect}: what is no address or no name is refused`, async t => {
    const { body: row } = await lent(6)
    const invalid = { status: 400, body: { type: 'invalid_object' } }
    for (const body of [
      { ptrdname: 'relative' },
      {},
      { ptrdname: 'a.example.', ttl: -1 },
      { ptrdname: 7 },
    ]) {
      t.match(await one.patch(`${path}/${row.id}`, body), invalid)
    }
    for (const change of [
      { address: '192.0.2.256' },
      { address: '::1' },
      { address: '192.0.2' },
      { address: '192.0.2.1.' },
      { region: 'a:b' },
    ]) {
      const body = { region: 'North', address: '203.0.113.1', project_id: 'one', ...change }
      t.match(await api.admin.post(path, body), invalid, JSON.stringify(change))
    }
  })

  t.test(`${dialect}: an address is lent once`, async t => {
    await lent(7)
    const body = { region: 'South', address: `${network}.7`, project_id: 'two' }
    const twice = await api.admin.post(path, body)
    t.match(twice, { status: 409, body: { type: 'duplicate_floatingip' } })
  })

  t.test(`${dialect}: only administrators lend, only members name`, async t => {
    const { body: row } = await lent(9)
    const denied = dialect === 'plain' ? 401 : 403
    const body = { region: 'North', address: '203.0.113.1', project_id: 'one' }
    t.equal((await one.post(path, body)).status, denied)
    t.equal((await one.delete(`${path}/${row.id}`)).status, denied)
    t.equal((await reader.patch(`${path}/${row.id}`, { ptrdname: 'a.example.' })).status, denied)
    t.equal((await reader.get(`${path}/${row.id}`)).status, 200)
  })

  t.test(`${dialect}: a reverse zone of another project stays its own`, async t => {
    const taken = `${dialect === 'plain' ? 1 : 2}.113.0.203.in-addr.arpa.`
    const zone = taken.slice(2)
    await one.post('/v2/zones', { name: zone, email: 'ops@example.com' })
    const address = `203.0.113.${dialect === 'plain' ? 1 : 2}`
    const { body } = await api.admin.post(path, { region: 'N', address, project_id: 'two' })
    const answer = await two.patch(`${path}/${body.id}`, { ptrdname: 'a.example.' })
    t.match(answer, { status: 409, body: { type: 'duplicate_zone' } })
  })
}
