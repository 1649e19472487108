import t from 'tap'
import { dialectPlaces } from '../../helpers/dialects.ts'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { api } = await startDnsApi(t, { minTtlSeconds: 60 })
const { admin } = api

const defaults = {
  zones: 10,
  zone_recordsets: 500,
  zone_records: 500,
  recordset_records: 20,
  api_export_size: 1000,
}

for (const { dialect, base, denied } of dialectPlaces) {
  const path = `${base}/quotas`
  /** A project for one test. */
  const projectOf = async (label: string) => {
    const project = `${label}-${dialect}`
    return {
      project,
      member: await api.clientOf({ project }),
      reader: await api.clientOf({ project, role: 'reader' }),
    }
  }

  t.test(`${dialect}: a project sees its quotas, by its id or without`, async t => {
    const { project, reader } = await projectOf('seen')
    t.match(await reader.get(path), { status: 200, body: defaults })
    t.same((await reader.get(path)).body, defaults)
    t.same((await reader.get(`${path}/${project}`)).body, defaults)
  })

  t.test(`${dialect}: PATCH sets what it says, DELETE gives the defaults again`, async t => {
    const { project, reader } = await projectOf('set')
    const changed = await admin.patch(`${path}/${project}`, { zones: 3, zone_records: -1 })
    const expected = { ...defaults, zones: 3, zone_records: -1 }
    t.same([changed.status, changed.body], [200, expected])
    t.same((await reader.get(path)).body, expected)
    t.same((await admin.patch(`${path}/${project}`, {})).body, expected)
    const signed = await admin.patch(`${path}/${project}`, { signed_zones: 7 })
    t.same(signed.body, { ...expected, signed_zones: 7 })
    const days = { history_days: 365, deleted_zone_days: 30 }
    const kept = await admin.patch(`${path}/${project}`, days)
    t.same(kept.body, { ...expected, signed_zones: 7, ...days })
    const removed = await admin.delete(`${path}/${project}`)
    t.same([removed.status, removed.text], [204, ''])
    t.same((await reader.get(path)).body, defaults)
  })

  t.test(`${dialect}: refused bodies of PATCH`, async t => {
    const rows: [rule: string, body: unknown, type: string, path?: string[]][] = [
      ['an unknown quota', { domains: 7 }, 'invalid_object'],
      ['a fraction', { zones: 1.5 }, 'invalid_object', ['zones']],
      ['a text', { zones: '7' }, 'invalid_object', ['zones']],
      ['null', { zones: null }, 'invalid_object', ['zones']],
      ['less than none', { zone_records: -2 }, 'invalid_object', ['zone_records']],
      [
        'more than there can be',
        { api_export_size: 2 ** 31 },
        'invalid_object',
        ['api_export_size'],
      ],
      ['a list', [], 'invalid_object'],
      ['nothing', '', 'empty_request_body'],
    ]
    for (const [rule, body, type, where] of rows) {
      const answer = await admin.patch(`${path}/any`, body)
      t.match(answer, { status: 400, body: { code: 400, type } }, rule)
      if (where !== undefined) t.same(answer.body.errors.errors[0].path, where, rule)
    }
  })

  t.test(`${dialect}: quotas of others are for administrators who ask for all`, async t => {
    const { project, member } = await projectOf('other')
    const refused = { status: denied, body: { code: denied, type: 'forbidden' } }
    const url = `${path}/${project}`
    const stranger = (await projectOf('stranger')).member
    t.match(await stranger.get(url), refused)
    t.match(await admin.get(url), refused, 'without a word an administrator is of its own project')
    t.match(await admin.with({ 'x-auth-all-projects': 'true' }).get(url), { status: 200 })
    t.match(await admin.with({ 'x-auth-sudo-project-id': project }).get(path), { status: 200 })
    t.match(await stranger.with({ 'x-auth-all-projects': 'true' }).get(url), refused)
    t.match(await member.patch(url, { zones: 100 }), refused, 'nobody sets its own')
    t.match(await member.delete(url), refused)
    t.equal((await api.anonymous.get(path)).status, 401)
  })

  t.test(
    `${dialect}: what is exceeded is 413, and no client takes it for a rate limit`,
    async t => {
      const { project, member } = await projectOf('exceeding')
      await admin.patch(`${path}/${project}`, {
        zones: 1,
        zone_recordsets: 3,
        recordset_records: 1,
      })
      const apex = `${project}.example.`
      const zone = await member.post(`${base}/zones`, { name: apex, email: 'ops@example.com' })
      const another = { name: `another-${apex}`, email: 'ops@example.com' }
      const zones = await member.post(`${base}/zones`, another)
      t.match(zones, {
        status: 413,
        body: { code: 413, type: 'over_quota', message: 'Quota exceeded for zones.' },
      })
      t.equal(zones.headers.get('retry-after'), null)
      const url = `${base}/zones/${zone.body.id}/recordsets`
      const draft = { name: `www.${apex}`, type: 'A', records: ['192.0.2.1', '192.0.2.2'] }
      const records = await member.post(url, draft)
      t.match(records.body.message, 'Quota exceeded for recordset_records.')
      const { body: recordset } = await member.post(url, { ...draft, records: ['192.0.2.1'] })
      const larger = await member.put(`${url}/${recordset.id}`, { records: draft.records })
      t.match(larger, { status: 413, body: { type: 'over_quota' } })
      const recordsets = await member.post(url, { ...draft, type: 'TXT', records: ['x'] })
      t.match(recordsets.body.message, 'Quota exceeded for zone_recordsets.')
    },
  )

  t.test(`${dialect}: limits are for anyone, those of its project among them`, async t => {
    const { project, reader } = await projectOf('limited')
    await admin.patch(`${path}/${project}`, { zones: 7 })
    const { status, body } = await reader.get(`${base}/limits`)
    t.equal(status, 200)
    t.same(body, {
      max_zones: 7,
      max_zone_recordsets: 500,
      max_zone_records: 500,
      max_recordset_records: 20,
      min_ttl: 60,
      max_zone_name_length: 255,
      max_recordset_name_length: 255,
      max_page_limit: 1000,
    })
  })

  t.test(`${dialect}: a TTL below the least one is 400 invalid_ttl`, async t => {
    const { project, member } = await projectOf('short')
    const draft = { name: `${project}.example.`, email: 'ops@example.com' }
    const refused = { status: 400, body: { code: 400, type: 'invalid_ttl' } }
    t.match(await member.post(`${base}/zones`, { ...draft, ttl: 59 }), refused)
    const zone = await member.post(`${base}/zones`, { ...draft, ttl: 60 })
    const url = `${base}/zones/${zone.body.id}`
    t.match(await member.patch(url, { ttl: 0 }), refused)
    const www = { name: `www.${draft.name}`, type: 'A', records: ['192.0.2.1'] }
    t.match(await member.post(`${url}/recordsets`, { ...www, ttl: 10 }), refused)
    const recordset = await member.post(`${url}/recordsets`, www)
    t.match(await member.put(`${url}/recordsets/${recordset.body.id}`, { ttl: 10 }), refused)
    const all = admin.with({ 'x-auth-all-projects': 'true' })
    t.equal((await all.patch(url, { ttl: 0 })).body.ttl, 0, 'administrators are exempt')
  })
}
