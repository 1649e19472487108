import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { AxfrClient } from '../../src/transport/outbound/axfr.ts'
import { Appliance } from '../helpers/appliance.ts'
import { peerNames, startPeer } from '../helpers/peer-primary.ts'
import { queryAddresses } from '../helpers/query.ts'
import { anywhereForAll } from '../helpers/reach.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

// The servers people run as primaries: their zone changes, they notify us of it, and what is new is answered. By the
// SOA's timers we would ask them an hour later.

const lookEveryMs = 20

const client = new AxfrClient({
  randomWord: () => Math.floor(Math.random() * 2 ** 32),
  reaches: anywhereForAll,
})
const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())

function zoneText(apex: string, serial: number): string {
  return [
    `$ORIGIN ${apex}`,
    `@ 300 IN SOA ns host ${serial} 3600 3600 86400 60`,
    '@ 300 IN NS ns',
    'ns 300 IN A 192.0.2.1',
    `www 60 IN A 198.51.100.${serial}`,
    '',
  ].join('\n')
}

for (const name of peerNames) {
  t.test(`a NOTIFY of ${name} has its zone fetched`, async t => {
    const apex = `${name}.example.`
    const { host, port } = server.endpoint()
    const peer = await startPeer(
      t,
      { name, apex, zoneText: zoneText(apex, 7), secondaryPort: port },
      async master => {
        const request = {
          zone: parseName(apex),
          master,
          namedBy: 'operator' as const,
          knownSerial: 7,
        }
        const { kind } = await client.transfer(request, new AbortController().signal)
        return kind === 'current'
      },
    )
    const masters = [`${peer.host}:${peer.port}`]
    const zone = { name: apex, type: 'SECONDARY', masters }
    const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
    const view = () => server.json<{ status: string; serial: number }>('GET', `/v2/zones/${id}`)
    t.equal((await until(view, ({ status }) => status === 'ACTIVE')).serial, 7)
    for (const serial of [8, 9]) {
      await peer.change(zoneText(apex, serial))
      await until(
        async () => {
          await delay(lookEveryMs)
          return queryAddresses({ host, port }, `www.${apex}`)
        },
        ([found]) => found === `198.51.100.${serial}`,
      )
      t.equal((await view()).serial, serial)
    }
  })
}
