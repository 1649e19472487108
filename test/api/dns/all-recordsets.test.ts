import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const none = await api.clientOf({ project: 'none' })
const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

const zones: { id: string; name: string }[] = []
for (const [i, by] of [one, one, two].entries()) {
  const body = { name: `z${i}.across-${i}.example.`, email: 'ops@example.com', ttl: 60 }
  zones.push((await by.post('/v2/zones', body)).body)
}
const [first, second, shared] = zones as [(typeof zones)[0], (typeof zones)[0], (typeof zones)[0]]
await two.post(`/v2/zones/${shared.id}/shares`, { target_project_id: 'one' })

/** Creates a recordset, in zones by turns, so that creation order crosses them. */
async function add(zone: { id: string; name: string }, label: string, body: object = {}) {
  const draft = { name: `${label}.${zone.name}`, type: 'A', records: ['192.0.2.1'], ...body }
  const by = zone === shared && label.startsWith('theirs') ? two : one
  return (await by.post(`/v2/zones/${zone.id}/recordsets`, draft)).body
}

await add(first, 'a', { description: 'text' })
await add(second, 'b', { ttl: 300 })
const own = await add(shared, 'own')
await add(shared, 'theirs')
await add(first, 'c', { type: 'TXT', records: ['"x"'] })

type Row = { id: string; name: string; type: string; links: { self: string } }

for (const base of ['/v2', '/dns/v2']) {
  const path = `${base}/recordsets`
  const labels = (rows: Row[]) =>
    rows.map(({ name, type }) => `${name.split('.')[0]} ${type}`).join(', ')

  t.test(`GET ${path} lists the caller’s recordsets of all zones`, async t => {
    const { status, body } = await one.get(path)
    t.equal(status, 200)
    t.equal(body.metadata.total_count, 8)
    const made = 'z0 SOA, z0 NS, z1 SOA, z1 NS, a A, b A, own A, c TXT'.split(', ')
    t.same(labels(body.recordsets).split(', ').toSorted(), made.toSorted())
    t.same(labels(body.recordsets.slice(-4)), 'a A, b A, own A, c TXT')
    const row = body.recordsets.find(({ id }: Row) => id === own.id)
    t.equal(row.links.self, `${api.url}${base}/zones/${shared.id}/recordsets/${own.id}`)
    t.equal((await two.get(path)).body.metadata.total_count, 4, 'its zone’s are its own')
    t.match((await none.get(path)).body, { recordsets: [], metadata: { total_count: 0 } })
    t.equal((await api.anonymous.get(path)).status, 401)
    const { body: every } = await api.admin.get(`${path}?all_projects=true&type=A`)
    t.equal(every.metadata.total_count, 4)
  })

  t.test(`GET ${path} is filtered and sorted`, async t => {
    const rows: [query: string, expected: string][] = [
      [`?name=a.${first.name}`, 'a A'],
      [`?name=A.${first.name}`, 'a A'],
      [`?name=own.${shared.name}`, 'own A'],
      [`?name=theirs.${shared.name}`, ''],
      ['?name=b.*', 'b A'],
      ['?type=TXT', 'c TXT'],
      ['?ttl=300', 'b A'],
      ['?data=192.0.2.*', 'a A, b A, own A'],
      ['?description=text', 'a A'],
      ['?status=ERROR', ''],
      ['?type=A&sort_key=name&sort_dir=desc', 'own A, b A, a A'],
      ['?type=A&sort_key=tenant_id', 'a A, b A, own A'],
    ]
    for (const [query, expected] of rows) {
      const { status, body } = await one.get(path + query)
      t.equal(status, 200, query)
      t.same(labels(body.recordsets).split(', ').toSorted(), expected.split(', ').toSorted(), query)
      t.equal(body.metadata.total_count, expected === '' ? 0 : expected.split(', ').length, query)
    }
    t.match(await one.get(`${path}?colour=red`), { status: 400, body: { type: 'bad_request' } })
  })

  t.test(`GET ${path} is paged by following next`, async t => {
    for (const query of [
      'limit=1',
      'limit=3&sort_dir=desc',
      'limit=2&sort_key=name',
      'limit=2&type=*',
    ]) {
      const seen: string[] = []
      let next: string | undefined = `${path}?${query}`
      while (next !== undefined) {
        const { body } = await one.get(next)
        seen.push(...body.recordsets.map(({ id }: Row) => id))
        t.equal(body.metadata.total_count, 8, query)
        next = body.links.next
      }
      t.equal(seen.length, 8, query)
      t.equal(new Set(seen).size, 8, query)
    }
    const { body } = await two.get(`${path}?name=theirs.${shared.name}`)
    for (const marker of [unknownId, body.recordsets[0].id]) {
      t.match(await one.get(`${path}?marker=${marker}`), {
        status: 400,
        body: { type: 'marker_not_found' },
      })
    }
  })

  t.test(`OpenStack-DNS-Hide-Counts leaves the count out`, async t => {
    const hiding = one.with({ 'openstack-dns-hide-counts': 'True' })
    for (const list of [path, `${base}/zones/${first.id}/recordsets`]) {
      t.same((await hiding.get(list)).body.metadata, {})
    }
  })

  t.test(`GET ${path}/<id> tells where it is`, async t => {
    const { status, headers } = await one.get(`${path}/${own.id}`)
    t.equal(status, 301)
    t.equal(headers.get('location'), `${api.url}${base}/zones/${shared.id}/recordsets/${own.id}`)
    for (const id of [own.id, unknownId]) {
      t.match(await none.get(`${path}/${id}`), {
        status: 404,
        body: { type: 'recordset_not_found' },
      })
    }
  })
}
