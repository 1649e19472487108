import t from 'tap'
import { startApi } from '../../helpers/api.ts'
import { memoryLog } from '../../helpers/log.ts'
import { thingMounts } from '../../helpers/things.ts'

t.test('the access log tells each request once and no secret', async t => {
  const { logger, lines, text } = memoryLog('debug')
  const api = await startApi(t, { mounts: thingMounts, logger })
  const client = api.admin.with({ authorization: 'Basic c2VjcmV0OnNlY3JldA==' })
  await client.get('/v2/things/x')
  await client.post('/v2/things', { name: 'shh' })
  await api.close()
  t.match(lines(), [
    { level: 'debug', req: { method: 'GET', url: '/v2/things/x' }, res: { status: 200 } },
    { level: 'info', req: { method: 'POST', url: '/v2/things' }, res: { status: 201 } },
  ])
  t.match(lines()[0], { requestId: /^req-/, durationMs: Number })
  for (const secret of ['admin-token-of-the-tests', 'c2VjcmV0', 'shh']) t.notMatch(text(), secret)
})

t.test('an id the client sends is logged as its own, and not taken over', async t => {
  const { logger, lines } = memoryLog('debug')
  const api = await startApi(t, { mounts: thingMounts, logger })
  const globalId = 'req-11111111-2222-3333-4444-555555555555'
  const headers = { 'x-openstack-request-id': globalId }
  const answer = await api.admin.with(headers).get('/v2/things/x')
  t.not(answer.headers.get('x-openstack-request-id'), globalId)
  await api.admin.with({ 'x-openstack-request-id': 'junk' }).get('/v2/things/x')
  await api.close()
  t.equal(lines()[0]?.req.globalId, globalId)
  t.equal(lines()[1]?.req.globalId, undefined)
})
