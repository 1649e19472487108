import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

t.test('settings say which groups there are', async t => {
  const [usual, others] = await Promise.all([
    startWholeServer(t, { dataDirectory: serverFolder(t) }),
    startWholeServer(t, {
      dataDirectory: serverFolder(t),
      environment: {
        ZONEWRIGHT_ADMIN_API: 'off',
        ZONEWRIGHT_KEYSTONE_URL: 'http://127.0.0.1:1/identity',
      },
    }),
  ])
  for (const [path, whenOn, whenOff] of [
    ['/v2/zones', 200, 200],
    ['/dns/v2/zones', 200, 200],
    ['/v1/domains', 200, 200],
    ['/rating/v1/info/config', 200, 200],
    ['/readyz', 200, 200],
    // An external Keystone is the one door.
    ['/identity/v3', 200, 404],
    ['/admin/reports/counts', 200, 404],
  ] as const) {
    t.equal((await usual.admin.get(path)).status, whenOn, path)
    t.equal((await others.admin.get(path)).status, whenOff, `${path} without`)
  }
  t.equal((await others.admin.post('/admin/check')).status, 200)
  const { headers } = await others.anonymous.get('/v2/zones')
  t.equal(headers.get('www-authenticate'), 'Keystone uri="http://127.0.0.1:1/identity"')
})

t.test('a port that is taken stops the start, and nothing stays open', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const dataDirectory = serverFolder(t)
  const environment = { ZONEWRIGHT_API_LISTEN: `127.0.0.1:${port}` }
  await t.rejects(startWholeServer(t, { dataDirectory, environment }), { name: 'ListenError' })
  const again = await startWholeServer(t, { dataDirectory })
  t.equal((await again.anonymous.get('/readyz')).status, 200)
})
