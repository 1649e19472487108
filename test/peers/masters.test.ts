import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { AxfrClient } from '../../src/transport/outbound/axfr.ts'
import { Appliance } from '../helpers/appliance.ts'
import { freePort } from '../helpers/free-port.ts'
import { startPeer } from '../helpers/peer-primary.ts'
import { peerNames } from '../helpers/peer-recipes.ts'
import { anywhereForAll } from '../helpers/reach.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

// A zone with the servers people run as its masters, each with another serial, and one that is down.

type ZoneView = {
  readonly id: string
  readonly status: string
  readonly status_reason: string | null
  readonly serial: number
}

const apex = 'masters.example.'
const zoneText = (serial: number) => `$ORIGIN ${apex}
@ 300 IN SOA ns host ${serial} 3600 3600 86400 60
@ 300 IN NS ns
ns 300 IN A 192.0.2.1
`

const run = promisify(execFile)

/** How long a server reports its zone as valid. */
async function expireOf({ host, port }: { host: string; port: number }): Promise<number> {
  const { stdout } = await run('dig', [`@${host}`, '-p', `${port}`, '+expire', apex, 'SOA'])
  return Number(/; EXPIRE: (\d+)/.exec(stdout)?.[1])
}

t.test('the master with the newest serial gives the zone, whichever is down', async t => {
  const server = await Appliance.start({ dataDirectory: serverFolder(t) })
  t.teardown(() => server.stop())
  const { port: secondaryPort } = server.endpoint()
  const client = new AxfrClient({ randomWord: () => 4711, reaches: anywhereForAll })
  const isReady = async (master: { host: string; port: number }) => {
    const request = { zone: parseName(apex), master, namedBy: 'operator' as const }
    const verdict = await client.askSerial(request, new AbortController().signal)
    return verdict.kind === 'serial'
  }
  const peers = []
  for (const [i, name] of peerNames.entries()) {
    const zone = { name, apex, zoneText: zoneText(10 + i), secondaryPort }
    peers.push(await startPeer(t, zone, isReady))
  }
  const down = `127.0.0.1:${await freePort()}`
  const masters = [down, ...peers.map(({ host, port }) => `${host}:${port}`)]
  const body = { name: apex, type: 'SECONDARY', masters }
  const { id } = await server.json<ZoneView>('POST', '/v2/zones', body)
  const view = () => server.json<ZoneView>('GET', `/v2/zones/${id}`)
  const first = await until(view, ({ status }) => status === 'ACTIVE')
  t.match(first, { serial: 13, status_reason: `${down}: connection refused` })
  for (const [i, peer] of peers.entries()) {
    await peer.change(zoneText(20 + i))
    await until(view, ({ serial }) => serial === 20 + i)
  }
  const left = await expireOf(server.endpoint())
  t.ok(left > 86_000 && left <= 86_400, `EXPIRE is ${left}`)
})
