import t from 'tap'
import { rootMount } from '../../src/api/root.ts'
import { plainVersions } from '../../src/api/versions.ts'
import { startApi } from '../helpers/api.ts'

t.test('what stands under no base asks nobody who it is', async t => {
  const { base, routes } = rootMount({
    versions: plainVersions,
    readiness: () => [],
    readOnlyReason: () => undefined,
  })
  t.equal(base, '')
  t.ok(routes.every(({ access }) => access === 'public'))
  t.same(new Set(routes.map(({ path }) => path)), new Set(['/', '/healthz', '/readyz']))
})

t.test('it answers for every path that no other mount has', async t => {
  const { anonymous } = await startApi(t)
  t.match(await anonymous.get('/'), { status: 200, body: { versions: [{ id: 'v2' }] } })
  t.match(await anonymous.get('/nothing'), { status: 404, body: { type: 'not_found' } })
})

t.test('liveness asks for no credentials and says ok', async t => {
  const api = await startApi(t)
  const { status, body } = await api.anonymous.get('/healthz')
  t.equal(status, 200)
  t.same(body, { status: 'ok' })
  const head = await api.anonymous.call('HEAD', '/healthz')
  t.equal(head.status, 200)
  t.equal(head.text, '')
})

t.test('readiness tells what is missing, and when nothing is', async t => {
  let reasons = ['DNS does not listen yet', 'the store is not loaded']
  const api = await startApi(t, { readiness: () => reasons })
  const before = await api.anonymous.get('/readyz')
  t.equal(before.status, 503)
  t.same(before.body, { status: 'not ready', reasons, read_only: false })
  reasons = []
  const after = await api.anonymous.get('/readyz')
  t.equal(after.status, 200)
  t.same(after.body, { status: 'ready', read_only: false })
})

t.test('a server that takes no changes is ready all the same, and says why', async t => {
  const api = await startApi(t, { readOnlyReason: () => 'the disk is full' })
  const { status, body } = await api.anonymous.get('/readyz')
  t.equal(status, 200)
  t.same(body, { status: 'ready', read_only: true, read_only_reason: 'the disk is full' })
})

t.test('readiness has when the first signature ends, where zones are signed', async t => {
  const api = await startApi(t, { nearestExpiration: () => 1_795_262_400 })
  const { body } = await api.anonymous.get('/readyz')
  t.equal(body.nearest_signature_expiration, '2026-11-21T12:00:00.000000')
})

t.test('health can be looked at only', async t => {
  const api = await startApi(t)
  const { status, headers, body } = await api.anonymous.post('/healthz')
  t.equal(status, 405)
  t.equal(headers.get('allow'), 'GET, HEAD')
  t.equal(body.type, 'method_not_allowed')
})
