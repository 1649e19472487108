import t from 'tap'
import { startApi } from '../../helpers/api.ts'

const versionOf = (url: string) => ({
  id: 'v3.14',
  status: 'stable',
  links: [{ rel: 'self', href: `${url}/identity/v3/` }],
})

t.test('discovery begins at the root, in the form gophercloud insists on', async t => {
  const api = await startApi(t)
  for (const path of ['/identity', '/identity/']) {
    const { status, body } = await api.anonymous.get(path)
    t.equal(status, 300)
    t.match(body, { versions: { values: [versionOf(api.url)] } })
  }
})

t.test('version 3 shows itself', async t => {
  const api = await startApi(t)
  for (const path of ['/identity/v3', '/identity/v3/']) {
    const { status, body } = await api.anonymous.get(path)
    t.equal(status, 200)
    t.match(body, { version: versionOf(api.url) })
  }
})

t.test('what is not there is 404 in Keystone’s envelope, for strangers too', async t => {
  const api = await startApi(t)
  for (const method of ['GET', 'POST']) {
    const { status, body } = await api.anonymous.call(method, '/identity/v2.0/tokens')
    t.equal(status, 404)
    t.match(body, { error: { code: 404, title: 'Not Found' } })
  }
})
