import t, { type Test } from 'tap'
import { startApi, testAdminPassword, testAdminToken } from '../helpers/api.ts'
import { putZone } from '../helpers/identity-rows.ts'
import { inParallel } from '../helpers/in-parallel.ts'
import { Openstack } from './openstack.ts'
import type { OpenstackSession } from './openstack-session.ts'

// `openstack` against the identity service: every command that administers it, and each way to log in. A login
// takes the client a second, so repeated logins run two at a time.

type Story = (t: Test, admin: OpenstackSession) => Promise<void>

const stories: Readonly<Record<string, Story>> = {
  'service list, endpoint list, group list': async (t, admin) => {
    const services = await admin.json('service list')
    t.same(services.map(({ Type }: { Type: string }) => Type).sort(), ['dns', 'identity', 'rating'])
    const endpoints = await admin.json('endpoint list --service dns')
    t.match(endpoints, [{ 'Service Name': 'designate', Region: 'RegionOne', Enabled: true }])
    t.equal(endpoints.length, 3)
    t.match(await admin.json('service show designate'), { type: 'dns', enabled: true })
    t.same(await admin.json('group list'), [])
  },

  'domain create, list, show, set, delete': async (t, admin) => {
    const made = await admin.json('domain create research --description', 'The lab')
    t.match(made, { name: 'research', description: 'The lab', enabled: true })
    t.match(await admin.json('domain list'), [
      { ID: 'default', Name: 'Default', Enabled: true },
      { ID: made.id, Name: 'research', Enabled: true, Description: 'The lab' },
    ])
    t.match(await admin.refusal('domain create Research'), /409/)
    t.match(await admin.refusal('domain delete research'), /disable it before.*403/)
    await admin.run('domain set research --name lab --disable')
    t.match(await admin.json('domain show lab'), { id: made.id, name: 'lab', enabled: false })
    await admin.run('domain delete lab')
    t.match(await admin.refusal('domain show lab'), /No domain with a name or ID of 'lab'/)
  },

  'project create, list, show, set, delete': async (t, admin) => {
    const made = await admin.json('project create alpha --description', 'First letter')
    t.match(made, {
      name: 'alpha',
      description: 'First letter',
      domain_id: 'default',
      parent_id: 'default',
      enabled: true,
      is_domain: false,
      tags: [],
      options: {},
    })
    t.match(await admin.refusal('project create ALPHA'), /409/)
    const shown = await admin.json('project create alpha --or-show')
    t.same(shown, made)
    await admin.run('project set alpha --name omega --description Last --disable')
    t.match(await admin.json('project show omega --domain default'), {
      id: made.id,
      name: 'omega',
      description: 'Last',
      enabled: false,
    })
    const list = await admin.json('project list --domain default --long')
    t.match(
      list.find(({ ID }: { ID: string }) => ID === made.id),
      { Name: 'omega', 'Domain ID': 'default', Description: 'Last', Enabled: false },
    )
    await admin.run('project delete omega')
    t.match(await admin.refusal('project show omega'), /No project with a name or ID of 'omega'/)
  },

  'user create, list, show, set, delete': async (t, admin) => {
    const made = await admin.json(
      'user create jo --password secret-of-peers --email jo@example.com --project admin --description',
      'Jo of the tests',
    )
    t.match(made, {
      name: 'jo',
      email: 'jo@example.com',
      description: 'Jo of the tests',
      domain_id: 'default',
      enabled: true,
      password_expires_at: null,
    })
    t.equal(made.password, undefined)
    t.match(await admin.refusal('user create jo'), /409/)
    await admin.run('user set jo --name joe --email joe@example.com --disable')
    const { default_project_id } = made
    t.match(await admin.json('user show joe'), {
      id: made.id,
      email: 'joe@example.com',
      enabled: false,
      default_project_id,
    })
    const list = await admin.json('user list --long')
    t.match(
      list.find(({ ID }: { ID: string }) => ID === made.id),
      { Name: 'joe', Domain: 'default', Email: 'joe@example.com', Enabled: false },
    )
    await admin.run('user delete joe')
    t.match(await admin.refusal('user show joe'), /No user with a name or ID of 'joe'/)
  },

  'role create, list, show, set, delete': async (t, admin) => {
    const made = await admin.json('role create observer --description Watches')
    t.match(made, { name: 'observer', description: 'Watches', domain_id: null, options: {} })
    await admin.run('role set observer --name watcher')
    t.match(await admin.json('role show watcher'), { id: made.id, description: 'Watches' })
    const names = (await admin.json('role list')).map(({ Name }: { Name: string }) => Name)
    t.same(names.sort(), ['admin', 'member', 'reader', 'watcher'])
    await admin.run('role delete watcher')
    t.match(await admin.refusal('role delete reader'), /can be neither deleted nor renamed/)
  },
}

