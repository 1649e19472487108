import { connect } from 'node:net'
import t from 'tap'
import { startApi } from '../helpers/api.ts'
import { thingId, thingMounts } from '../helpers/things.ts'

t.test('a handler sees who asks, for what, and where links begin', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const member = await api.clientOf({ project: 'alpha' })
  const { status, body, headers } = await member.get(`/v2/things/${thingId}?a=1&b=%2A`)
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'application/json')
  t.match(body, {
    caller: { projectId: 'alpha', roles: ['member', 'reader'], hasAllProjects: false },
    baseUrl: `${api.url}/v2`,
    publicUrl: api.url,
    path: `/things/${thingId}`,
    parameters: { thing_id: thingId },
    query: [
      ['a', '1'],
      ['b', '*'],
    ],
    dialect: 'plain',
  })
  t.equal(headers.get('location'), `${api.url}/v2/things/x`)
  t.equal(headers.get('x-openstack-request-id'), body.requestId)
  t.match(body.requestId, /^req-[0-9a-f-]{36}$/)
})

t.test('links begin with the public URL where one is set', async t => {
  const api = await startApi(t, { mounts: thingMounts, publicUrl: 'https://dns.example/api/' })
  const { body } = await api.admin.get('/v2/things/x')
  t.equal(body.baseUrl, 'https://dns.example/api/v2')
})

t.test('a Host header that is no host does not get into links', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  socket.write('GET / HTTP/1.1\r\nHost: "><script>\r\nConnection: close\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  t.match(text, `${api.url}/v2`)
  t.notMatch(text, 'script')
})

t.test('a trailing slash changes nothing', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { status, body } = await api.admin.get('/v2/things/x/')
  t.equal(status, 200)
  t.equal(body.path, '/things/x')
})

t.test('answers say how they may be used', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { headers } = await api.admin.get('/v2/things/x')
  t.equal(headers.get('cache-control'), 'no-store')
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  t.match(headers.get('content-security-policy'), /default-src 'none'/)
  t.equal(headers.get('x-powered-by'), null)
  t.equal(headers.get('etag'), null)
})

t.test('an empty answer has no content type', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const deleted = await api.admin.delete('/v2/things/x')
  t.equal(deleted.status, 202)
  t.equal(deleted.text, '')
  t.equal(deleted.headers.get('content-type'), null)
  t.equal(deleted.headers.get('content-length'), '0')
  const abandoned = await api.admin.post('/v2/things/x/tasks/abandon')
  t.equal(abandoned.status, 204)
  t.equal(abandoned.headers.get('content-type'), null)
})

t.test('text is answered under its own type', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { status, text, headers } = await api.admin.with({ accept: 'text/dns' }).get('/v2/file')
  t.equal(status, 200)
  t.equal(text, 'a b c')
  t.equal(headers.get('content-type'), 'text/dns')
})

type PathCase = {
  readonly rule: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly type: string
  readonly allow?: string
}

const pathCases: readonly PathCase[] = [
  { rule: 'unknown path', method: 'GET', path: '/v2/none', status: 404, type: 'not_found' },
  { rule: 'the mount itself', method: 'GET', path: '/v2', status: 404, type: 'not_found' },
  { rule: 'a suffix', method: 'GET', path: '/v2/file.json', status: 404, type: 'not_found' },
  { rule: 'another case', method: 'GET', path: '/v2/File', status: 404, type: 'not_found' },
  { rule: 'PUT to nothing', method: 'PUT', path: '/v2/none', status: 404, type: 'not_found' },
  {
    rule: 'POST to nothing',
    method: 'POST',
    path: '/v2/none',
    status: 405,
    type: 'method_not_allowed',
    allow: '',
  },
  {
    rule: 'a method the path has not',
    method: 'PUT',
    path: '/v2/things/x',
    status: 405,
    type: 'method_not_allowed',
    allow: 'GET, DELETE',
  },
  {
    rule: 'OPTIONS',
    method: 'OPTIONS',
    path: '/v2/things',
    status: 405,
    type: 'method_not_allowed',
    allow: 'POST',
  },
  {
    rule: 'an escape that is none',
    method: 'GET',
    path: '/v2/things/%E0%A4%A',
    status: 400,
    type: 'bad_request',
  },
  { rule: 'no mount at all', method: 'GET', path: '/elsewhere', status: 404, type: 'not_found' },
]

t.test('paths and methods that are not there', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  for (const { rule, method, path, status, type, allow } of pathCases) {
    const answer = await api.admin.call(method, path)
    t.equal(answer.status, status, rule)
    t.equal(answer.body.type, type, rule)
    if (allow !== undefined) t.equal(answer.headers.get('allow'), allow, rule)
  }
  t.equal((await api.admin.call('HEAD', '/v2/things/x')).status, 405, 'HEAD')
})

t.test('a stranger learns nothing of which paths there are', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  for (const path of ['/v2/things/x', '/v2/none', '/v2'])
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
      t.equal((await api.anonymous.call(method, path)).status, 401, `${method} ${path}`)
})

t.test('an answer that the client does not take -> 406', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const html = api.admin.with({ accept: 'text/html' })
  t.match((await html.get('/v2/things/x')).body, { code: 406, type: 'unsupported_accept' })
  const browser = api.admin.with({ accept: 'text/html,*/*;q=0.8' })
  t.equal((await browser.get('/v2/things/x')).status, 200)
})

t.test('policy is asked before the handler, and a denial is 401 Access Denied', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  t.equal((await reader.get('/v2/things/x')).status, 200)
  const { status, body, headers } = await reader.post('/v2/things', { name: 'a' })
  t.equal(status, 401)
  t.match(body, { code: 401, type: 'forbidden', message: /^Access Denied/ })
  t.match(headers.get('www-authenticate'), /^Keystone uri=/)
  const abandoned = await reader.post('/v2/things/x/tasks/abandon')
  t.equal(abandoned.body.type, 'forbidden')
})

t.test('a bad body is reported before a missing role', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const reader = await api.clientOf({ project: 'alpha', role: 'reader' })
  t.equal((await reader.post('/v2/things', {})).body.type, 'invalid_object')
})
