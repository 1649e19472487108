// Question: how many dynamic updates (RFC 2136) does a primary make durable in a second, and at what cost?
// Method: ours and BIND, on core 0, have a small zone; clients on another core add one name after another to it, over UDP as nsupdate
//   does, or over TCP, each update signed and sent when the one before is answered. One server at a time, rounds in turns, and the
//   median of each. Before, each has taken updates of 32 clients, and then of as many as are measured: V8 compiles for some 30,000
//   of both, as half of the work is for a batch of updates, not for one. The rates are those of servers that have been up for a while.
//   Ours passes over what is above 5,000 updates a second: it is sent again, over TCP on another connection.
// A good number: at least BIND's rate, at all numbers of clients. Both have an update on disk when they answer it.
// Not measured: prerequisites, updates of large zones, signed zones.
// Options: --clients 1,32, --over udp,tcp, --seconds 5, --rounds 5, --warm 40 (seconds)

import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { parseName } from '../../src/dns/name.ts'
import { type TsigSecret, tsigAlgorithmNames } from '../../src/dns/tsig-mac.ts'
import { signed, TsigSigner } from '../../src/dns/tsig-signer.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import { hmac } from '../../src/transport/hmac.ts'
import { frame, TcpClient } from '../../test/helpers/tcp-client.ts'
import { updateMessage } from '../../test/helpers/update-message.ts'
import { origin, zoneText } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { median } from './report/median.ts'
import { formatTable } from './report/table.ts'
import { apiOf, applianceRecipe, liftQuotas } from './servers/appliance.ts'
import { ours } from './servers/contenders.ts'
import { answers } from './servers/probe.ts'
import { host, type Place, type Recipe, RunningServer } from './servers/running.ts'

const core = 0
const loadCore = 1
const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1,32' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    over: { type: 'string', default: 'udp,tcp' },
    warm: { type: 'string', default: '40' },
  },
})

const secret = Buffer.alloc(32, 7)
const key: TsigSecret = {
  id: 'bench',
  name: parseName('bench.'),
  algorithm: tsigAlgorithmNames['hmac-sha256'],
  secret,
}

type Over = 'udp' | 'tcp'
type Clients = { readonly over: Over; readonly clientCount: number }
type Updated = { readonly perSecond: number; readonly cpuMicros: number }