t.test('each kind of row is administered with its commands', async t => {
  const { url } = await startApi(t)
  const admin = Openstack.withPassword({
    url,
    user: 'admin',
    password: testAdminPassword,
    project: 'admin',
  }).session(t)
  for (const [name, story] of Object.entries(stories)) await t.test(name, t => story(t, admin))
})

t.test('a user is made, given a role, logs in and is shut out again', async t => {
  const api = await startApi(t)
  const { url } = api
  const admin = Openstack.withPassword({
    url,
    user: 'admin',
    password: testAdminPassword,
    project: 'admin',
  })
  const [project, user] = await Promise.all([
    admin.json('project create alpha'),
    admin.json('user create jo --password secret-of-peers'),
  ])
  const jo = Openstack.withPassword({
    url,
    user: 'jo',
    password: 'secret-of-peers',
    project: 'alpha',
  })
  t.match(await jo.refusal('token issue'), /401/, 'no role, no login')
  await admin.run('role add member --user jo --project alpha')

  const [assignments, effective, token, catalog] = await Promise.all([
    admin.json('role assignment list --user jo --names'),
    admin.json('role assignment list --project alpha --effective --names'),
    jo.json('token issue'),
    jo.json('catalog list'),
  ])
  const row = { User: 'jo@Default', Project: 'alpha@Default', Inherited: false }
  t.match(assignments, [{ ...row, Role: 'member' }])
  t.match(effective, [
    { ...row, Role: 'member' },
    { ...row, Role: 'reader' },
  ])
  t.match(token, { project_id: project.id, user_id: user.id })
  t.same(
    catalog.map(({ Type }: { Type: string }) => Type),
    ['dns', 'rating', 'identity'],
  )

  const [own, mine, denied] = await Promise.all([
    jo.json('project list'),
    jo.json('user show jo'),
    jo.refusal('user list'),
  ])
  t.match(own, [{ ID: project.id, Name: 'alpha' }], 'a list of all is denied, so the own ones are')
  t.equal(own.length, 1)
  t.equal(mine.id, user.id)
  t.match(denied, /403/)

  await jo.run('token revoke', token.id)
  const revoked = new Openstack({
    OS_AUTH_TYPE: 'token',
    OS_AUTH_URL: `${url}/identity/v3`,
    OS_TOKEN: token.id,
    OS_PROJECT_ID: project.id,
  })
  await Promise.all([
    revoked.refusal('token issue').then(text => t.match(text, /401/)),
    jo.run('user password set --original-password secret-of-peers --password better-secret'),
  ])
  const changed = Openstack.withPassword({
    url,
    user: 'jo',
    password: 'better-secret',
    project: 'alpha',
  })
  t.match(await jo.refusal('token issue'), /401/)
  t.equal((await changed.json('token issue')).user_id, user.id)
  await admin.run('role remove member --user jo --project alpha')
  t.match(await changed.refusal('token issue'), /401/)
})

