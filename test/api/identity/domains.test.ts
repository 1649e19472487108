import t from 'tap'
import { callIdentity, checkCalls, create, startIdentityApi } from '../../helpers/identity-calls.ts'
import { putZone } from '../../helpers/identity-rows.ts'

t.test('a domain is created, shown, listed, changed and deleted', async t => {
  const { admin, url } = await startIdentityApi(t)
  const lab = await create(admin, '/domains', { domain: { name: 'lab', description: 'The lab' } })
  t.strictSame(lab, {
    id: lab.id,
    name: 'lab',
    description: 'The lab',
    tags: [],
    options: {},
    enabled: true,
    links: { self: `${url}/identity/v3/domains/${lab.id}` },
  })
  t.match(lab.id, /^[0-9a-f]{32}$/)
  const path = `/domains/${lab.id}`
  await checkCalls(t, admin, [
    { rule: 'show', call: `GET ${path}`, status: 200, answer: { domain: lab } },
    { rule: 'HEAD is GET without body', call: `HEAD ${path}`, status: 200 },
    {
      rule: 'by name in any case',
      call: 'GET /domains?name=LAB',
      status: 200,
      answer: { domains: [lab], links: { previous: null, next: null } },
    },
    {
      rule: 'disable and rename',
      call: `PATCH ${path}`,
      body: { domain: { name: 'labs', enabled: false, description: null } },
      status: 200,
      answer: { domain: { name: 'labs', description: '', enabled: false } },
    },
    {
      rule: 'what is left out stays',
      call: `PATCH ${path}`,
      body: { domain: {} },
      status: 200,
      answer: { domain: { name: 'labs', enabled: false } },
    },
    { rule: 'delete', call: `DELETE ${path}`, status: 204 },
    { rule: 'it is gone', call: `GET ${path}`, status: 404 },
  ])
})

t.test('lists of domains are filtered by name and state', async t => {
  const { admin } = await startIdentityApi(t)
  const off = await create(admin, '/domains', { domain: { name: 'off', enabled: false } })
  const names = async (query: string) => {
    const { body } = await callIdentity(admin, `GET /domains${query}`)
    return body.domains.map(({ name }: { name: string }) => name)
  }
  t.strictSame(await names(''), ['Default', 'off'])
  t.strictSame(await names('?enabled'), ['Default'])
  t.strictSame(await names('?enabled=True'), ['Default'])
  t.strictSame(await names('?enabled=0'), ['off'])
  t.strictSame(await names('?name=off&enabled=true'), [])
  t.strictSame(await names('?name=nothing'), [])
  t.equal(off.enabled, false)
})

t.test('what is wrong with a domain is reported', async t => {
  const { admin } = await startIdentityApi(t)
  const lab = await create(admin, '/domains', { domain: { name: 'lab' } })
  const bodies: readonly [rule: string, body: object][] = [
    ['no name', { domain: {} }],
    ['no envelope', { name: 'x' }],
    ['an empty name', { domain: { name: '' } }],
    ['a blank name', { domain: { name: ' ' } }],
    ['a name with a line break', { domain: { name: 'a\nb' } }],
    ['a name that is too long', { domain: { name: 'x'.repeat(65) } }],
    ['a description that is too long', { domain: { name: 'x', description: 'x'.repeat(1025) } }],
    ['a key that is none', { domain: { name: 'x', color: 'red' } }],
    ['tags', { domain: { name: 'x', tags: ['a'] } }],
    ['an option', { domain: { name: 'x', options: { immutable: true } } }],
  ]
  await checkCalls(t, admin, [
    ...bodies.map(([rule, body]) => ({ rule, call: 'POST /domains', body, status: 400 })),
    {
      rule: 'a name that is taken',
      call: 'POST /domains',
      body: { domain: { name: 'LAB' } },
      status: 409,
    },
    {
      rule: 'a new name that is taken',
      call: `PATCH /domains/${lab.id}`,
      body: { domain: { name: 'default' } },
      status: 409,
    },
    {
      rule: 'its own name in other letters is free',
      call: `PATCH /domains/${lab.id}`,
      body: { domain: { name: 'Lab' } },
      status: 200,
    },
    { rule: 'nobody’s domain', call: 'PATCH /domains/x', body: { domain: {} }, status: 404 },
    { rule: 'nobody’s domain', call: 'DELETE /domains/x', status: 404 },
    { rule: 'an unknown filter', call: 'GET /domains?limit=1', status: 400 },
    { rule: 'an enabled domain stays', call: `DELETE /domains/${lab.id}`, status: 403 },
    { rule: 'the first domain stays', call: 'DELETE /domains/default', status: 403 },
    {
      rule: 'the last administrator’s domain stays open',
      call: 'PATCH /domains/default',
      body: { domain: { enabled: false } },
      status: 409,
    },
  ])
})

t.test('a domain takes all that is in it along, but no zones', async t => {
  const { admin, store } = await startIdentityApi(t)
  const lab = await create(admin, '/domains', { domain: { name: 'lab', enabled: false } })
  const inLab = { name: 'x', domain_id: lab.id }
  const project = await create(admin, '/projects', { project: inLab })
  const user = await create(admin, '/users', { user: inLab })
  const zone = await putZone(store, { name: 'example.com.', projectId: project.id })
  t.equal((await callIdentity(admin, `DELETE /domains/${lab.id}`)).status, 409)
  t.ok(store.get('users', user.id), 'nothing is deleted by half')
  await store.commit(tx => tx.delete('zones', zone.id))
  t.equal((await callIdentity(admin, `DELETE /domains/${lab.id}`)).status, 204)
  t.equal(store.get('users', user.id), undefined)
  t.equal(store.get('projects', project.id), undefined)
})
