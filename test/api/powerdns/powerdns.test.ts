import t, { type Test } from 'tap'
import { serverFolder } from '../../helpers/server-folder.ts'
import { startWholeServer } from '../../helpers/whole-server.ts'

const base = '/api/v1/servers/localhost'

/** A server, and a client that shows an application credential as its API key. */
async function start(t: Test) {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const projectId = await server.makeProject('acme')
  const account = await server.makeAccount({ name: 'ann', projectId, role: 'member' })
  const ann = server.bearer(await server.login(account))
  const users = await server.admin.get('/identity/v3/users?name=ann')
  const path = `/identity/v3/users/${users.body.users[0].id}/application_credentials`
  const { body } = await ann.post(path, { application_credential: { name: 'dns' } })
  const { id, secret } = body.application_credential
  return { server, ann, pdns: server.anonymous.with({ 'x-api-key': `${id}:${secret}` }) }
}

const record = (content: string) => ({ content, disabled: false })
const rrset = (name: string, type: string, ...contents: readonly string[]) => ({
  name,
  type,
  ttl: 300,
  records: contents.map(record),
})

t.test('a zone is created with its RRsets, shown, listed and deleted', async t => {
  const { ann, pdns } = await start(t)
  t.same((await pdns.get('/api')).body, [{ url: '/api/v1', version: 1 }])
  t.equal((await pdns.get('/api/v1/servers')).body[0].daemon_type, 'authoritative')
  const created = await pdns.post(`${base}/zones`, {
    name: 'example.org.',
    kind: 'Native',
    nameservers: ['ns1.elsewhere.example.'],
    soa_edit_api: 'DEFAULT',
    rrsets: [
      rrset('example.org.', 'SOA', 'a.misconfigured. dns\\.team.example.org. 0 1 2 3 4'),
      rrset('www.example.org.', 'A', '192.0.2.1', '192.0.2.2'),
      rrset('example.org.', 'TXT', '"v=spf1 -all"'),
    ],
  })
  t.equal(created.status, 201)
  t.match(created.body, { id: 'example.org.', kind: 'Master', dnssec: false })
  const types = created.body.rrsets.map(({ type }: { type: string }) => type).sort()
  t.same(types, ['A', 'NS', 'SOA', 'TXT'])
  const { body } = await ann.get('/v2/zones/example.org.')
  t.equal(body.email, 'dns.team@example.org', 'who is responsible')
  t.match((await pdns.get(`${base}/zones`)).body, [{ name: 'example.org.' }])
  t.match((await pdns.get(`${base}/zones?zone=example.org`)).body, [{ name: 'example.org.' }])
  t.same((await pdns.get(`${base}/zones?zone=other.example.`)).body, [])
  const found = await pdns.get(
    `${base}/zones/example.org.?rrset_name=www.example.org.&rrset_type=A`,
  )
  t.match(found.body.rrsets, [{ ttl: 300, records: [record('192.0.2.1'), record('192.0.2.2')] }])
  t.notOk('rrsets' in (await pdns.get(`${base}/zones/example.org?rrsets=false`)).body)
  t.equal((await pdns.delete(`${base}/zones/example.org.`)).status, 204)
  const gone = await pdns.get(`${base}/zones/example.org.`)
  t.equal(gone.status, 404)
  t.same(gone.body, { error: 'Could not find Zone' })
})

