import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { serverFolder } from '../../helpers/server-folder.ts'
import { until } from '../../helpers/until.ts'
import { startWholeServer } from '../../helpers/whole-server.ts'

t.test('a key from elsewhere has no moment from which its DS may be given', async t => {
  const { admin } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  await admin.post('/v2/zones', { name: 'example.org.', email: 'ops@example.org' })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const path = '/v2/zones/example.org./dnssec'
  t.equal((await admin.post(`${path}/keys`, { role: 'CSK', private_key: pem })).status, 201)
  const { body } = await admin.put(path, {})
  t.match(body, { keys: [{ states: { ds: 'OMNIPRESENT' } }], ds_from: null })
})

t.test('a policy is changed in the fields that are given', async t => {
  const { admin } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const draft = { name: 'split', keys: 'KSK+ZSK', ksk_lifetime_days: 365, zsk_lifetime_days: 30 }
  const { body: created } = await admin.post('/v2/dnssec_policies', draft)
  const path = `/v2/dnssec_policies/${created.id}`
  const changes = { zsk_lifetime_days: 60, ds_digests: [2, 4] }
  t.match(await admin.patch(path, changes), { status: 200, body: { ...draft, ...changes } })
  t.match(await admin.get(path), { status: 200, body: { ...draft, ...changes } })
})

t.test('ids in bodies are taken in any case, with dashes or without', async t => {
  const { admin } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  await admin.post('/v2/zones', { name: 'example.org.', email: 'ops@example.org' })
  const { body: policy } = await admin.post('/v2/dnssec_policies', { name: 'split' })
  const path = '/v2/zones/example.org./dnssec'
  const { body } = await admin.put(path, { policy_id: policy.id.toUpperCase() })
  t.equal(body.policy_id, policy.id)
  await until(
    () => admin.get(path),
    answer => answer.body.status === 'SIGNED',
  )
  const key_id = body.keys[0].id.replaceAll('-', '')
  const confirmed = await admin.post(`${path}/tasks/confirm_ds`, { key_id, present: true })
  t.match(
    confirmed,
    { status: 400, body: { message: /does not wait for a DS/ } },
    'the key is known',
  )
})
