import { join } from 'node:path'
import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { Appliance } from '../helpers/appliance.ts'
import { startPeerProcess } from '../helpers/peer-process.ts'
import { queryAddresses } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

// A primary that transfers its zone only to clients with a key: BIND and Knot. Large enough for several messages.

const apex = 'peer.example.'
const secret = Buffer.alloc(48, 5).toString('base64')
const names = Array.from({ length: 400 }, (_, i) => `n${i} 60 IN TXT "${'x'.repeat(200)}"`)
const zoneText = [
  `$ORIGIN ${apex}`,
  '@ 300 IN SOA ns host 7 3600 3600 86400 60',
  '@ 300 IN NS ns',
  'ns 300 IN A 192.0.2.1',
  ...names,
  '',
].join('\n')

const recipes = {
  bind: ({ folder, port }: { folder: string; port: number }) => ({
    command: ['named', '-g', '-c', join(folder, 'peer.conf')],
    files: {
      zone: zoneText,
      'peer.conf': `
      options { directory "${folder}"; pid-file "${folder}/pid"; session-keyfile none; recursion no; notify no;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; allow-transfer { key "shared"; }; };
      controls { };
      key "shared" { algorithm hmac-sha384; secret "${secret}"; };
      zone "${apex}" { type primary; file "zone"; };`,
    },
  }),
  knot: ({ folder, port }: { folder: string; port: number }) => ({
    command: ['knotd', '-c', join(folder, 'peer.conf')],
    files: {
      zone: zoneText,
      'peer.conf': `
server:
    rundir: "${folder}/run"
    listen: 127.0.0.1@${port}
database:
    storage: "${folder}"
key:
  - id: shared
    algorithm: hmac-sha384
    secret: ${secret}
acl:
  - id: all
    key: shared
    action: transfer
zone:
  - domain: ${apex}
    file: "${folder}/zone"
    acl: all
`,
    },
  }),
}

for (const name of ['bind', 'knot'] as const) {
  t.test(
    `${name} gives its zone to a key; without it, or with a wrong one, there is a reason`,
    async t => {
      const server = await Appliance.start({ dataDirectory: serverFolder(t) })
      t.teardown(() => server.stop())
      const isReady = async (port: number) =>
        (await queryAddresses({ host: '127.0.0.1', port }, `ns.${apex}`).catch(() => [])).length > 0
      const peer = await startPeerProcess({ name, recipe: recipes[name], isReady })
      t.teardown(() => peer.close())
      const key = {
        name: 'shared',
        algorithm: 'hmac-sha384',
        scope: 'POOL',
        resource_id: defaultPoolId,
      }
      const wrong = { ...key, secret: Buffer.alloc(48, 6).toString('base64') }
      const { id: keyId } = await server.json<{ id: string }>('POST', '/v2/tsigkeys', wrong)
      const zone = { name: apex, type: 'SECONDARY', masters: [`127.0.0.1:${peer.port}`] }
      type View = { id: string; status: string; status_reason: string | null }
      const { id } = await server.json<View>('POST', '/v2/zones', zone)
      const view = () => server.json<View>('GET', `/v2/zones/${id}`)
      const failed = await until(view, ({ status_reason: reason }) => reason !== null)
      t.match(failed.status_reason, /REFUSED|NOTAUTH|closed/)
      const change = async (attributes: Record<string, string>) => {
        await server.json('PATCH', `/v2/zones/${id}`, { attributes, masters: zone.masters })
      }
      await change({ transfer_key: 'shared' })
      const unsigned = await until(view, ({ status_reason: reason }) => /BADSIG/.test(reason ?? ''))
      t.match(unsigned.status_reason, /BADSIG/)
      await server.json('PATCH', `/v2/tsigkeys/${keyId}`, { secret })
      await change({ transfer_key: 'shared' })
      t.equal((await until(view, ({ status }) => status === 'ACTIVE')).status, 'ACTIVE')
    },
  )
}
