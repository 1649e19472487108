import t from 'tap'
import { startApi } from '../../helpers/api.ts'
import { memoryLog } from '../../helpers/log.ts'
import { thingMounts } from '../../helpers/things.ts'

t.test('a refusal has code, type, message and the id of its request', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { status, body, headers } = await api.admin.get('/v2/failures/refused')
  t.equal(status, 404)
  t.same(body, {
    code: 404,
    type: 'not_found',
    message: 'Could not find Thing',
    request_id: headers.get('x-openstack-request-id'),
  })
  t.equal((await api.admin.get('/v2/failures/denied')).status, 401)
})

t.test('a store that takes no changes is 503 read_only, with the reason', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { status, body } = await api.admin.get('/v2/failures/read-only')
  t.equal(status, 503)
  t.equal(body.type, 'read_only')
  t.match(body.message, 'no space left on device')
})

t.test('a store with too much to do is 429 too_many_requests, to be tried again soon', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { status, body, headers } = await api.admin.get('/v2/failures/busy')
  t.equal(status, 429)
  t.equal(body.type, 'too_many_requests')
  t.equal(headers.get('retry-after'), '1')
})

t.test('a fault of ours is 500 unknown without its reasons, and logged once with them', async t => {
  const { logger, lines } = memoryLog('info')
  const api = await startApi(t, { mounts: thingMounts, logger })
  const { status, body, text } = await api.admin.get('/v2/failures/broken')
  t.equal(status, 500)
  t.equal(body.type, 'unknown')
  t.notMatch(text, 'secret')
  const errors = lines().filter((line: { level: string }) => line.level === 'error')
  t.equal(errors.length, 1)
  t.match(errors[0], { err: { message: 'secret detail', stack: /things/ } })
  t.equal(errors[0]?.requestId, body.request_id)
})
