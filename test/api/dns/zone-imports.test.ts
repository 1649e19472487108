import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { dns, api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
await dns.quotas.set('one', { zones: -1 })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })

const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'
const asFile = { 'content-type': 'text/dns' }

for (const base of ['/v2', '/dns/v2']) {
  const dialect = base === '/v2' ? 'plain' : 'designate'
  const path = `${base}/zones/tasks/imports`
  const fileOf = (label: string) =>
    `$ORIGIN ${label}.${dialect}.example.\n$TTL 300\n@ SOA ns.old. ops 7 1 2 3 4\nwww A 192.0.2.1\n`
  const send = (body: string, headers = asFile) => one.call('POST', path, { body, headers })
  const imported = async (label: string) => {
    const { body } = await send(fileOf(label))
    await dns.zoneImports.settled()
    return (await one.get(`${path}/${body.id}`)).body
  }

  t.test(`${dialect}: POST answers 202 with the import, PENDING, and where it is`, async t => {
    const { status, headers, body } = await send(fileOf('posted'))
    t.equal(status, 202)
    const self = `${api.url}${path}/${body.id}`
    t.equal(headers.get('location'), self)
    const { created_at: createdAt, ...rest } = body
    const pending = {
      id: body.id,
      project_id: 'one',
      status: 'PENDING',
      message: null,
      zone_id: null,
    }
    const report = dialect === 'plain' ? { report: null } : {}
    t.same(rest, { ...pending, ...report, version: 1, updated_at: null, links: { self } })
    await dns.zoneImports.settled()
    const { body: done } = await one.get(self)
    t.match(done, {
      status: 'COMPLETE',
      message: `posted.${dialect}.example. imported`,
      created_at: createdAt,
      version: 2,
      links: { self, zone: `${api.url}${base}/zones/${done.zone_id}` },
    })
    const { body: zone } = await one.get(done.links.zone)
    t.match(zone, { name: `posted.${dialect}.example.`, ttl: 300, status: 'ACTIVE' })
    t.equal(zone.email, `ops@posted.${dialect}.example`)
  })

  t.test(`${dialect}: a file can be sent in JSON, with attributes of the zone`, async t => {
    const zonefile = fileOf('json')
    const poolId = '794ccc2c-d751-44fe-b57f-8894c9f5c842'
    const { status, body } = await one.post(path, { zonefile, attributes: { service: 'gold' } })
    t.equal(status, 202)
    await dns.zoneImports.settled()
    const { body: done } = await one.get(`${path}/${body.id}`)
    const { body: zone } = await one.get(`${base}/zones/${done.zone_id}`)
    t.match(zone, { attributes: { service: 'gold' }, pool_id: poolId })
  })

  t.test(`${dialect}: a pool that cannot be had is an error of the import`, async t => {
    const attributes = { pool_id: '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11' }
    for (const client of [one, api.admin]) {
      const { status, body } = await client.post(path, { zonefile: fileOf('poolless'), attributes })
      t.equal(status, 202)
      await dns.zoneImports.settled()
      const { body: done } = await client.get(`${path}/${body.id}`)
      t.match(done, { status: 'ERROR', zone_id: null, message: /./ })
    }
  })

  t.test(
    `${dialect}: an origin, a replacement and a dry run are asked for in the query`,
    async t => {
      const body = `@ 60 SOA ns ops 1 2 3 4 5\n@ NS ns.old.\nwww A 192.0.2.1\n`
      const origin = `queried.${dialect}.example`
      const ask = async (query: string, text = body) => {
        const sent = await one.call('POST', `${path}?${query}`, { body: text, headers: asFile })
        t.equal(sent.status, 202)
        await dns.zoneImports.settled()
        return (await one.get(`${path}/${sent.body.id}`)).body
      }
      t.match(await ask(`origin=${origin}&dry_run=true`), { status: 'COMPLETE', zone_id: null })
      const made = await ask(`origin=${origin}.`)
      t.match(made, { status: 'COMPLETE', message: /left out: queried\.\w+\.example\. NS/ })
      t.match(await ask(`origin=${origin}`), { status: 'ERROR', message: 'Duplicate zone.' })
      const row = await ask(`origin=${origin}&replace=true`, `${body}new 60 TXT x\n`)
      t.match(row, { status: 'COMPLETE', zone_id: made.zone_id, message: /recordsets new: 1/ })
      if (dialect === 'plain') {
        t.same(row.report.difference.added.named, [
          {
            name: `new.${origin}.`,
            type: 'TXT',
            before: null,
            after: { ttl: 60, record_count: 1, records: ['"x"'] },
          },
        ])
      } else t.notOk('report' in row)
      const wrong = await one.call('POST', `${path}?origin=a..b`, { body, headers: asFile })
      t.match(wrong, { status: 400, body: { type: 'bad_request' } })
    },
  )

  t.test(`${dialect}: a body that is no file is refused`, async t => {
    const unsupported = await send(fileOf('x'), { 'content-type': 'text/plain' })
    t.match(unsupported, {
      status: 415,
      body: {
        type: 'unsupported_content_type',
        message: 'Content-type must be application/json or text/dns',
      },
    })
    for (const blank of ['', ' \n'])
      t.match(await send(blank), { status: 400, body: { type: 'empty_request_body' } })
    t.match(await one.post(path, { zonefile: 7 }), {
      status: 400,
      body: { type: 'invalid_object' },
    })
    t.match(await one.post(path, {}), { status: 400, body: { type: 'invalid_object' } })
    const octets = Buffer.from('$ORIGIN é.example.\n', 'latin1')
    const headers = { ...one.headers, ...asFile }
    const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: octets })
    t.match([response.status, await response.json()], [400, { type: 'bad_request' }])
  })

  t.test(`${dialect}: a file may be larger than other bodies`, async t => {
    const comments = `; ${'x'.repeat(98)}\n`.repeat(30_000)
    const asText = await send(fileOf('commented') + comments)
    const asJson = await one.post(path, { zonefile: fileOf('commented-too') + comments })
    await dns.zoneImports.settled()
    for (const { status, body } of [asText, asJson]) {
      t.equal(status, 202)
      t.equal((await one.get(`${path}/${body.id}`)).body.status, 'COMPLETE')
    }
    const tooLarge = await send(comments.repeat(18))
    t.match(tooLarge, { status: 413, body: { type: 'request_too_large' } })
  })

  t.test(`${dialect}: what is wrong with a file is reported in the import`, async t => {
    const { body } = await send('$ORIGIN a.example.\n@ A 192.0.2.300\n')
    await dns.zoneImports.settled()
    const { body: row } = await one.get(`${path}/${body.id}`)
    t.match(row, { status: 'ERROR', message: /^Malformed zonefile\. Line 2: / })
    t.same(Object.keys(row.links), ['self'])
    await imported('twice')
    t.match(await imported('twice'), { status: 'ERROR', message: 'Duplicate zone.' })
  })

  t.test(`${dialect}: imports are listed by project, filtered and paged`, async t => {
    const row = await imported('listed')
    const { body } = await one.get(`${path}?zone_id=${row.zone_id}&status=COMPLETE`)
    t.same([body.imports, body.metadata.total_count], [[row], 1])
    t.same((await two.get(path)).body.imports, [])
    t.equal((await one.get(`${path}?limit=1`)).body.imports.length, 1)
    t.match(await one.get(`${path}?name=x`), { status: 400, body: { type: 'bad_request' } })
  })

  t.test(`${dialect}: DELETE forgets an import and leaves its zone`, async t => {
    const row = await imported('deleted')
    t.equal((await one.delete(`${path}/${row.id}`)).status, 204)
    const gone = await one.get(`${path}/${row.id}`)
    t.match(gone, { status: 404, body: { type: 'zone_import_not_found' } })
    t.equal((await one.get(`${base}/zones/${row.zone_id}`)).status, 200)
  })

  t.test(
    `${dialect}: another project's imports are not there, a reader's are to be read`,
    async t => {
      const row = await imported('foreign')
      for (const id of [row.id, unknownId]) {
        t.equal((await two.get(`${path}/${id}`)).status, 404)
        t.equal((await two.delete(`${path}/${id}`)).status, 404)
      }
      t.equal((await reader.get(`${path}/${row.id}`)).status, 200)
      const denied = dialect === 'plain' ? 401 : 403
      const answer = await reader.call('POST', path, { body: fileOf('read'), headers: asFile })
      t.equal(answer.status, denied)
      t.equal((await reader.delete(`${path}/${row.id}`)).status, denied)
    },
  )
}

t.test('what has no room is refused before its body is read', async t => {
  const three = await api.clientOf({ project: 'three' })
  await dns.quotas.set('three', { zones: 0 })
  const path = '/v2/zones/tasks/imports'
  // Longer than any body may be: read, it would be another refusal.
  const body = 'x'.repeat(49 * 1024 * 1024)
  const full = await three.call('POST', path, { body, headers: asFile })
  t.match(full, { status: 413, body: { type: 'over_quota' } })
  const replacing = await three.call('POST', `${path}?replace=true`, { body, headers: asFile })
  t.match(replacing, { status: 413, body: { type: 'request_too_large' } })
})
