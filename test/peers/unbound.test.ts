import { join } from 'node:path'
import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata } from '../../src/dns/rdata/index.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import type { Endpoint } from '../helpers/appliance.ts'
import { startPeerProcess } from '../helpers/peer-process.ts'
import { queryUdp } from '../helpers/query.ts'
import { until } from '../helpers/until.ts'
import { unboundSettings } from '../helpers/validators.ts'
import { startWholeServer } from './whole-server.ts'

// A resolver that answers from a copy of a zone, which it transfers without a key.

const zone = 'copied.example.'

async function addresses(endpoint: Endpoint): Promise<readonly string[]> {
  const { answers } = await queryUdp(endpoint, { name: `www.${zone}`, type: types.A })
  return answers.map(({ type, rdata }) => formatRdata(type, rdata))
}

t.test('the copy of an unbound follows the zone by NOTIFY', async t => {
  const { server } = await startWholeServer(t)
  const { host, port } = server.endpoint()
  const attributes = { allow_transfer: '127.0.0.1' }
  await server.json('POST', '/v2/zones', { name: zone, email: 'ops@example.com', attributes })
  const recordsets = `/v2/zones/${zone}/recordsets`
  const www = { name: 'www', type: 'A', records: ['192.0.2.1'] }
  const { id } = await server.json<{ readonly id: string }>('POST', recordsets, www)

  const copyAt = (port: number) => addresses({ host: '127.0.0.1', port }).catch(() => [])
  const peer = await startPeerProcess({
    name: 'unbound',
    recipe: place => ({
      command: ['unbound', '-d', '-c', join(place.folder, 'peer.conf')],
      files: {
        'peer.conf': `${unboundSettings(place)}
remote-control:
  control-enable: no
auth-zone:
  name: "${zone}"
  primary: ${host}@${port}
  zonefile: "zone"
`,
      },
    }),
    isReady: async port => (await copyAt(port)).length > 0,
  })
  t.teardown(() => peer.close())
  t.same(await copyAt(peer.port), ['192.0.2.1'])

  const also_notify = `127.0.0.1:${peer.port}`
  await server.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes: { also_notify } })
  await server.json('PUT', `${recordsets}/${id}`, { records: ['192.0.2.2'] })
  await until(
    () => copyAt(peer.port),
    ([address]) => address === '192.0.2.2',
  )
})
