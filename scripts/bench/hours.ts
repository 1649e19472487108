// Question: what do the ends of hours take with very many zones that are all queried?
// Method: the real process, held to core 0, with many small zones, each of which dnsperf on core 1 queries. Then its clock is put
//   an hour ahead three times, as an hour is rated one hour after its end, then by ten at once, and once more while 32 clients
//   change a recordset in each zone. Printed is what it computes until all of that is handed over, rated and merged, the longest
//   that the main thread computed at a time, and what it keeps of memory.
// A good number: no stall above 20 ms; no more memory than before.
// Not measured: how long it takes by the clock, as hours are looked for every ten seconds and rated every minute; several nodes.
// Options: --zones 100000

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { inParallel } from '../../test/helpers/in-parallel.ts'
import { loadServer } from './load/dnsperf.ts'
import type { HttpClient } from './load/http-client.ts'
import { changeSmallZone, createSmallZone, smallZoneQueries } from './load/small-zones.ts'
import { machineLine } from './report/machine.ts'
import { formatTable } from './report/table.ts'
import { clockedRecipe, stallCells, stallHeadings, stallsOf } from './servers/appliance.ts'
import type { RunningServer } from './servers/running.ts'
import { startWatched } from './servers/watched.ts'

const core = 0
const loadCore = 1
const clientCount = 32
const hostsPerZone = 8
/** Enough for nearly all zones to be among them. */
const queriesPerZone = 10
const longHours = 10
/** So far apart that each of the signals is seen. */
const signalMillis = 200
/** After so long all hours are at least being rated. */
const restSeconds = 75
/** Hours that begin later are not rated yet. */
const maxLagSeconds = 2 * 3600

const { values } = parseArgs({
  options: {
    zones: { type: 'string', default: '100000' },
  },
})
const zoneCount = Number(values.zones)

async function main(): Promise<void> {
  const { server, http } = await startWatched(core, clockedRecipe)
  try {
    const paths: string[] = []
    await inParallel(
      clientCount,
      Array.from({ length: zoneCount }, (_, i) => i),
      async i => {
        paths[i] = await createSmallZone(http, i, hostsPerZone)
      },
    )
    const passings = [
      ...Array.from({ length: 3 }, () => ({ title: 'an hour', hours: 1, paths: [] })),
      { title: `${longHours} hours`, hours: longHours, paths: [] },
      { title: `${longHours} hours while zones change`, hours: longHours, paths },
    ]
    const rows: string[][] = []
    for (const passing of passings) {
      await query(server)
      rows.push(await measure(server, http, passing))
    }
    http.close()
    console.log(`${zoneCount.toLocaleString('en')} zones of ${hostsPerZone + 2} recordsets\n`)
    console.log(`${formatTable(['', 'CPU', ...stallHeadings, 'resident'], rows)}\n`)
  } finally {
    await server.stop()
  }
  console.log(machineLine())
}

async function query(server: RunningServer): Promise<void> {
  const queryFile = join(server.folder, 'queries.txt')
  const queryCount = zoneCount * queriesPerZone
  writeFileSync(queryFile, smallZoneQueries({ zoneCount, namesPerZone: hostsPerZone, queryCount }))
  const load = {
    queryFile,
    transport: 'udp',
    core: loadCore,
    clients: 4,
    outstanding: 400,
  } as const
  await loadServer(server, { ...load, seconds: Math.max(1, queryCount / 50_000) })
}

type Passing = { readonly title: string; readonly hours: number; readonly paths: readonly string[] }

/** Lets hours pass, and clients change zones meanwhile. */
async function measure(
  server: RunningServer,
  http: HttpClient,
  { title, hours, paths }: Passing,
): Promise<string[]> {
  await stallsOf(server)
  const cpuBefore = server.cpuSeconds()
  for (let hour = 0; hour < hours; hour += 1) {
    server.signal('SIGWINCH')
    await delay(signalMillis)
  }
  await inParallel(clientCount, paths, path => changeSmallZone(http, path))
  await delay(1000 * restSeconds)
  await untilRated(http)
  await server.untilIdle(2)
  return [
    title,
    `${(server.cpuSeconds() - cpuBefore).toFixed(1)} s`,
    ...stallCells(await stallsOf(server)),
    `${Math.round(server.residentOctets() / 1e6)} MB`,
  ]
}

async function untilRated(http: HttpClient): Promise<void> {
  const lag = async () =>
    Number(/^zonewright_rating_lag_seconds (\d+)$/m.exec(await http.call('GET', '/metrics'))?.[1])
  while ((await lag()) > maxLagSeconds) await delay(1000)
}

await main()
