import t, { type Test } from 'tap'
import { testAdminPassword, testAdminToken } from '../helpers/api.ts'
import { startRatingApi } from '../helpers/rating-api.ts'
import { type ClientKind, declaredCommands, programs, RatingClient } from './cloudkitty-client.ts'
import { Openstack } from './openstack.ts'
import { hashmapStories } from './rating-stories/hashmap.ts'
import { moduleStories } from './rating-stories/modules.ts'
import type { Stories, Story } from './rating-stories/story.ts'
import { firstUsageStories, secondUsageStories, tenantStories } from './rating-stories/usage.ts'

// `openstack rating` and `cloudkitty` against the rating service, in both versions of its API: every command that the
// installed client declares, with its output. Each story has a server and a client of its own.

const common = { ...moduleStories, ...hashmapStories, ...tenantStories }

const storiesOf: Readonly<Record<ClientKind['version'], Stories>> = {
  '1': { ...common, ...firstUsageStories },
  '2': { ...common, ...secondUsageStories },
}

for (const program of programs)
  for (const version of ['1', '2'] as const) {
    const kind = { program, version }
    t.test(`${program}, version ${version}: every command`, async t => {
      const declared = declaredCommands(kind)
      t.ok(declared.length >= 48, `the client has ${declared.length} commands`)
      t.jobs = 2
      const plays = Object.entries(storiesOf[version]).map(async ([name, story]) => {
        const succeeded: string[] = []
        await t.test(name, { buffered: true }, async t => {
          succeeded.push(...(await play(t, story, kind)))
        })
        return succeeded
      })
      const lines = (await Promise.all(plays)).flat()
      const isForgotten = (command: string) =>
        !lines.some(line => `${line} `.startsWith(`${command} `))
      t.same(declared.filter(isForgotten), [], 'none has been forgotten')
    })
  }

/** Returns the commands that succeeded. */
async function play(t: Test, story: Story, kind: ClientKind): Promise<readonly string[]> {
  const { api, services } = await startRatingApi(t)
  const { url } = api
  const password = testAdminPassword
  const login = Openstack.withPassword({ url, user: 'admin', password, project: 'admin' })
  const client = RatingClient.start(t, login, kind)
  await story(t, { client, api, services })
  return client.succeeded
}

t.test('frames come from standard input as well', async t => {
  const { api } = await startRatingApi(t)
  const { url } = api
  const password = testAdminPassword
  const login = Openstack.withPassword({ url, user: 'admin', password, project: 'admin' })
  const point = { vol: { unit: 'u', qty: 2 }, groupby: { project_id: 'p1' }, metadata: {} }
  const period = { begin: '20261101T000000Z', end: '20261101T010000Z' }
  const frames = JSON.stringify({ dataframes: [{ period, usage: { cpu: [point] } }] })
  const second = login.with({ OS_RATING_API_VERSION: '2' })
  const { hasFailed, stderr } = await second.performOn(frames, 'rating dataframes add -'.split(' '))
  t.equal(hasFailed, false, stderr)
  t.equal((await api.admin.get('/v2/dataframes')).body.total, 1)
})

t.test('there are ways in without a login', async t => {
  const { api } = await startRatingApi(t, { allowsNoAuth: true })
  const { api: strict } = await startRatingApi(t)
  const open = { OS_ENDPOINT: `${api.url}/rating` }
  const closed = { OS_ENDPOINT: `${strict.url}/rating` }
  const kind = { program: 'cloudkitty', version: '2' } as const
  const ways = [
    new Openstack({ OS_AUTH_TYPE: 'cloudkitty-noauth', ...open }),
    new Openstack({ OS_AUTH_TYPE: 'none', ...open }),
    new Openstack({ OS_AUTH_TYPE: 'admin_token', ...closed, OS_TOKEN: testAdminToken }),
  ]
  for (const way of ways)
    t.equal((await RatingClient.start(t, way, kind).json('module list')).length, 3)
  const stranger = new Openstack({ OS_AUTH_TYPE: 'cloudkitty-noauth', ...closed })
  t.match(await RatingClient.start(t, stranger, kind).refusal('module list'), /401/)
})

t.test('a project is told of itself and refused the rest', async t => {
  const { api } = await startRatingApi(t)
  const { url } = api
  const admin = Openstack.withPassword({
    url,
    user: 'admin',
    password: testAdminPassword,
    project: 'admin',
  }).session(t)
  await admin.run('project create alpha')
  await admin.run('user create jo --password secret-of-peers')
  await admin.run('role add reader --user jo --project alpha')
  const login = Openstack.withPassword({
    url,
    user: 'jo',
    password: 'secret-of-peers',
    project: 'alpha',
  })
  for (const program of programs) {
    const first = RatingClient.start(t, login, { program, version: '1' })
    t.same(await first.json('total get'), { Total: 0 })
    t.match(await first.refusal('total get -a'), /Policy doesn't allow.*HTTP 403/)
    t.match(await first.refusal('module list'), /Policy doesn't allow.*HTTP 403/)
    const second = RatingClient.start(t, login, { program, version: '2' })
    t.same(await second.json('summary get'), [])
    t.match(await second.refusal('scope state get'), /You are not authorized.*HTTP 403/)
  }
})
