import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { dns, api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
await dns.quotas.set('one', { zones: -1 })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })

const asFile = { accept: 'text/dns' }
const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

for (const base of ['/v2', '/dns/v2']) {
  const dialect = base === '/v2' ? 'plain' : 'designate'

  /** Creates a zone that is there for one test, with a few recordsets. */
  const zoneNamed = async (label: string): Promise<string> => {
    const name = `${label}.${dialect}.example.`
    const { body: zone } = await one.post('/v2/zones', { name, email: 'ops@example.com', ttl: 300 })
    const records = ['192.0.2.1', '192.0.2.2']
    await one.post(`/v2/zones/${zone.id}/recordsets`, { name: `www.${name}`, type: 'A', records })
    const txt = { name: `t.${name}`, type: 'TXT', ttl: 60, records: ['"a;b" "c"'] }
    await one.post(`/v2/zones/${zone.id}/recordsets`, txt)
    return zone.id
  }
  const exported = async (label: string) => {
    const zoneId = await zoneNamed(label)
    return (await one.post(`${base}/zones/${zoneId}/tasks/export`)).body
  }

  t.test(`${dialect}: POST …/tasks/export answers 202 with the export and where it is`, async t => {
    const zoneId = await zoneNamed('posted')
    const { status, headers, body } = await one.post(`${base}/zones/${zoneId}/tasks/export`)
    t.equal(status, 202)
    const self = `${api.url}${base}/zones/tasks/exports/${body.id}`
    t.equal(headers.get('location'), self)
    const location = `designate://v2/zones/tasks/exports/${body.id}/export`
    const isShownPending = dialect === 'designate'
    const { created_at: createdAt, ...rest } = body
    const seen = {
      id: body.id,
      status: 'COMPLETE',
      message: null,
      location,
      zone_id: zoneId,
      project_id: 'one',
      version: 1,
      updated_at: null,
      links: { self, export: `${self}/export` },
    }
    const pending = { status: 'PENDING', location: null, links: { self } }
    t.same(rest, { ...seen, ...(isShownPending && pending) })
    t.same((await one.get(self)).body, { ...seen, created_at: createdAt })
  })

  t.test(`${dialect}: an export is fetched as a zone file of the zone as it is`, async t => {
    const { id, zone_id: zoneId } = await exported('fetched')
    const apex = `fetched.${dialect}.example.`
    await one.post(`/v2/zones/${zoneId}/recordsets`, {
      name: `late.${apex}`,
      type: 'A',
      records: ['192.0.2.3'],
    })
    const answer = await one.with(asFile).get(`${base}/zones/tasks/exports/${id}/export`)
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('content-type'), 'text/dns')
    const serial = dns.store.get('zones', zoneId)?.serial
    const lines = answer.text.split('\n')
    t.same(lines.slice(0, 3), [`$ORIGIN ${apex}`, '$TTL 300', ''])
    t.match(lines[3], new RegExp(`^${apex}  IN SOA ns1\\S* ops.example.com. ${serial} `))
    t.same(lines.slice(5), [
      `www.${apex}  IN A 192.0.2.1`,
      `www.${apex}  IN A 192.0.2.2`,
      `t.${apex} 60 IN TXT "a;b" "c"`,
      `late.${apex}  IN A 192.0.2.3`,
      '',
    ])
  })

  t.test(`${dialect}: who takes no text/dns is not sent a zone file -> 406`, async t => {
    const { id } = await exported('accepted')
    const path = `${base}/zones/tasks/exports/${id}/export`
    const refused = await one.with({ accept: 'application/json' }).get(path)
    t.match(refused, { status: 406, body: { type: 'unsupported_accept' } })
    t.equal((await one.with({ accept: '*/*' }).get(path)).status, 200)
  })

  t.test(`${dialect}: a zone that is not whole yet is PENDING, and its text 400`, async t => {
    const { body: zone } = await one.post('/v2/zones', {
      name: `copy.${dialect}.example.`,
      type: 'SECONDARY',
      masters: ['192.0.2.53'],
    })
    const { body } = await one.post(`${base}/zones/${zone.id}/tasks/export`)
    t.match(body, { status: 'PENDING', location: null })
    const path = `${base}/zones/tasks/exports/${body.id}/export`
    t.match(await one.with(asFile).get(path), { status: 400, text: /"bad_request"/ })
  })

  t.test(`${dialect}: an export of a zone that is gone is in ERROR`, async t => {
    const { id, zone_id: zoneId } = await exported('gone')
    await one.delete(`/v2/zones/${zoneId}`)
    const { body } = await one.get(`${base}/zones/tasks/exports/${id}`)
    t.match(body, { status: 'ERROR', message: 'The zone is gone', location: null })
    const { status } = await one.with(asFile).get(`${base}/zones/tasks/exports/${id}/export`)
    t.equal(status, 400)
  })

  t.test(`${dialect}: exports are listed by project, filtered and paged`, async t => {
    const { id, zone_id: zoneId } = await exported('listed')
    const path = `${base}/zones/tasks/exports`
    const { body } = await one.get(`${path}?zone_id=${zoneId}&status=COMPLETE`)
    t.same([body.exports.length, body.exports[0].id, body.metadata.total_count], [1, id, 1])
    t.same((await two.get(path)).body.exports, [])
    const page = await one.get(`${path}?limit=1`)
    t.equal(page.body.exports.length, 1)
    t.match(page.body.links.next, new RegExp(`marker=${page.body.exports[0].id}`))
    t.match(await one.get(`${path}?name=x`), { status: 400, body: { type: 'bad_request' } })
  })

  t.test(`${dialect}: DELETE forgets an export`, async t => {
    const { id } = await exported('deleted')
    const path = `${base}/zones/tasks/exports/${id}`
    t.equal((await one.delete(path)).status, 204)
    t.match(await one.get(path), { status: 404, body: { type: 'zone_export_not_found' } })
  })

  t.test(`${dialect}: another project's zones and exports are not there`, async t => {
    const { id, zone_id: zoneId } = await exported('foreign')
    const foreign = await two.post(`${base}/zones/${zoneId}/tasks/export`)
    t.match(foreign, { status: 404, body: { type: 'zone_not_found' } })
    for (const path of [id, `${id}/export`, unknownId]) {
      const { status, text } = await two
        .with({ accept: '*/*' })
        .get(`${base}/zones/tasks/exports/${path}`)
      t.equal(status, 404, path)
      t.match(text, /zone_export_not_found/)
    }
    t.equal((await two.delete(`${base}/zones/tasks/exports/${id}`)).status, 404)
  })

  t.test(`${dialect}: a reader may look at exports and neither ask for nor fetch one`, async t => {
    const { id, zone_id: zoneId } = await exported('read')
    const denied = dialect === 'plain' ? 401 : 403
    t.equal((await reader.get(`${base}/zones/tasks/exports/${id}`)).status, 200)
    t.equal((await reader.post(`${base}/zones/${zoneId}/tasks/export`)).status, denied)
    const text = await reader.with(asFile).get(`${base}/zones/tasks/exports/${id}/export`)
    t.equal(text.status, denied)
  })

  t.test(`${dialect}: a zone with more recordsets than may be exported -> 413`, async t => {
    const zoneId = await zoneNamed('large')
    await dns.quotas.set('one', { zones: -1, apiExportSize: 3 })
    const answer = await one.post(`${base}/zones/${zoneId}/tasks/export`)
    await dns.quotas.set('one', { apiExportSize: 1000 })
    t.match(answer, { status: 413, body: { type: 'over_quota' } })
  })
}
