import t from 'tap'
import { defaultPoolId } from '../../../src/model/pool.ts'
import { checkContract } from '../../helpers/contract.ts'
import { deletion, startDnsV1Api } from '../../helpers/dns-v1-api.ts'

const fields = ['id', 'name', 'algorithm', 'secret']
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
const collection = '/v1/tsigkeys'

t.test('TSIG keys of the default pool', async t => {
  const { api, dns } = await startDnsV1Api(t)
  const { admin, anonymous } = api
  const member = await api.clientOf({ project: 'one' })
  const draft = { name: 'transfer.example', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' }
  const made = (await admin.post(collection, { ...draft, name: 'made.example' })).body
  const path = `${collection}/${made.id}`
  const domain = { name: 'example.com.', email: 'ops@example.com' }
  const resource_id = (await member.post('/v1/domains', domain)).body.id
  const other = { ...draft, name: 'zone.example', scope: 'ZONE', resource_id }
  const ofZone = (await admin.post('/v2/tsigkeys', other)).body
  await checkContract(t, [
    {
      says: 'a new one, with its address',
      as: admin,
      method: 'POST',
      path: collection,
      body: draft,
      status: 200,
      headers: { location: new RegExp(`^${api.url}/v1/tsigkeys/[0-9a-f-]{36}$`) },
      answers: { id: uuid, ...draft },
      keys: fields,
    },
    {
      says: 'a name that is taken',
      as: admin,
      method: 'POST',
      path: collection,
      body: draft,
      status: 409,
      answers: { code: 409, type: 'duplicate_tsigkey' },
    },
    {
      says: 'everything that is wrong',
      as: admin,
      method: 'POST',
      path: collection,
      body: { name: '', algorithm: 'rot13' },
      status: 400,
      answers: {
        type: 'invalid_object',
        errors: [{ path: '', validator: 'required' }, { path: 'name' }, { path: 'algorithm' }],
      },
    },
    {
      says: 'a scope, which is not known here',
      as: admin,
      method: 'POST',
      path: collection,
      body: { ...draft, scope: 'POOL' },
      status: 400,
      answers: { type: 'invalid_object', message: /'scope'/ },
    },
    {
      says: 'the list, without keys of zones',
      as: admin,
      method: 'GET',
      path: collection,
      status: 200,
      answers: { tsigkeys: [made, draft] },
      keys: ['tsigkeys'],
    },
    { says: 'one', as: admin, method: 'GET', path, status: 200, answers: made, keys: fields },
    {
      says: 'the key of a zone',
      as: admin,
      method: 'GET',
      path: `${collection}/${ofZone.id}`,
      status: 404,
      answers: { code: 404, type: 'tsigkey_not_found' },
    },
    {
      says: 'another secret, with its id sent back',
      as: admin,
      method: 'PUT',
      path,
      body: { id: made.id, secret: 'bmV3' },
      status: 200,
      answers: { ...made, secret: 'bmV3' },
      keys: fields,
    },
    {
      says: 'the name of another',
      as: admin,
      method: 'PUT',
      path,
      body: { name: draft.name },
      status: 409,
      answers: { type: 'duplicate_tsigkey' },
    },
    {
      says: 'the key of a zone',
      as: admin,
      method: 'PUT',
      path: `${collection}/${ofZone.id}`,
      body: { secret: 'bmV3' },
      status: 404,
      answers: { type: 'tsigkey_not_found' },
    },
    {
      says: 'gone, with an empty page',
      as: admin,
      path,
      ...deletion,
    },
    {
      says: 'gone already',
      as: admin,
      method: 'DELETE',
      path,
      status: 404,
      answers: { type: 'tsigkey_not_found' },
    },
    {
      says: 'who is no administrator',
      as: member,
      method: 'GET',
      path: collection,
      status: 401,
      answers: { code: 401, type: 'forbidden' },
    },
    { says: 'nobody', as: anonymous, method: 'GET', path, status: 401, answers: {} },
  ])
  const listed = (await admin.get('/v2/tsigkeys')).body.tsigkeys
  const shared = listed.find(({ name }: { name: string }) => name === draft.name)
  t.match(shared, { scope: 'POOL', resource_id: defaultPoolId }, 'v2 has it as the pool’s')
  t.match(dns.tsigKeys.get(ofZone.id), { secret: draft.secret })
})
