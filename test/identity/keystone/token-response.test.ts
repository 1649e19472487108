import t from 'tap'
import { parseToken } from '../../../src/identity/keystone/token-response.ts'
import { testNowMillis } from '../../helpers/clock.ts'
import { tokenBody } from '../../helpers/scripted-keystone.ts'

const domain = { id: 'default', name: 'Default' }

t.test('a token is whose it is, for which project, with which roles', async t => {
  const { principal, expiresAtMillis } = parseToken(JSON.stringify(tokenBody()))
  t.equal(expiresAtMillis, testNowMillis + 3_600_000)
  t.match(principal, {
    user: { id: 'u1', name: 'jo' },
    userDomain: domain,
    scope: { project: { id: 'alpha', name: 'alpha' }, domain },
    credential: undefined,
  })
  t.strictSame(principal.scope?.roles, [
    { id: 'r1', name: 'member' },
    { id: 'reader', name: 'reader' },
  ])
})

t.test('a role is the same in any case of letters', async t => {
  const roles = [
    { id: 'r1', name: 'Admin' },
    { id: 'r2', name: '_member_' },
  ]
  const { principal } = parseToken(JSON.stringify(tokenBody({ roles })))
  const names = principal.scope?.roles.map(({ name }) => name)
  t.strictSame(names, ['admin', '_member_', 'member', 'reader'])
})

t.test('without a project there is no scope, whatever else the token is for', async t => {
  const scopes = [{}, { domain }, { system: { all: true }, roles: [{ id: 'r', name: 'admin' }] }]
  for (const scope of scopes) {
    const text = JSON.stringify(tokenBody({ project: undefined, roles: undefined, ...scope }))
    t.equal(parseToken(text).principal.scope, undefined)
  }
})

const bad: readonly [rule: string, text: string][] = [
  ['no JSON', '<html>'],
  ['nothing', ''],
  ['no token', '{}'],
  ['no user', JSON.stringify(tokenBody({ user: undefined }))],
  ['a user without a domain', JSON.stringify(tokenBody({ user: { id: 'u', name: 'n' } }))],
  ['a project without a name', JSON.stringify(tokenBody({ project: { id: 'p', domain } }))],
  ['roles that are none', JSON.stringify(tokenBody({ roles: ['admin'] }))],
  ['no expiry', JSON.stringify(tokenBody({ expires_at: undefined }))],
  ['an expiry that is none', JSON.stringify(tokenBody({ expires_at: 'tomorrow' }))],
]

t.test('what is no token is a failure of Keystone and nobody’s login', async t => {
  for (const [rule, text] of bad)
    t.throws(() => parseToken(text), { name: 'KeystoneFailure' }, rule)
})
