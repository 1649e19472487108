import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { queryAddresses } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'

t.test('an abandoned zone is answered over a stop and a kill, until it is withdrawn', async t => {
  const dataDirectory = serverFolder(t)
  const start = () =>
    Appliance.start({ dataDirectory, environment: { ZONEWRIGHT_ADMIN_API: 'on' } })
  let server = await start()
  t.teardown(() => server.kill())
  const answer = () => queryAddresses(server.endpoint(), 'www.left.example.')

  const zone = { name: 'left.example.', email: 'ops@example.com' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
  const www = { name: 'www.left.example.', type: 'A', records: ['192.0.2.80'] }
  await server.json('POST', `/v2/zones/${id}/recordsets`, www)
  await server.json('POST', `/v2/zones/${id}/tasks/abandon`)
  t.equal((await server.request('GET', `/v2/zones/${id}`)).status, 404)
  t.strictSame(await answer(), ['192.0.2.80'])

  await server.stop()
  server = await start()
  t.strictSame(await answer(), ['192.0.2.80'], 'after a stop')
  await server.kill()
  server = await start()
  t.strictSame(await answer(), ['192.0.2.80'], 'after a kill')
  const listed = await server.json('GET', '/admin/zones/abandoned')
  t.match(listed, { zones: [{ id, name: 'left.example.' }] })
  const checked = await server.json('POST', '/admin/check')
  t.match(checked, { is_consistent: true, counts: { zones: 1, abandoned_zones: 1 } })

  await server.json('DELETE', `/admin/zones/abandoned/${id}`)
  t.strictSame(await answer(), [])
  await server.kill()
  server = await start()
  t.strictSame(await answer(), [], 'after another kill')
})
