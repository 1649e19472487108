import { connect } from 'node:net'
import t from 'tap'
import { BodyPieces, decoded, ownOctets } from '../../../src/api/middleware/read-body.ts'
import { ApiError } from '../../../src/errors.ts'
import { startApi } from '../../helpers/api.ts'
import { refusal } from '../../helpers/refusal.ts'
import { thingMounts } from '../../helpers/things.ts'

type BodyCase = {
  readonly rule: string
  readonly body: string
  readonly type?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly errorType?: string
}

const bodyCases: readonly BodyCase[] = [
  { rule: 'JSON is read', body: '{"name":"a"}', status: 201 },
  {
    rule: 'a charset is minded not',
    body: '{"name":"é"}',
    type: 'Application/JSON; charset=utf-8',
    status: 201,
  },
  {
    rule: 'another media type -> 415',
    body: '{"name":"a"}',
    type: 'text/plain',
    status: 415,
    errorType: 'unsupported_content_type',
  },
  {
    rule: 'a JSON patch -> 415',
    body: '[]',
    type: 'application/json-patch+json',
    status: 415,
    errorType: 'unsupported_content_type',
  },
  {
    rule: 'a compressed body -> 415',
    body: '{"name":"a"}',
    headers: { 'content-encoding': 'gzip' },
    status: 415,
    errorType: 'unsupported_content_type',
  },
  { rule: 'an empty body -> 400', body: '', status: 400, errorType: 'empty_request_body' },
  { rule: 'a blank body -> 400', body: ' \n', status: 400, errorType: 'empty_request_body' },
  { rule: 'half an object -> 400', body: '{"name":', status: 400, errorType: 'invalid_json' },
  { rule: 'words -> 400', body: 'name=a', status: 400, errorType: 'invalid_json' },
  {
    rule: 'brackets without end -> 400',
    body: '['.repeat(100_000),
    status: 400,
    errorType: 'invalid_json',
  },
  { rule: 'a list -> 400', body: '[]', status: 400, errorType: 'invalid_object' },
  { rule: 'null -> 400', body: 'null', status: 400, errorType: 'invalid_object' },
  { rule: 'a string -> 400', body: '"name"', status: 400, errorType: 'invalid_object' },
  {
    rule: 'a key __proto__ -> 400',
    body: '{"name":"a","__proto__":{"isAdmin":true}}',
    status: 400,
    errorType: 'invalid_object',
  },
  {
    rule: 'a key __proto__ in disguise -> 400',
    body: '{"name":"a","tags":[{"\\u005f_proto__":1}]}',
    status: 400,
    errorType: 'invalid_object',
  },
  { rule: 'a value __proto__ is a value', body: '{"name":"a","tags":["__proto__"]}', status: 201 },
  {
    rule: 'the last of two equal keys counts',
    body: '{"name":"long one","name":"a"}',
    status: 201,
  },
  {
    rule: 'a key from Object is as unknown as others -> 400',
    body: '{"name":"a","constructor":1}',
    status: 400,
    errorType: 'invalid_object',
  },
]

t.test('a body is read and checked before its handler runs', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  for (const { rule, body, type = 'application/json', headers, status, errorType } of bodyCases) {
    const answer = await api.admin.call('POST', '/v2/things', {
      body,
      headers: { 'content-type': type ?? '', ...headers },
    })
    t.equal(answer.status, status, rule)
    if (errorType !== undefined) {
      t.equal(answer.body.type, errorType, rule)
      t.equal(answer.body.code, status, rule)
    }
  }
})

t.test('a body without a content type -> 415', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { status, body } = await api.admin.post('/v2/things')
  t.equal(status, 415)
  t.equal(body.type, 'unsupported_content_type')
})

t.test('octets that are no UTF-8 -> 400 invalid_json', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const response = await fetch(`${api.url}/v2/things`, {
    method: 'POST',
    headers: { ...api.admin.headers, 'content-type': 'application/json' },
    body: Buffer.from('{"name":"\xff"}', 'latin1'),
  })
  t.equal(response.status, 400)
  t.match(await response.json(), { type: 'invalid_json' })
})

