import t from 'tap'
import { openIdentity } from '../../src/identity/identity.ts'
import type { LoginRequest, Scope } from '../../src/identity/logins.ts'
import { keyOf } from '../../src/store/indexes.ts'
import { ensureMember, memberNameOf } from '../helpers/accounts.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { startOpenidProvider } from '../helpers/openid-provider.ts'

const peer = '192.0.2.1'
const member = { project: 'alpha', role: 'member', password: 'secret' }
const unauthorized = { name: 'ApiError', type: 'unauthorized' }

async function open() {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const { identity } = await openIdentity({
    store,
    clock,
    adminPassword: 'given',
    cost: cheapCost,
  })
  const { user } = await ensureMember(store, member)
  return { store, identity, user }
}

function byPassword(user: { id: string }, scope?: Scope): LoginRequest {
  const password = { user: { id: user.id, password: 'secret' } }
  return { methods: ['password'], password, scope, peer }
}

function basic(text: string) {
  const authorization = `Basic ${Buffer.from(text).toString('base64')}`
  return { token: undefined, authorization, peer, isLocal: false }
}

t.test('Basic acts for the account’s default project', async t => {
  const { identity, user } = await open()
  const principal = await identity.authenticate(basic(`${memberNameOf(member)}:secret`))
  t.equal(principal.user.id, user.id)
  t.equal(principal.scope?.project.id, 'alpha')
})

t.test('Basic needs no default project where the user has one alone', async t => {
  const { store, identity, user } = await open()
  await store.commit(tx => tx.put('users', { ...user, defaultProjectId: null }))
  const credentials = basic(`${user.name}:secret`)
  t.equal((await identity.authenticate(credentials)).scope?.project.id, 'alpha')
  const [role] = store.list('roleAssignments', 'byUser', user.id)
  if (role === undefined) throw new Error('the member has no role')
  const admins = store.find('projects', 'byName', keyOf('default', 'admin'))
  const other = { ...role, id: 'other', projectId: admins?.id ?? '' }
  await store.commit(tx => tx.put('roleAssignments', other))
  t.equal((await identity.authenticate(credentials)).scope, undefined, 'of two none is meant')
})

t.test('a disabled account is told the same as a wrong password', async t => {
  const { store, identity, user } = await open()
  await store.commit(tx => tx.put('users', { ...user, isEnabled: false }))
  const attempts = [
    () => identity.authenticate(basic(`${user.name}:secret`)),
    () => identity.authenticate(basic(`${user.name}:wrong`)),
    () => identity.logins.logIn(byPassword(user)),
  ]
  const messages = new Set<string>()
  for (const attempt of attempts) {
    const error = await attempt().catch(error => error)
    t.match(error, unauthorized)
    messages.add(error.message)
  }
  t.equal(messages.size, 1)
})

t.test('a default project that is closed leaves a token without project', async t => {
  const { store, identity, user } = await open()
  await store.commit(tx => tx.delete('projects', 'alpha'))
  const { scope } = await identity.logins.logIn(byPassword(user))
  t.equal(scope, undefined)
  await t.rejects(
    identity.logins.logIn(byPassword(user, { project: { id: 'alpha' } })),
    unauthorized,
  )
})

t.test('several methods must all be the same account’s', async t => {
  const { store, identity, user } = await open()
  const other = await ensureMember(store, { ...member, project: 'beta' })
  const own = await identity.logins.logIn(byPassword(user))
  const foreign = await identity.logins.logIn(byPassword(other.user))
  const both = (token: string) => ({
    ...byPassword(user),
    methods: ['password', 'token'],
    token: { id: token },
  })
  t.strictSame((await identity.logins.logIn(both(own.token))).claims.methods, ['password', 'token'])
  await t.rejects(identity.logins.logIn(both(foreign.token)), unauthorized)
  await t.rejects(identity.logins.logIn({ ...byPassword(user), methods: [] }), unauthorized)
})

t.test('an identity opened without a password makes one up for the administrator', async t => {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const opened = await openIdentity({ store, clock, cost: cheapCost })
  const credentials = basic(`admin:${opened.generatedPassword}`)
  const { scope } = await opened.identity.authenticate(credentials)
  t.match(scope?.roles, [{ name: 'admin' }, { name: 'member' }, { name: 'reader' }])
})

t.test('a provider that is away is no failed login', async t => {
  const provider = await startOpenidProvider(t)
  provider.isAway = true
  const { issuer } = provider
  const clock = fakeClock()
  const failures: unknown[] = []
  const { identity } = await openIdentity({
    ...{ store: openMemoryStore({ clock }), clock, adminPassword: 'given', cost: cheapCost },
    openid: { issuer, clientId: 'zonewright', clientSecret: undefined, rolesClaim: 'roles' },
    onFailedLogin: failure => failures.push(failure),
  })
  const openid = { code: 'c', codeVerifier: 'v', nonce: 'n', redirectUri: 'http://localhost/' }
  const login = identity.logins.logIn({ methods: ['openid'], openid, scope: undefined, peer })
  await t.rejects(login, { name: 'ApiError', type: 'keystone_communication_failure' })
  t.same(failures, [])
})
