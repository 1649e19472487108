import t from 'tap'
import { startApi, testAdminPassword, testAdminToken } from '../../helpers/api.ts'
import { thingMounts } from '../../helpers/things.ts'

const mounts = thingMounts
const path = '/v2/things/x'

function basic(text: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` }
}

type Credentials = Readonly<Record<string, string>>

const refused: readonly [rule: string, headers: Credentials][] = [
  ['no credentials', {}],
  ['an empty token', { 'x-auth-token': '' }],
  ['a made-up token', { 'x-auth-token': 'notused' }],
  ['half of the admin token', { 'x-auth-token': testAdminToken.slice(0, -1) }],
  ['Basic with a wrong password', basic('admin:wrong')],
  ['Basic without a password', basic('admin')],
  ['Basic of nobody', basic(`nobody:${testAdminPassword}`)],
  ['Basic that is not base64', { authorization: 'Basic !' }],
  ['another scheme', { authorization: `Bearer ${testAdminToken}` }],
  [
    'a wrong token beside a right password',
    { 'x-auth-token': 'x', ...basic(`admin:${testAdminPassword}`) },
  ],
]

t.test('who cannot say who it is gets Keystone’s 401', async t => {
  const api = await startApi(t, { mounts })
  for (const [rule, headers] of refused) {
    const answer = await api.anonymous.with(headers).get(path)
    t.equal(answer.status, 401, rule)
    t.equal(answer.headers.get('www-authenticate'), `Keystone uri="${api.url}/identity"`, rule)
    t.same(
      answer.body,
      {
        error: {
          code: 401,
          type: 'unauthorized',
          title: 'Unauthorized',
          message: 'The request you have made requires authentication.',
        },
      },
      rule,
    )
  }
})

const accepted: readonly [rule: string, headers: Credentials][] = [
  ['the fixed admin token', { 'x-auth-token': testAdminToken }],
  ['Basic', basic(`admin:${testAdminPassword}`)],
  ['Basic with the name in another case', basic(`ADMIN:${testAdminPassword}`)],
]

t.test('the administrator is known by token and by password', async t => {
  const api = await startApi(t, { mounts })
  for (const [rule, headers] of accepted) {
    const { status, body } = await api.anonymous.with(headers).get(path)
    t.equal(status, 200, rule)
    t.equal(body.caller.userName, 'admin', rule)
    t.same(body.caller.roles, ['admin', 'member', 'reader'], rule)
  }
})

t.test('without a fixed token in the settings none is taken', async t => {
  const api = await startApi(t, { mounts, adminToken: undefined })
  for (const token of [testAdminToken, 'undefined', ''])
    t.equal((await api.anonymous.with({ 'x-auth-token': token }).get(path)).status, 401, token)
})

t.test('credentials without a project -> 401 missing_project_id', async t => {
  const api = await startApi(t, { mounts })
  const login = {
    auth: {
      identity: {
        methods: ['password'],
        password: {
          user: { name: 'admin', domain: { id: 'default' }, password: testAdminPassword },
        },
      },
      scope: 'unscoped',
    },
  }
  const { headers } = await api.anonymous.post('/identity/v3/auth/tokens', login)
  const unscoped = api.anonymous.with({ 'x-auth-token': headers.get('x-subject-token') ?? '' })
  const { status, body } = await unscoped.get(path)
  t.equal(status, 401)
  t.equal(body.type, 'missing_project_id')
})

type Wish = {
  readonly rule: string
  readonly headers?: Credentials
  readonly query?: string
  readonly shows: object
}

const wishes: readonly Wish[] = [
  {
    rule: 'X-Auth-All-Projects',
    headers: { 'x-auth-all-projects': 'True' },
    shows: { hasAllProjects: true },
  },
  { rule: 'all_projects', query: '?all_projects=1', shows: { hasAllProjects: true } },
  { rule: 'all_tenants', query: '?all_tenants=yes', shows: { hasAllProjects: true } },
  {
    rule: 'X-Auth-Sudo-Project-ID',
    headers: { 'x-auth-sudo-project-id': 'beta' },
    shows: { projectId: 'beta' },
  },
  {
    rule: 'X-Auth-Sudo-Tenant-ID',
    headers: { 'x-auth-sudo-tenant-id': 'beta' },
    shows: { projectId: 'beta' },
  },
  {
    rule: 'X-Designate-Edit-Managed-Records',
    headers: { 'x-designate-edit-managed-records': 'on' },
    shows: { mayEditManagedRecords: true },
  },
  {
    rule: 'edit_managed_records',
    query: '?edit_managed_records=t',
    shows: { mayEditManagedRecords: true },
  },
  {
    rule: 'X-Designate-Hard-Delete',
    headers: { 'x-designate-hard-delete': 'y' },
    shows: { projectId: String },
  },
]

t.test('an administrator’s headers widen what a request may do', async t => {
  const api = await startApi(t, { mounts })
  for (const { rule, headers = {}, query = '', shows } of wishes) {
    const { body } = await api.admin.with(headers).get(path + query)
    t.match(body.caller, shows, rule)
  }
})

t.test('nobody else’s do -> 401 Access Denied', async t => {
  const api = await startApi(t, { mounts })
  const member = await api.clientOf({ project: 'alpha' })
  for (const { rule, headers = {}, query = '' } of wishes) {
    const { status, body } = await member.with(headers).get(path + query)
    t.equal(status, 401, rule)
    t.equal(body.type, 'forbidden', rule)
  }
})

t.test('anyone may ask for a zone’s shares to be deleted with it', async t => {
  const api = await startApi(t, { mounts })
  const member = await api.clientOf({ project: 'alpha' })
  const { body } = await member.with({ 'x-designate-delete-shares': 'true' }).get(path)
  t.equal(body.caller.wantsDeleteShares, true)
})

t.test('words that are no yes are a no', async t => {
  const api = await startApi(t, { mounts })
  const member = await api.clientOf({ project: 'alpha' })
  for (const word of ['False', '0', 'no', 'off', '', 'maybe'])
    t.equal((await member.with({ 'x-auth-all-projects': word }).get(path)).status, 200, word)
})
