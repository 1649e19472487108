import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { AxfrClient } from '../../src/transport/outbound/axfr.ts'
import { Appliance } from '../helpers/appliance.ts'
import { digZone } from '../helpers/dig-zone.ts'
import { startPeer } from '../helpers/peer-primary.ts'
import { peerNames } from '../helpers/peer-recipes.ts'
import { queryAddresses } from '../helpers/query.ts'
import { anywhereForAll } from '../helpers/reach.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { noQuota } from '../helpers/transfer.ts'
import { until } from '../helpers/until.ts'

// The servers people run as primaries: their zone changes, they notify us of it, and we answer with the new data. By the
// SOA's timers we would query them an hour later. Those that support differences send these, also across the wrap of serials.

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
    `www 60 IN A 198.51.100.${serial % 250}`,
    ...Array.from({ length: 100 }, (_, i) => `h${i} 60 IN TXT "${i % 20 === 0 ? serial : i}"`),
    '',
  ].join('\n')
}

/** Zones that a master has sent differences of. */
async function updatedCount(): Promise<number> {
  const text = await (await server.request('GET', '/metrics')).text()
  const [, count = ''] = /transfers_total\{result="updated"\} (\d+)/.exec(text) ?? []
  return Number(count)
}

/** Each newer than the one before (RFC 1982). */
const serials = [8, 9, 2 ** 31 + 8, 2 ** 32 - 1, 3]

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
          quota: noQuota,
          hold: () => true,
        }
        const { kind } = await client.transfer(request, new AbortController().signal)
        return kind === 'current'
      },
    )
    const masters = [`${peer.host}:${peer.port}`]
    const attributes = { allow_transfer: '127.0.0.1' }
    const zone = { name: apex, type: 'SECONDARY', masters, attributes }
    const { id } = await server.json<{ id: string }>('POST', '/v2/zones', zone)
    const view = () => server.json<{ status: string; serial: number }>('GET', `/v2/zones/${id}`)
    t.equal((await until(view, ({ status }) => status === 'ACTIVE')).serial, 7)
    const before = await updatedCount()
    for (const serial of serials) {
      await peer.change(zoneText(apex, serial))
      await until(
        async () => {
          await delay(lookEveryMs)
          return queryAddresses({ host, port }, `www.${apex}`)
        },
        ([found]) => found === `198.51.100.${serial % 250}`,
      )
      t.equal((await view()).serial, serial)
      t.equal(await digZone({ host, port }, apex), await digZone(peer, apex))
    }
    const isUpdating = name !== 'powerdns'
    t.equal((await updatedCount()) - before, isUpdating ? serials.length : 0)
  })
}
