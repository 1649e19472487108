import t, { type Test } from 'tap'
import { IdempotencyKeys, type KeyedRequest } from '../../../src/api/middleware/idempotency-keys.ts'
import { ApiError } from '../../../src/errors.ts'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const draft = (name: string) => ({ name, email: 'ops@example.com' })

t.test('the same request with the same key gets the first answer and does nothing', async t => {
  const keyed = one.with({ 'idempotency-key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' })
  const first = await keyed.post('/v2/zones', draft('twice.example.'))
  const second = await keyed.post('/v2/zones', draft('twice.example.'))
  t.equal(second.status, 201)
  t.equal(second.text, first.text)
  for (const name of ['location', 'etag', 'content-type'])
    t.equal(second.headers.get(name), first.headers.get(name), name)
  t.equal(first.headers.get('idempotency-replayed'), null)
  t.equal(second.headers.get('idempotency-replayed'), 'true')
  t.equal((await one.get('/v2/zones?name=twice.example.')).body.metadata.total_count, 1)
})

t.test('another body, query or address with the same key is refused', async t => {
  const keyed = one.with({ 'idempotency-key': 'other' })
  t.equal((await keyed.post('/v2/zones', draft('first.example.'))).status, 201)
  for (const [path, body] of [
    ['/v2/zones', draft('second.example.')],
    ['/v2/zones?x=1', draft('first.example.')],
    ['/dns/v2/zones', draft('first.example.')],
    ['/v2/zones/tasks/imports', { zonefile: '$ORIGIN a.example.' }],
  ] as const)
    t.match(await keyed.post(path, body), {
      status: 422,
      body: { type: 'idempotency_key_reused' },
    })
})

t.test('a zone file with the same key is imported once, another one is refused', async t => {
  const headers = { 'idempotency-key': 'file', 'content-type': 'text/dns' }
  const send = (body: string) => one.call('POST', '/v2/zones/tasks/imports', { body, headers })
  const first = await send('$ORIGIN a.example.\n')
  t.equal(first.status, 202)
  t.equal((await send('$ORIGIN a.example.\n')).body.id, first.body.id)
  t.match(await send('$ORIGIN b.example.\n'), {
    status: 422,
    body: { type: 'idempotency_key_reused' },
  })
})

t.test('a key is of its user and project, and of POST alone', async t => {
  const headers = { 'idempotency-key': 'shared' }
  const [{ body: a }, { body: b }] = [
    await one.with(headers).post('/v2/zones', draft('of-one.example.')),
    await two.with(headers).post('/v2/zones', draft('of-two.example.')),
  ]
  t.not(a.id, b.id)
  t.equal((await one.with(headers).patch(`/v2/zones/${a.id}`, { ttl: 60 })).body.ttl, 60)
  t.equal((await one.with(headers).patch(`/v2/zones/${a.id}`, { ttl: 61 })).body.ttl, 61)
})

t.test('a refusal is not kept, and who may no longer do it is refused', async t => {
  const keyed = one.with({ 'idempotency-key': 'refused' })
  t.equal((await keyed.post('/v2/zones', draft('no name'))).status, 400)
  t.equal((await keyed.post('/v2/zones', draft('a-name.example.'))).status, 201)
  const reader = await api.clientOf({ project: 'one', role: 'reader' })
  const answer = await reader
    .with({ 'idempotency-key': 'refused' })
    .post('/v2/zones', draft('a-name.example.'))
  t.equal(answer.status, 401)
})

t.test('a key without characters or with too many is refused', async t => {
  for (const key of [' ', 'x'.repeat(256)]) {
    const answer = await one.with({ 'idempotency-key': key }).post('/v2/zones', draft('k.example.'))
    t.equal(answer.status, 400)
  }
})

/** Counts how often requests are handled. */
function counted(t: Test, bounds: Partial<ConstructorParameters<typeof IdempotencyKeys>[0]> = {}) {
  let now = 0
  let count = 0
  const usual = { keptMillis: 1000, keysEach: 2, octetsEach: 100_000, octetsAll: 100_000 }
  const keys = new IdempotencyKeys({ bounds: usual, now: () => now, ...bounds })
  const request = { userId: 'u', projectId: 'p', target: 'POST /', body: {} }
  return {
    async isHandled(more: Partial<KeyedRequest>, text = 'x'): Promise<boolean> {
      const before = count
      const reply = await keys.answer({ ...request, key: 'k', ...more }, async () => {
        count += 1
        return { status: 201, text }
      })
      t.equal(reply.status, 201)
      return count > before
    },
    pass: (millis: number) => {
      now += millis
    },
    keys,
    request,
  }
}

t.test('answers are kept for a time', async t => {
  const { isHandled, pass } = counted(t)
  t.equal(await isHandled({}), true)
  pass(999)
  t.equal(await isHandled({}), false)
  pass(1)
  t.equal(await isHandled({}), true)
})

t.test(
  'the oldest answers of a project make room for its new ones, and for nobody else’s',
  async t => {
    const { isHandled } = counted(t)
    t.equal(await isHandled({ projectId: 'other' }), true)
    for (const key of ['a', 'b', 'c']) t.equal(await isHandled({ key }), true)
    t.equal(await isHandled({ projectId: 'other' }), false)
    t.equal(await isHandled({ key: 'c' }), false)
    t.equal(await isHandled({ key: 'b' }), false)
    t.equal(await isHandled({ key: 'a' }), true)
  },
)

t.test('octets are bounded, of a project and of all', async t => {
  const bounds = { keptMillis: 1000, keysEach: 100, octetsEach: 5_000, octetsAll: 8_000 }
  const { isHandled } = counted(t, { bounds })
  await isHandled({ key: 'a' }, 'x'.repeat(3_000))
  await isHandled({ key: 'b' }, 'x'.repeat(3_000))
  t.equal(await isHandled({ key: 'b' }), false)
  t.equal(await isHandled({ key: 'a' }), true, 'a project has room for one of these')
  await isHandled({ projectId: 'q' }, 'x'.repeat(4_400))
  t.equal(await isHandled({ key: 'b' }), true, 'the oldest of all went')
  t.equal(await isHandled({ projectId: 'q' }), false)
})

t.test('a request that failed may be made again with its key', async t => {
  const { keys, request, isHandled } = counted(t)
  const broken = async () => {
    throw new ApiError('unknown', 'broken')
  }
  await t.rejects(keys.answer({ ...request, key: 'k' }, broken), new ApiError('unknown', 'broken'))
  t.equal(await isHandled({}), true)
})