t.test('what must not be lost is not', async t => {
  const api = await startApi(t)
  const login = { url: api.url, user: 'admin', password: testAdminPassword, project: 'admin' }
  const admin = Openstack.withPassword(login)
  const project = await admin.json('project create alpha')
  await putZone(api.store, { name: 'example.com.', projectId: project.id })
  await inParallel(
    2,
    [
      ['project delete alpha', /still owns 1 zone.*409/],
      ['user delete admin', /leave no user.*409/],
      ['role remove admin --user admin --project admin', /leave no user.*409/],
      ['user set admin --disable', /leave no user.*409/],
    ] as const,
    async ([command, reason]) => {
      t.match(await admin.refusal(command), reason, command)
    },
  )
})

t.test('a program logs in with an application credential', async t => {
  const { url } = await startApi(t)
  const login = { url, user: 'admin', password: testAdminPassword, project: 'admin' }
  const admin = Openstack.withPassword(login)
  const [key, limited] = await Promise.all([
    admin.json('application credential create deploy --description', 'For the pipeline'),
    admin.json(
      'application credential create look --role reader --secret seen --expiration 2099-01-01T00:00:00',
    ),
  ])
  t.match(key, { name: 'deploy', description: 'For the pipeline', unrestricted: false })
  t.match(key.secret, /^.{86}$/)
  t.match(limited, { secret: 'seen', roles: 'reader', expires_at: '2099-01-01T00:00:00.000000Z' })

  const program = Openstack.withApplicationCredential(url, key)
  const [list, shown, token, refused] = await Promise.all([
    admin.json('application credential list'),
    admin.json('application credential show look'),
    program.json('token issue'),
    program.refusal('application credential create another'),
  ])
  // They were created at the same time, so either may come first.
  t.match(list.sort(inOrderOfName), [
    { Name: 'deploy', 'Project ID': key.project_id, 'Expires At': null },
    { Name: 'look', 'Expires At': '2099-01-01T00:00:00.000000Z' },
  ])
  t.equal(shown.secret, undefined)
  t.equal(shown.roles, 'reader')
  t.equal(token.project_id, key.project_id)
  t.match(refused, /403/)

  const looker = Openstack.withApplicationCredential(url, limited)
  const byName = new Openstack({
    OS_AUTH_TYPE: 'v3applicationcredential',
    OS_AUTH_URL: `${url}/identity/v3`,
    OS_APPLICATION_CREDENTIAL_NAME: 'look',
    OS_APPLICATION_CREDENTIAL_SECRET: 'seen',
    OS_USERNAME: 'admin',
    OS_USER_DOMAIN_NAME: 'Default',
  })
  const [denied, named] = await Promise.all([
    looker.refusal('project list --domain default'),
    byName.json('token issue'),
    admin.run('application credential delete deploy'),
  ])
  t.match(denied, /403/, 'a reader’s key of an administrator reads only')
  t.equal(named.user_id, token.user_id)
  t.match(await program.refusal('token issue'), /401/)
})

t.test('there are ways to administer without logging in', async t => {
  const { url } = await startApi(t, { allowsNoAuth: true })
  const { url: strictUrl } = await startApi(t)
  const endpoint = { OS_ENDPOINT: `${url}/identity/v3` }
  const ways = [
    { OS_AUTH_TYPE: 'admin_token', ...endpoint, OS_TOKEN: testAdminToken },
    {
      OS_AUTH_TYPE: 'http_basic',
      ...endpoint,
      OS_USERNAME: 'admin',
      OS_PASSWORD: testAdminPassword,
    },
    { OS_AUTH_TYPE: 'none', ...endpoint },
  ]
  await inParallel(2, ways, async way => {
    const list = await new Openstack(way).json('role list')
    const names = list.map(({ Name }: { Name: string }) => Name)
    t.same(names.sort(), ['admin', 'member', 'reader'], way.OS_AUTH_TYPE)
  })
  const closed = { OS_AUTH_TYPE: 'none', OS_ENDPOINT: `${strictUrl}/identity/v3` }
  t.match(await new Openstack(closed).refusal('role list'), /401/)
})

function inOrderOfName(one: { readonly Name: string }, other: { readonly Name: string }): number {
  return one.Name.localeCompare(other.Name)
}