t.test('a body is JSON whatever its content type, with an API key', async t => {
  const { ann, pdns } = await start(t)
  const form = {
    body: JSON.stringify({ name: 'example.org.', kind: 'Native' }),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
  t.equal((await ann.call('POST', `${base}/zones`, form)).status, 415, 'other credentials')
  t.equal((await pdns.call('POST', '/v2/zones', form)).status, 415, 'another API')
  t.equal((await pdns.call('POST', `${base}/zones`, form)).status, 201)
})

t.test('RRsets are replaced and deleted, all or none, and the comment stays', async t => {
  const { pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const zone = `${base}/zones/example.org.`
  const patch = (...rrsets: readonly object[]) => pdns.patch(zone, { rrsets })
  const contentsOf = async (name: string) => {
    const { body } = await pdns.get(`${zone}?rrset_name=${name}`)
    return body.rrsets.map(({ type, records }: { type: string; records: { content: string }[] }) =>
      [type, ...records.map(({ content }) => content)].join(' '),
    )
  }
  const replace = { changetype: 'REPLACE' }
  const comments = [{ content: 'by hand', account: 'ann' }]
  const done = await patch(
    { ...rrset('www.example.org.', 'A', '192.0.2.1'), ...replace, comments },
    { ...rrset('a.example.org.', 'TXT', '"x"'), ...replace },
    { name: 'nothing.example.org.', type: 'A', changetype: 'DELETE' },
  )
  t.equal(done.status, 204)
  await patch({ ...rrset('www.example.org.', 'A', '192.0.2.9'), ...replace })
  t.same(await contentsOf('www.example.org.'), ['A 192.0.2.9'])
  const { body } = await pdns.get(`${zone}?rrset_name=www.example.org.`)
  t.match(body.rrsets[0].comments, [{ content: 'by hand' }])
  const wrong = await patch(
    { ...rrset('b.example.org.', 'A', '192.0.2.1'), ...replace },
    { ...rrset('c.example.org.', 'A', 'nonsense'), ...replace },
  )
  t.equal(wrong.status, 422)
  t.match(wrong.body.error, /nonsense/)
  t.same(await contentsOf('b.example.org.'), [], 'nothing of it')
  await patch(
    { name: 'a.example.org.', type: 'TXT', changetype: 'DELETE' },
    { ...rrset('www.example.org.', 'A'), ...replace },
  )
  t.same(await contentsOf('a.example.org.'), [])
  t.same(await contentsOf('www.example.org.'), [], 'without records')
  t.equal((await patch({ ...rrset('d.example.org.', 'A', '192.0.2.1') })).status, 422)
  const disabled = {
    ...rrset('d.example.org.', 'A'),
    ...replace,
    records: [{ content: '192.0.2.1', disabled: true }],
  }
  t.match((await patch(disabled)).body.error, /disabled/)
})

t.test('what the server keeps may be sent as it is, and not otherwise', async t => {
  const { pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Master' })
  const zone = `${base}/zones/example.org.`
  const { body } = await pdns.get(zone)
  const rrsets = body.rrsets.map((shown: object) => ({ ...shown, changetype: 'REPLACE' }))
  t.equal((await pdns.patch(zone, { rrsets })).status, 204)
  const other = { ...rrset('example.org.', 'NS', 'ns.elsewhere.example.'), changetype: 'REPLACE' }
  t.equal((await pdns.patch(zone, { rrsets: [other] })).status, 422)
})

t.test('lines about one RRset follow each other, each kind once', async t => {
  const { pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const zone = `${base}/zones/example.org.`
  const line = (changetype: string, ...contents: readonly string[]) => ({
    ...rrset('www.example.org.', 'A', ...contents),
    changetype,
  })
  const patch = async (...rrsets: readonly object[]) => {
    const { status } = await pdns.patch(zone, { rrsets })
    const [shown] = (await pdns.get(`${zone}?rrset_name=www.example.org.`)).body.rrsets
    const contents = shown?.records.map(({ content }: { content: string }) => content)
    return { status, contents, comments: shown?.comments.length }
  }
  const commented = { ...line('REPLACE', '192.0.2.1'), comments: [{ content: 'front door' }] }
  t.match(await patch(commented), { status: 204, contents: ['192.0.2.1'], comments: 1 })
  t.match(
    await patch(line('DELETE'), line('replace', '192.0.2.2')),
    { status: 204, contents: ['192.0.2.2'], comments: 0 },
    'the comment is deleted with the records',
  )
  t.match(await patch(line('PRUNE', '192.0.2.2'), line('EXTEND', '192.0.2.3')), {
    status: 204,
    contents: ['192.0.2.3'],
  })
  t.match(await patch(line('REPLACE', '192.0.2.4'), line('REPLACE', '192.0.2.5')), {
    status: 422,
    contents: ['192.0.2.3'],
  })
  t.match(await patch(line('REPLACE', '192.0.2.4'), line('DELETE')), {
    status: 204,
    contents: undefined,
  })
})

t.test('names and types are found in any case, and names are shown in lower case', async t => {
  const { pdns } = await start(t)
  const made = await pdns.post(`${base}/zones`, { name: 'Example.ORG.', kind: 'Native' })
  t.match(made.body, { id: 'example.org.', name: 'example.org.' })
  const zone = `${base}/zones/example.org.`
  const rrsets = [{ ...rrset('Www.example.org.', 'txt', '"x"'), changetype: 'REPLACE' }]
  t.equal((await pdns.patch(zone, { rrsets })).status, 204)
  for (const query of [
    'rrset_name=WWW.example.org.&rrset_type=txt',
    'rrset_name=www.example.org',
  ]) {
    const { body } = await pdns.get(`${zone}?${query}`)
    t.match(body.rrsets, [{ name: 'www.example.org.', type: 'TXT' }], query)
  }
  const found = await pdns.get(`${base}/search-data?q=www*`)
  t.match(found.body, [{ name: 'www.example.org.', zone: 'example.org.' }])
})

t.test('a text of any length is split into strings', async t => {
  const { pdns } = await start(t)
  const text = { ...rrset('example.org.', 'TXT', `"${'k'.repeat(300)}"`), changetype: 'EXTEND' }
  const { body } = await pdns.post(`${base}/zones`, {
    name: 'example.org.',
    kind: 'Native',
    rrsets: [text],
  })
  const zone = `${base}/zones/example.org.`
  t.equal((await pdns.patch(zone, { rrsets: [text] })).status, 204)
  const shown = await pdns.get(`${zone}?rrset_type=TXT`)
  const split = [{ content: `"${'k'.repeat(255)}" "${'k'.repeat(45)}"` }]
  for (const { rrsets } of [body, shown.body])
    t.match(rrsets.find(({ type }: { type: string }) => type === 'TXT').records, split)
  t.equal(shown.body.rrsets[0].records.length, 1, 'it is the same record')
})

t.test('masters may be IPv6 addresses without brackets', async t => {
  const { pdns } = await start(t)
  const masters = ['2606:4700::1', '[2606:4700::2]:5300']
  const zone = { name: 'copy.example.', kind: 'Slave', masters }
  t.match((await pdns.post(`${base}/zones`, zone)).body, { masters })
  t.equal((await pdns.put(`${base}/zones/copy.example.`, zone)).status, 204)
  t.match((await pdns.get(`${base}/zones/copy.example.`)).body, { masters })
})

t.test('EXTEND adds records and PRUNE takes them away', async t => {
  const { pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const zone = `${base}/zones/example.org.`
  const change = async (changetype: string, type: string, ...contents: readonly string[]) => {
    const rrsets = [{ ...rrset('www.example.org.', type, ...contents), changetype }]
    const { status } = await pdns.patch(zone, { rrsets })
    const shown = await pdns.get(`${zone}?rrset_name=www.example.org.&rrset_type=${type}`)
    const records = shown.body.rrsets[0]?.records ?? []
    return [status, ...records.map(({ content }: { content: string }) => content)]
  }
  t.same(await change('EXTEND', 'A', '192.0.2.1'), [204, '192.0.2.1'])
  t.same(await change('EXTEND', 'A', '192.0.2.2', '192.0.2.1'), [204, '192.0.2.1', '192.0.2.2'])
  t.same(await change('PRUNE', 'A', '192.0.2.1', '192.0.2.9'), [204, '192.0.2.2'])
  t.same(await change('PRUNE', 'A', '192.0.2.2'), [204])
  t.same(await change('PRUNE', 'A', '192.0.2.2'), [204])
  t.same(await change('EXTEND', 'AAAA', '2001:db8::1'), [204, '2001:db8::1'])
  t.same(await change('PRUNE', 'AAAA', '2001:0db8:0::1'), [204], 'another form of the same')
})

t.test('records and metadata that are added at the same time are all kept', async t => {
  const { pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const zone = `${base}/zones/example.org.`
  const contents = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
  const extended = await Promise.all(
    contents.map(content =>
      pdns.patch(zone, {
        rrsets: [{ ...rrset('www.example.org.', 'A', content), changetype: 'EXTEND' }],
      }),
    ),
  )
  t.same(
    extended.map(({ status }) => status),
    [204, 204, 204, 204],
  )
  const { body } = await pdns.get(`${zone}?rrset_name=www.example.org.`)
  t.same(new Set(body.rrsets[0].records), new Set(contents.map(record)))
  const kinds = ['ALLOW-AXFR-FROM', 'TSIG-ALLOW-AXFR']
  await Promise.all(
    kinds.flatMap(kind =>
      contents.map(value => pdns.post(`${zone}/metadata`, { kind, metadata: [value] })),
    ),
  )
  const metadata = (await pdns.get(`${zone}/metadata`)).body
  t.same(
    metadata.map((of: { kind: string; metadata: readonly string[] }) => [
      of.kind,
      of.metadata.toSorted(),
    ]),
    kinds.map(kind => [kind, contents]),
  )
})

t.test('metadata say who may have a zone', async t => {
  const { ann, pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const path = `${base}/zones/example.org./metadata`
  const kind = 'ALLOW-AXFR-FROM'
  t.same((await pdns.get(path)).body, [])
  t.equal((await pdns.post(path, { kind, metadata: ['192.0.2.2'] })).status, 201)
  t.equal((await pdns.post(path, { kind, metadata: ['192.0.2.2', '192.0.2.3'] })).status, 201)
  const both = { type: 'Metadata', kind, metadata: ['192.0.2.2', '192.0.2.3'] }
  t.same((await pdns.get(`${path}/${kind}`)).body, both)
  const { attributes } = (await ann.get('/v2/zones/example.org.')).body
  t.equal(attributes.allow_transfer, '192.0.2.2,192.0.2.3')
  t.same((await pdns.put(`${path}/${kind}`, { metadata: ['192.0.2.9'] })).body.metadata, [
    '192.0.2.9',
  ])
  t.equal((await pdns.delete(`${path}/${kind}`)).status, 200)
  t.same((await pdns.get(path)).body, [])
  t.match(await pdns.get(`${path}/SOA-EDIT`), { status: 422, body: { error: /SOA-EDIT/ } })
  t.equal((await pdns.get(`${path}/constructor`)).status, 422)
})

t.test('what the other groups bound is bounded here too', async t => {
  const { pdns } = await start(t)
  const zone = `${base}/zones/example.org.`
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const masters = Array.from({ length: 17 }, (_, i) => `203.0.113.${i + 1}`)
  const copy = { name: 'copy.example.', kind: 'Slave' }
  t.equal((await pdns.post(`${base}/zones`, { ...copy, masters })).status, 422, 'masters')
  await pdns.post(`${base}/zones`, { ...copy, masters: masters.slice(1) })
  t.equal((await pdns.put(`${base}/zones/copy.example.`, { masters })).status, 422, 'masters')
  const commented = (...lengths: readonly number[]) => ({
    ...rrset('www.example.org.', 'A', '192.0.2.1'),
    changetype: 'REPLACE',
    comments: lengths.map(length => ({ content: 'x'.repeat(length) })),
  })
  for (const [lengths, status] of [
    [[160], 204],
    [[161], 422],
    [[80, 80], 422],
  ] as const) {
    const { status: is } = await pdns.patch(zone, { rrsets: [commented(...lengths)] })
    t.equal(is, status, `comments of ${lengths} characters`)
  }
})

t.test('TSIG keys of the default pool, by their names', async t => {
  const { server, pdns } = await start(t)
  const { admin } = server
  const path = `${base}/tsigkeys`
  t.equal((await pdns.get(path)).status, 403)
  const draft = { name: 'one', algorithm: 'hmac-sha256', key: 'c2VjcmV0' }
  const made = await admin.post(path, draft)
  t.equal(made.status, 201)
  t.same(made.body, { ...draft, id: 'one.', type: 'TSIGKey' })
  t.equal((await admin.post(path, draft)).status, 409)
  t.same((await admin.get(path)).body, [{ ...made.body, key: '' }])
  t.same((await admin.get(`${path}/one.`)).body, made.body)
  t.equal((await admin.put(`${path}/one.`, { key: 'bmV3' })).body.key, 'bmV3')
  t.equal((await admin.delete(`${path}/one`)).status, 204)
  t.equal((await admin.get(`${path}/one.`)).status, 404)
})

t.test('zones and records are searched for', async t => {
  const { pdns } = await start(t)
  await pdns.post(`${base}/zones`, {
    name: 'example.org.',
    kind: 'Native',
    rrsets: [
      { ...rrset('www.example.org.', 'A', '192.0.2.1'), comments: [{ content: 'front door' }] },
    ],
  })
  const search = async (query: string) => (await pdns.get(`${base}/search-data?${query}`)).body
  t.match(await search('q=www.example.org&object_type=record'), [
    { object_type: 'record', content: '192.0.2.1', zone_id: 'example.org.', ttl: 300 },
  ])
  t.match(await search('q=exampl?.org'), [{ object_type: 'zone', name: 'example.org.' }])
  t.match(await search('q=192.0.2.*'), [{ name: 'www.example.org.' }])
  t.match(await search('q=front*'), [{ object_type: 'comment', content: 'front door' }])
  t.same(await search('q=192.0.2.'), [], 'without a wildcard the whole is compared')
  t.equal((await search('q=*&max=1')).length, 1)
  for (const query of ['', 'q=x&max=0', 'q=x&object_type=y'])
    t.equal((await pdns.get(`${base}/search-data?${query}`)).status, 422, query)
})

t.test('tasks of a zone, and what is counted', async t => {
  const { server, pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const secondary = { name: 'copy.example.', kind: 'Slave', masters: ['203.0.113.1'] }
  t.equal((await pdns.post(`${base}/zones`, secondary)).status, 201)
  const zone = `${base}/zones/example.org.`
  t.match((await pdns.get(`${zone}/export`)).text, /^\$ORIGIN example\.org\.$/m)
  for (const [method, path, status] of [
    ['PUT', `${zone}/notify`, 200],
    ['PUT', `${zone}/rectify`, 200],
    ['PUT', `${base}/zones/copy.example./axfr-retrieve`, 200],
    ['PUT', `${zone}/axfr-retrieve`, 422],
    ['PUT', `${base}/cache/flush?domain=example.org.`, 200],
    ['GET', `${zone}/metadata`, 200],
    ['GET', `${zone}/cryptokeys`, 200],
    ['GET', `${base}/statistics`, 403],
  ] as const)
    t.equal((await pdns.call(method, path)).status, status, `${method} ${path}`)
  t.equal((await pdns.put(zone, { kind: 'Slave' })).status, 422)
  const unknown = await pdns.put(`${base}/zones/copy.example.`, { kind: 'constructor' })
  t.match(unknown, { status: 422, body: { error: /the kind constructor/ } })
  const masters = { masters: ['203.0.113.2'] }
  t.equal((await pdns.put(`${base}/zones/copy.example.`, masters)).status, 204)
  t.match((await pdns.get(`${base}/zones/copy.example.`)).body.masters, masters.masters)
  const { body } = await server.admin.get(`${base}/statistics`)
  t.match(body.find(({ name }: { name: string }) => name === 'zones').value, '2')
  const one = await server.admin.get(`${base}/statistics?statistic=zones`)
  t.same(one.body, [{ type: 'StatisticItem', name: 'zones', value: '2' }])
  const none = await server.admin.get(`${base}/statistics?statistic=nothing`)
  t.match(none, { status: 422, body: { error: 'Unknown statistic name' } })
})

t.test('name servers are told of a zone again for its owner alone', async t => {
  const { server, ann, pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const projectId = await server.makeProject('guests')
  const account = await server.makeAccount({ name: 'guest', projectId, role: 'member' })
  const guest = server.bearer(await server.login(account))
  await ann.post('/v2/zones/example.org./shares', { target_project_id: projectId })
  const path = `${base}/zones/example.org.`
  t.equal((await guest.get(path)).status, 200)
  t.equal((await guest.put(`${path}/notify`)).status, 403)
})

t.test('an API key is a credential or a token, and a wrong one is none', async t => {
  const { server, pdns } = await start(t)
  t.equal((await pdns.get(`${base}/zones`)).status, 200)
  const withKey = (key: string) => server.anonymous.with({ 'x-api-key': key })
  t.equal((await withKey('the-admin-token-of-the-tests').get(`${base}/zones`)).status, 200)
  for (const key of ['nothing', 'no:thing']) {
    const { status, body } = await withKey(key).get(`${base}/zones`)
    t.equal(status, 401, key)
    t.type(body.error, 'string')
  }
})

t.test('dnssec of a zone signs it and has it go insecure; cryptokeys has its keys', async t => {
  const { ann, pdns } = await start(t)
  await pdns.post(`${base}/zones`, { name: 'example.org.', kind: 'Native' })
  const zone = `${base}/zones/example.org.`
  t.equal((await pdns.put(zone, { dnssec: true })).status, 204)
  t.match((await pdns.get(`${zone}?rrsets=false`)).body, { dnssec: true })
  const { body } = await ann.get('/v2/zones/example.org./dnssec')
  const [key] = body.keys
  const listed = await pdns.get(`${zone}/cryptokeys`)
  t.same(listed.body, [
    {
      type: 'Cryptokey',
      id: key.tag,
      keytype: 'csk',
      active: true,
      published: true,
      flags: 257,
      dnskey: key.dnskey,
      algorithm: 'ECDSAP256SHA256',
      ds: listed.body[0].ds,
    },
  ])
  t.match(listed.body[0].ds, [new RegExp(`^${key.tag} 13 2 `)])
  t.equal((await pdns.put(zone, { kind: 'Master' })).status, 204)
  t.match((await pdns.get(`${zone}?rrsets=false`)).body, { dnssec: true }, 'not named, it stays')
  t.equal((await pdns.put(zone, { dnssec: false })).status, 204)
  t.match((await ann.get('/v2/zones/example.org./dnssec')).body.status, /^UNSIGN/)
  t.equal((await pdns.put(zone, { dnssec: true })).status, 204)
  t.match((await ann.get('/v2/zones/example.org./dnssec')).body.status, /^SIGN/, 'as before')
  const copy = { name: 'copy.example.', kind: 'Slave', masters: ['203.0.113.1'], dnssec: true }
  t.equal((await pdns.post(`${base}/zones`, copy)).status, 422, 'others sign it')
  t.equal((await pdns.get(`${base}/zones/copy.example.`)).status, 404)
  await pdns.post(`${base}/zones`, { name: 'signed.example.', kind: 'Native', dnssec: true })
  t.match((await pdns.get(`${base}/zones/signed.example.`)).body, { dnssec: true })
})
