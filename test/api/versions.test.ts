import t from 'tap'
import { startApi } from '../helpers/api.ts'

t.test('the root lists the versions to anyone, with links to where the client came', async t => {
  const api = await startApi(t)
  for (const client of [api.anonymous, api.admin]) {
    const { status, body } = await client.get('/')
    t.equal(status, 200)
    t.match(body, {
      versions: [
        { id: 'v2', status: 'CURRENT', links: [{ rel: 'self', href: `${api.url}/v2` }] },
        { id: 'v1', status: 'SUPPORTED', links: [{ rel: 'self', href: `${api.url}/v1` }] },
      ],
    })
  }
})

t.test('links of the version list begin with the public URL where one is set', async t => {
  const api = await startApi(t, { publicUrl: 'https://dns.example' })
  const { body } = await api.anonymous.get('/')
  t.equal(body.versions[0].links[0].href, 'https://dns.example/v2')
})
