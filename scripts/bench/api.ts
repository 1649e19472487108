// Question: how many zones and recordsets a second are created through the API, and listed, beside PowerDNS's HTTP
//   API over SQLite?
// Method: each server held to core 0, this process to core 1. 32 clients over HTTP, each waiting for its answer before
//   its next request: zones, then recordsets spread over them, then zones with all their recordsets, then lists of
//   zones. PowerDNS's recordsets come from a single client: it refuses one of two concurrent writes, as its database
//   is locked, so more clients only make it slower. Both servers answer a creation when it is on the disk and served.
//   The work is done in turns in several parts; rates are of all parts together.
// A good number: twice PowerDNS's rate of recordsets, and no stall of our event loop above 20 ms.
// Not measured: several recordsets in one request, which PowerDNS can do and the API of Designate cannot.
// Options: --parts 4 --zones 250 --recordsets 2500 --lists 250 (of each part)

import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { inParallel } from '../../test/helpers/in-parallel.ts'
import { HttpClient } from './load/http-client.ts'
import { machineLine } from './report/machine.ts'
import { formatTable } from './report/table.ts'
import { stallCells, stallHeadings, stallsOf } from './servers/appliance.ts'
import { ours } from './servers/contenders.ts'
import { powerdnsApiRecipe } from './servers/peers.ts'
import { apiToken, host, RunningServer } from './servers/running.ts'
import { startWatched } from './servers/watched.ts'

const serverCore = 0
const loadCore = 1
const clientCount = 32

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: '4' },
    zones: { type: 'string', default: '250' },
    recordsets: { type: 'string', default: '2500' },
    lists: { type: 'string', default: '250' },
  },
})

/** One server's API, reduced to the operations that both have. */
type ManagedServer = {
  readonly server: RunningServer
  /** How many clients may create recordsets at once. */
  readonly writerCount: number
  createZone(name: string): Promise<unknown>
  createRecordset(zone: string, owner: string, address: string): Promise<unknown>
  listZones(): Promise<unknown>
  listRecordsets(zone: string): Promise<unknown>
}

type Work = {
  readonly title: string
  readonly count: number
  run(to: ManagedServer, i: number): Promise<unknown>
}

const recordsetsCreated = 'recordsets created'

const works: readonly Work[] = [
  {
    title: 'zones created',
    count: Number(values.zones),
    run: (to, i) => to.createZone(zoneName(i)),
  },
  {
    title: recordsetsCreated,
    count: Number(values.recordsets),
    run: (to, i) => {
      const zone = zoneName(i % Number(values.zones))
      return to.createRecordset(zone, `host${i}.${zone}`, `10.0.${(i >> 8) & 0xff}.${i & 0xff}`)
    },
  },
  {
    title: 'zones read with their recordsets',
    count: Number(values.lists),
    run: (to, i) => to.listRecordsets(zoneName(i % Number(values.zones))),
  },
  // PowerDNS has no pages: it always lists all.
  { title: 'zones listed', count: Math.ceil(Number(values.lists) / 10), run: to => to.listZones() },
]

async function main(): Promise<void> {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', `${loadCore}`, `${process.pid}`])
  const servers = [await startOurs(), await startPowerdns()]
  try {
    const times = servers.map(() => works.map(() => ({ seconds: 0, cpuSeconds: 0, count: 0 })))
    for (let part = 0; part < Number(values.parts); part += 1)
      for (const [w, work] of works.entries())
        for (const [s, to] of servers.entries()) add(times[s]?.[w], await timed(work, to, part))
    printRates(servers, times)
    for (const { server } of servers) if (server.name === ours) await printStalls(server)
    console.log(machineLine())
  } finally {
    for (const { server } of servers) await server.stop()
  }
}

async function printStalls(server: RunningServer): Promise<void> {
  console.log(
    `${formatTable(['', ...stallHeadings], [[server.name, ...stallCells(await stallsOf(server))]])}\n`,
  )
}

type Times = { seconds: number; cpuSeconds: number; count: number }

function add(total: Times | undefined, { seconds, cpuSeconds, count }: Times): void {
  if (total === undefined) return
  total.seconds += seconds
  total.cpuSeconds += cpuSeconds
  total.count += count
}

async function timed({ title, count, run }: Work, to: ManagedServer, part: number): Promise<Times> {
  const numbers = Array.from({ length: count }, (_, i) => part * count + i)
  const cpuBefore = to.server.cpuSeconds()
  const startedAt = performance.now()
  const width = title === recordsetsCreated ? to.writerCount : clientCount
  await inParallel(width, numbers, i => run(to, i))
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, cpuSeconds: to.server.cpuSeconds() - cpuBefore, count }
}

function zoneName(i: number): string {
  return `zone-${i}.example.`
}

async function startOurs(): Promise<ManagedServer> {
  const { server, http } = await startWatched(serverCore)
  const ids = new Map<string, string>()
  return {
    server,
    writerCount: clientCount,
    createZone: async name => {
      const zone = await http.call('POST', '/v2/zones', { name, email: 'hostmaster@example.net' })
      ids.set(name, (JSON.parse(zone) as { id: string }).id)
    },
    createRecordset: (zone, name, address) =>
      http.call('POST', `/v2/zones/${ids.get(zone)}/recordsets`, {
        name,
        type: 'A',
        ttl: 300,
        records: [address],
      }),
    listZones: () => http.call('GET', '/v2/zones?limit=1000'),
    listRecordsets: zone => http.call('GET', `/v2/zones/${ids.get(zone)}/recordsets?limit=1000`),
  }
}

async function startPowerdns(): Promise<ManagedServer> {
  const server = await RunningServer.start({
    name: 'powerdns',
    core: serverCore,
    recipe: powerdnsApiRecipe,
  })
  const http = new HttpClient(`http://${host}:${server.port + 1}`, { 'x-api-key': apiToken })
  const base = '/api/v1/servers/localhost/zones'
  await server.untilReady(() =>
    http.call('GET', base).then(
      () => true,
      () => delay(50, false),
    ),
  )
  return {
    server,
    writerCount: 1,
    createZone: name =>
      http.call('POST', base, { name, kind: 'Native', nameservers: ['ns1.example.net.'] }),
    createRecordset: (zone, name, content) =>
      http.call('PATCH', `${base}/${zone}`, {
        rrsets: [
          {
            name,
            type: 'A',
            ttl: 300,
            changetype: 'REPLACE',
            records: [{ content, disabled: false }],
          },
        ],
      }),
    listZones: () => http.call('GET', base),
    listRecordsets: zone => http.call('GET', `${base}/${zone}`),
  }
}

function printRates(servers: readonly ManagedServer[], times: readonly (readonly Times[])[]): void {
  const rows = works.map(({ title }, w) => {
    const rates = times.map(of => (of[w]?.count ?? 0) / (of[w]?.seconds ?? 0))
    const [own = 0, other = 0] = rates
    const cpu = times.map(
      of => `${(((of[w]?.cpuSeconds ?? 0) / (of[w]?.count ?? 1)) * 1e6).toFixed(0)} µs`,
    )
    return [title, ...rates.map(rate => rate.toFixed(0)), (own / other).toFixed(2), ...cpu]
  })
  const names = servers.map(({ server }) => server.name)
  const headings = [
    '',
    ...names.map(name => `${name} a second`),
    'ratio',
    ...names.map(name => `${name} CPU each`),
  ]
  console.log(`${formatTable(headings, rows)}\n`)
}

await main()