t.test('a body of more than 300 kB is taken and one above 1 MiB is not', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const tags = (octets: number) => ({ name: 'a', tags: ['x'.repeat(octets)] })
  t.equal((await api.admin.post('/v2/things', tags(400_000))).status, 201)
  t.equal((await api.admin.post('/v2/things', tags(1_000_000))).status, 201)
  for (const octets of [1_100_000, 3_000_000]) {
    const { status, body } = await api.admin.post('/v2/things', tags(octets))
    t.equal(status, 413)
    t.equal(body.type, 'request_too_large')
  }
})

t.test('a client that is not known yet sends 64 KiB at most', async t => {
  const { anonymous } = await startApi(t)
  const login = (octets: number) =>
    anonymous.post('/identity/v3/auth/tokens', JSON.stringify({ auth: 'x'.repeat(octets) }))
  t.equal((await login(65_000)).status, 400)
  t.match(await login(70_000), { status: 413, body: { error: { code: 413 } } })
})

t.test('a body that will be huge is refused before it is sent', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  const head = ['POST /v2/things HTTP/1.1', 'Host: x', `Content-Length: ${2 ** 40}`]
  const auth = Object.entries(api.admin.headers).map(([name, value]) => `${name}: ${value}`)
  socket.write([...head, ...auth, 'Content-Type: application/json', '', '{'].join('\r\n'))
  let text = ''
  for await (const chunk of socket) text += chunk
  t.match(text, /^HTTP\/1\.1 413 /)
  t.match(text, /\r\nconnection: close\r\n/i)
})

t.test('a route may take a body or none', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const path = '/v2/things/x/tasks/check'
  t.same((await api.admin.post(path)).body, {})
  t.same((await api.admin.post(path, { a: 1 })).body, { a: 1 })
  t.match((await api.admin.post(path, 'nonsense')).body, {
    type: 'invalid_json',
    message: /^The body is not valid JSON: Unexpected token/,
  })
})

t.test('a route without a body minds none, whatever its type', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const headers = { 'content-type': 'text/plain' }
  const answer = await api.admin.call('POST', '/v2/things/x/tasks/abandon', { body: 'x', headers })
  t.equal(answer.status, 204)
  t.equal(
    (await api.admin.with({ 'content-type': 'application/json' }).get('/v2/things/x')).status,
    200,
  )
})

/** A body of some MB in chunks that end anywhere in a character. */
function readInChunks(octets: Buffer, chunkOctets: number): string {
  const body = new BodyPieces(decoded)
  for (let at = 0; at < octets.length; at += chunkOctets)
    body.add(octets.subarray(at, at + chunkOctets))
  return body.pieces('invalid_json').join('')
}

t.test('a long body is decoded piece by piece, wherever they end', async t => {
  const text = `\u{feff}${'a\u00e9\u20ac\u{1f600}\u{feff}'.repeat(200_000)}`
  const octets = Buffer.from(text)
  for (const chunkOctets of [300_001, 300_002, 300_003, 300_004, octets.length]) {
    // A byte order mark at the beginning is left out.
    t.ok(readInChunks(octets, chunkOctets) === text.slice(1), `chunks of ${chunkOctets}`)
  }
})

t.test('pieces of a text are whole characters, and share their memory with nothing', async t => {
  for (const text of ['a', 'a\u00e9\u20ac\u{1f600}'.repeat(200_000)]) {
    const octets = Buffer.from(text)
    for (const chunkOctets of [65_537, octets.length]) {
      const body = new BodyPieces(ownOctets)
      for (let at = 0; at < octets.length; at += chunkOctets)
        body.add(octets.subarray(at, at + chunkOctets))
      const pieces = body.pieces('bad_request')
      t.ok(pieces.map(piece => decoded(piece)).join('') === text)
      t.ok(pieces.every(({ length, buffer }) => length === buffer.byteLength))
    }
  }
  const wrong = new BodyPieces(ownOctets)
  wrong.add(Buffer.from([0xff]))
  t.throws(() => wrong.pieces('bad_request'), refusal('bad_request'))
})

t.test('octets in the middle of a long body that are no UTF-8 -> refused', async t => {
  const octets = Buffer.alloc(3_000_000, 'a')
  for (const wrong of [0xff, 0x80, 0xe2]) {
    octets[1_100_000] = wrong
    t.throws(() => readInChunks(octets, 65_536), ApiError)
  }
})
