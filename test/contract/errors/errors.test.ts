import t, { type Test } from 'tap'
import { designate } from '../../../src/api/dialect.ts'
import { dnsMounts } from '../../../src/api/dns/mounts.ts'
import { createApi } from '../../../src/api/server.ts'
import { ApiError, type ErrorType, errorTypes } from '../../../src/errors.ts'
import { KeystoneAuthenticator } from '../../../src/identity/keystone/keystone-authenticator.ts'
import { startApi } from '../../helpers/api.ts'
import { type Answer, ApiClient } from '../../helpers/api-client.ts'
import { openIn } from '../../helpers/crash-points.ts'
import { openDns } from '../../helpers/dns.ts'
import { silentLogger } from '../../helpers/log.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { startWholeServer } from '../../helpers/whole-server.ts'
import { type Made, type ProvokedElsewhere, provocations, type Scene } from './provocations.ts'

// Every type of the error catalogue is told by a server to a client. The compiler asks for a provocation of each; the
// test holds what is answered against the catalogue.

/** Types that are told in words without their name: where the identity service's words are used, and the rating
 *  group's. */
const nameless: Readonly<Partial<Record<ErrorType, RegExp>>> = {
  unauthorized: /requires authentication/,
  second_factor_required: /passcode is needed/,
  conflict: /one/,
  budget_not_found: /[Bb]udget/,
  duplicate_budget: /[Bb]udget/,
}

function check(t: Test, type: ErrorType, { status, body, text }: Answer): void {
  t.equal(status, new ApiError(type, '').status, text)
  const words = nameless[type]
  if (words === undefined) t.equal(body?.type, type, text)
  else t.match(body?.error?.message ?? body?.message, words, text)
}

async function openScene(t: Test): Promise<Scene> {
  const server = await startWholeServer(t, {
    dataDirectory: serverFolder(t),
    environment: { ZONEWRIGHT_MIN_TTL: '60' },
  })
  const { admin, anonymous, makeProject, makeAccount, login, bearer } = server
  const projectId = await makeProject('one')
  const account = await makeAccount({ name: 'a-member', projectId, role: 'member' })
  const other = await makeProject('another')
  const stranger = await makeAccount({ name: 'a-stranger', projectId: other, role: 'member' })
  await admin.patch(`/v2/quotas/${projectId}`, { zones: -1 })
  const member = bearer(await login(account))
  let zoneCount = 0
  return {
    anonymous,
    admin,
    member,
    projectId,
    friendId: other,
    stranger: bearer(await login(stranger)),
    unscoped: bearer(await unscopedToken(anonymous, account.userId)),
    async makeZone({ prefix = '', ...more }: { prefix?: string } = {}): Promise<Made> {
      zoneCount += 1
      const name = `${prefix}zone-${zoneCount}.example.`
      const body = { name, email: 'ops@example.com', ...more }
      const answer = await member.post('/dns/v2/zones', body)
      if (answer.status !== 202) throw new Error(answer.text)
      return { id: answer.body.id, name, path: `/dns/v2/zones/${answer.body.id}` }
    },
  }
}

async function unscopedToken(client: ApiClient, id: string): Promise<string> {
  const password = { user: { id, password: 'a-password-of-the-tests' } }
  const auth = { identity: { methods: ['password'], password }, scope: 'unscoped' }
  const answer = await client.post('/identity/v3/auth/tokens', { auth })
  return answer.headers.get('x-subject-token') ?? ''
}

const scene = await openScene(t)

for (const [type, provoke] of Object.entries(provocations)) {
  t.test(`${type} is told`, async t => check(t, type as ErrorType, await provoke(scene)))
}

const elsewhere: Readonly<Record<ProvokedElsewhere, (t: Test) => Promise<Answer>>> = {
  async unknown(t) {
    const handler = async () => {
      throw new Error('broken')
    }
    const route = {
      method: 'GET',
      path: '/broken',
      access: 'public',
      summary: '',
      answers: {},
      handler,
    } as const
    const mounts = () => [{ base: '/v2', dialect: designate, routes: [route] }]
    const { anonymous } = await startApi(t, { mounts })
    return anonymous.get('/v2/broken')
  },

  async read_only(t) {
    const disk = new SimulatedDisk()
    const store = await openIn(disk)
    const dns = await openDns({ store })
    const { admin } = await startApi(t, { store, mounts: () => dnsMounts(dns) })
    disk.before = () => {
      throw new Error('the disk is in trouble')
    }
    return admin.post('/dns/v2/tlds', { name: 'example' })
  },

  async keystone_communication_failure(t) {
    const { identity, clock } = await startApi(t)
    const authenticator = new KeystoneAuthenticator({
      clock,
      // Nobody listens there.
      url: 'http://127.0.0.1:1/identity',
      account: undefined,
      administrator: identity.administrator,
      onChange: () => undefined,
    })
    const api = createApi({
      identity: authenticator,
      mounts: dnsMounts(await openDns()),
      logger: silentLogger,
    })
    const { host, port } = await api.listen({ host: '127.0.0.1', port: 0 })
    t.teardown(() => api.close({ deadlineMs: 1_000 }))
    return new ApiClient(`http://${host}:${port}`, { 'x-auth-token': 'x' }).get('/dns/v2/zones')
  },

  async request_in_progress(t) {
    const { promise: end, resolve: finish } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const route = {
      method: 'POST',
      path: '/long',
      rule: 'create_zone',
      summary: 'Takes long',
      answers: { 204: null },
      async handler() {
        begin()
        await end
        return { status: 204 }
      },
    } as const
    const mounts = () => [{ base: '/v2', dialect: designate, routes: [route] }]
    const { admin } = await startApi(t, { mounts })
    const keyed = admin.with({ 'idempotency-key': 'long' })
    const first = keyed.post('/v2/long')
    await begun
    const second = await keyed.post('/v2/long')
    finish()
    t.equal((await first).status, 204)
    return second
  },

  async no_valid_pool_found(t) {
    const dns = await openDns()
    const { store } = dns
    const { admin } = await startApi(t, { store, mounts: () => dnsMounts(dns) })
    const attributes = { pool_id: '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11' }
    return admin.post('/dns/v2/zones', {
      name: 'nowhere.example.',
      email: 'ops@example.com',
      attributes,
    })
  },
}

for (const [type, provoke] of Object.entries(elsewhere)) {
  t.test(`${type} is told`, async t => check(t, type as ErrorType, await provoke(t)))
}

t.test('these are all types of the catalogue', async t => {
  t.same([...Object.keys(provocations), ...Object.keys(elsewhere)].sort(), [...errorTypes].sort())
})
