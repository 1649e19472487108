import { writeFileSync } from 'node:fs'
import t from 'tap'
import { passwordFileIn } from '../../src/app/data-directory.ts'
import { ownServer } from '../../src/cli/own-server.ts'
import { loadConfig } from '../../src/config/config.ts'

const dataDir = t.testdir()

const serverOf = (settings: Record<string, string>) => {
  const environment = { ZONEWRIGHT_DATA_DIR: dataDir, ...settings }
  return ownServer(loadConfig({ environment, argv: [], readFile: () => '' }))
}

const token = { ZONEWRIGHT_ADMIN_TOKEN: 'abc' }

t.test(
  'the server is where it listens, or on this machine where it listens everywhere',
  async t => {
    for (const [listen, url] of [
      ['192.0.2.1:9001', 'http://192.0.2.1:9001'],
      ['0.0.0.0:9001', 'http://127.0.0.1:9001'],
      ['[::]:9001', 'http://[::1]:9001'],
    ] as const)
      t.equal(serverOf({ ...token, ZONEWRIGHT_API_LISTEN: listen }).url, url)
  },
)

t.test('what lets the administrator in is the token, the password, or nothing', async t => {
  const password = { ZONEWRIGHT_ADMIN_PASSWORD: 'pw' }
  const url = 'http://127.0.0.1:9001'
  const login = { username: 'admin', project_name: 'admin', auth_url: `${url}/identity` }
  t.same(serverOf({ ...token, ...password }), { url, token: 'abc' })
  t.same(serverOf(password), { url, login: { ...login, password: 'pw' } })
  t.same(serverOf({ ZONEWRIGHT_AUTH_NONE: 'on' }), { url })
  const elsewhere = { ...password, ZONEWRIGHT_KEYSTONE_URL: 'http://keystone.example' }
  for (const environment of [{}, elsewhere, { ...token, ZONEWRIGHT_API_LISTEN: '127.0.0.1:0' }])
    t.throws(() => serverOf(environment), {
      name: 'ServerUnavailableError',
      message: /^the server .* must be asked, and /,
    })
  writeFileSync(passwordFileIn(dataDir), 'made up\n')
  t.match(serverOf({}).login, { password: 'made up' }, 'that of the first start')
  t.match(serverOf(password).login, { password: 'pw' })
})
