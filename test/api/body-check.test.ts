import t from 'tap'
import { startApi } from '../helpers/api.ts'
import { thingMounts } from '../helpers/things.ts'

t.test('what is wrong with a body is reported by field, as JSON Schema names it', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const bad = { name: 'too long', ttl: -1, tags: ['a', 2] }
  const { status, body } = await api.admin.post('/v2/things', bad)
  t.equal(status, 400)
  t.equal(body.type, 'invalid_object')
  t.equal(body.message, undefined)
  t.match(body.request_id, /^req-/)
  t.same(
    body.errors.errors.map(({ path, validator, validator_value }: never) => ({
      path,
      validator,
      validator_value,
    })),
    [
      { path: ['name'], validator: 'maxLength', validator_value: 5 },
      { path: ['ttl'], validator: 'minimum', validator_value: 0 },
      { path: ['tags', 1], validator: 'type', validator_value: 'string' },
    ],
  )
})

t.test('a missing key is reported in the words clients know', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { body } = await api.admin.post('/v2/things', {})
  t.match(body.errors.errors, [
    { path: [], message: "'name' is a required property", validator: 'required' },
  ])
})

t.test('unknown keys are reported in one message', async t => {
  const api = await startApi(t, { mounts: thingMounts })
  const { body } = await api.admin.post('/v2/things', { name: 'a', color: 1, size: 2 })
  t.equal(body.type, 'invalid_object')
  t.match(body.message, /'color', 'size'.*thing/)
  t.equal(body.errors, undefined)
})