async function main(): Promise<void> {
  // Else the kernel moves the only client to the server's core, from which each of its answers comes.
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${loadCore}`, `${process.pid}`])
  const servers = [
    await RunningServer.start({ name: ours, core, recipe: applianceRecipe }),
    await RunningServer.start({ name: 'bind', core, recipe: bindRecipe }),
  ]
  try {
    await prepareOurs(servers[0] as RunningServer)
    for (const server of servers) await server.untilReady(() => answers(server, `${origin} SOA`))
    const rows: string[][] = []
    for (const over of values.over.split(',') as Over[]) {
      await warm(servers, { over, clientCount: 32 })
      for (const clientCount of values.clients.split(',').map(Number))
        rows.push(...(await measure(servers, { over, clientCount })))
    }
    console.log(
      `${formatTable(['', 'over', 'clients', 'updates', 'CPU of one', '÷ BIND'], rows)}\n`,
    )
    console.log(machineLine())
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

function bindRecipe({ folder, port }: Place): Recipe {
  return {
    command: ['named', '-f', '-n', '1', '-c', join(folder, 'named.conf')],
    files: {
      zone: zoneText(0),
      'named.conf': `
key bench { algorithm hmac-sha256; secret "${secret.toString('base64')}"; };
options {
  directory "${folder}"; pid-file "${folder}/pid"; session-keyfile none; recursion no;
  listen-on port ${port} { ${host}; }; listen-on-v6 { none; };
  notify no; tcp-clients 1000; update-quota 1000;
};
logging { category default { null; }; };
controls { };
zone "${origin}" { type primary; file "zone"; allow-update { key bench; }; };`,
    },
  }
}

async function prepareOurs(server: RunningServer): Promise<void> {
  const api = await apiOf(server)
  await liftQuotas(api)
  const { id } = await api.post('/v2/zones', { name: origin, email: 'ops@example.net' })
  await api.post('/v2/tsigkeys', {
    name: 'bench',
    algorithm: 'hmac-sha256',
    secret: secret.toString('base64'),
    scope: 'POOL',
    resource_id: defaultPoolId,
  })
  const rules = [{ key: 'bench', match: 'zone' }]
  await api.put(`/v2/zones/${id}/update_policy`, { rules })
}

async function warm(servers: readonly RunningServer[], clients: Clients): Promise<void> {
  for (const server of servers) await update(server, { ...clients, seconds: Number(values.warm) })
}

async function measure(servers: readonly RunningServer[], { over, clientCount }: Clients) {
  await warm(servers, { over, clientCount })
  const updated = new Map<string, Updated[]>(servers.map(({ name }) => [name, []]))
  const seconds = Number(values.seconds)
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const server of servers)
      updated.get(server.name)?.push(await update(server, { over, clientCount, seconds }))
  }
  const of = (name: string, pick: (one: Updated) => number) =>
    median((updated.get(name) ?? []).map(pick))
  const bind = of('bind', one => one.perSecond)
  return servers.map(({ name }) => {
    const perSecond = of(name, one => one.perSecond)
    const cpu = of(name, one => one.cpuMicros)
    const cells = [`${Math.round(perSecond)}/s`, `${Math.round(cpu)} µs`]
    return [name, over, `${clientCount}`, ...cells, (perSecond / bind).toFixed(2)]
  })
}

let lastName = 0

async function update(
  server: RunningServer,
  { over, clientCount, seconds }: Clients & { readonly seconds: number },
): Promise<Updated> {
  const cpuBefore = server.cpuSeconds()
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const counts = Array.from({ length: clientCount }, () => updateUntil(server, over, endsAt))
  const count = (await Promise.all(counts)).reduce((sum, one) => sum + one, 0)
  return {
    perSecond: (count / (performance.now() - startedAt)) * 1000,
    cpuMicros: ((server.cpuSeconds() - cpuBefore) / count) * 1e6,
  }
}

/** Sends one update after another, and returns how many were done.
 *  @throws Error one is refused */
async function updateUntil(
  { name, port }: RunningServer,
  over: Over,
  endsAt: number,
): Promise<number> {
  const client = over === 'tcp' ? await tcpClient(port) : await udpClient(port)
  let count = 0
  while (performance.now() < endsAt) {
    lastName += 1
    const changes = [`u${lastName}.${origin} 300 A 192.0.2.1`]
    const message = updateMessage({ zone: origin, changes, id: lastName & 0xffff })
    const nowSeconds = Math.floor(Date.now() / 1000)
    const response = await client.ask(signed(message, new TsigSigner(key, hmac), { nowSeconds }))
    const rcode = (response[3] ?? 0xf) & 0xf
    if (rcode !== 0) throw new Error(`${name} answers with rcode ${rcode}`)
    count += 1
  }
  client.close()
  return count
}

/** When an update without an answer is sent again. */
const repeatMs = 1000

type Client = {
  ask(request: Uint8Array): Promise<Uint8Array>
  close(): void
}

async function tcpClient(port: number): Promise<Client> {
  let client = await TcpClient.connect({ host, port })
  return {
    async ask(request) {
      for (;;) {
        await client.write(frame(request))
        const response = await client.read()
        if (response !== undefined) return response
        await delay(repeatMs)
        client = await TcpClient.connect({ host, port })
      }
    },
    close: () => client.socket.destroy(),
  }
}

async function udpClient(port: number): Promise<Client> {
  const socket = createSocket('udp4')
  await new Promise<void>(resolve => socket.connect(port, host, resolve))
  return {
    async ask(request) {
      const response = new Promise<Uint8Array>(resolve => socket.once('message', resolve))
      const send = () => socket.send(request)
      const repeating = setInterval(send, repeatMs)
      send()
      return response.finally(() => clearInterval(repeating))
    },
    close: () => socket.close(),
  }
}

await main()
