// Question: what do very many small zones take: to be created, imported and changed, in memory, in files, and at a start?
// Method: the real process, held to core 0. 32 clients create zones, each with a POST and a change set of eight recordsets,
//   so that it has ten; import some as zone files; and change a recordset in each. Printed is the processor time of each, the longest
//   that the main thread computed at a time meanwhile, and while what was left to be written was, and how many files the last checkpoint
//   wrote. Then it is started again, after kill -9 and after a stop, and beside it the peers from their files, held to the same
//   core, until names of zones from the first to the last are answered.
// A good number: no stall above 20 ms, at most 200 files of a checkpoint, ahead of Knot and PowerDNS.
// Not measured: lists and searches over so many zones (`paging`).
// Options: --zones 100000 --imports 2000 --peers knot,bind,powerdns

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { inParallel } from '../../test/helpers/in-parallel.ts'
import type { HttpClient } from './load/http-client.ts'
import { changeSmallZone, createSmallZone, smallZoneName } from './load/small-zones.ts'
import { addressZoneText } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { formatTable } from './report/table.ts'
import { stallCells, stallHeadings, stallsOf } from './servers/appliance.ts'
import { type PeerName, peerRecipe } from './servers/peers.ts'
import { answers } from './servers/probe.ts'
import { RunningServer } from './servers/running.ts'
import { startWatched } from './servers/watched.ts'

const core = 0
const clientCount = 32
const hostsPerZone = 8
/** The number of zones, spread over all, of which a name is queried. */
const asked = 20
const patienceSeconds = 900
/** Longer than the minute after which ours checks again for data to write. */
const restSeconds = 65

const { values } = parseArgs({
  options: {
    zones: { type: 'string', default: '100000' },
    imports: { type: 'string', default: '2000' },
    peers: { type: 'string', default: 'knot,bind,powerdns' },
  },
})
const zoneCount = Number(values.zones)
const numbers = Array.from({ length: zoneCount }, (_, i) => i)

async function main(): Promise<void> {
  const { server, http } = await startWatched(core)
  try {
    console.log(`${zoneCount.toLocaleString('en')} zones of ${hostsPerZone + 2} recordsets\n`)
    await measureChanges(server, http)
    http.close()
    const rows = await measureStarts(server)
    for (const name of values.peers.split(',') as PeerName[]) rows.push(await measurePeer(name))
    const headings = ['start', 'until answered', 'CPU', 'until the API', 'CPU', 'resident']
    console.log(`${formatTable(headings, rows)}\n`)
  } finally {
    await server.stop()
  }
  console.log(machineLine())
}

async function measureChanges(server: RunningServer, http: HttpClient): Promise<void> {
  const paths: string[] = []
  const works = [
    {
      title: 'zones created',
      count: zoneCount,
      run: async (i: number) => {
        paths[i] = await createSmallZone(http, i, hostsPerZone)
      },
    },
    {
      title: 'zones imported',
      count: Number(values.imports),
      run: async (i: number) => importZone(http, zoneCount + i),
    },
    {
      title: 'a recordset changed in each',
      count: zoneCount,
      run: async (i: number) => changeSmallZone(http, paths[i] ?? ''),
    },
  ]
  const emptyOctets = server.residentOctets()
  const rows: string[][] = []
  for (const { title, count, run } of works) {
    const cpuBefore = server.cpuSeconds()
    await inParallel(clientCount, numbers.slice(0, count), run)
    const micros = (1e6 * (server.cpuSeconds() - cpuBefore)) / count
    rows.push([title, `${micros.toFixed(0)} µs`, ...stallCells(await stallsOf(server)), ''])
  }
  await delay(1000 * restSeconds)
  const files = `${filesOfLastCheckpoint(server)}`
  rows.push(['what was left to be written', '', ...stallCells(await stallsOf(server)), files])
  console.log(`${formatTable(['', 'CPU of one', ...stallHeadings, 'files'], rows)}\n`)
  const octets = server.residentOctets()
  console.log(`resident: empty ${megabytes(emptyOctets)}, filled ${megabytes(octets)}\n`)
}

async function importZone(http: HttpClient, i: number): Promise<void> {
  const path = '/v2/zones/tasks/imports'
  const text = `$ORIGIN ${smallZoneName(i)}\n${[...addressZoneText(hostsPerZone - 1)].join('')}`
  let task = JSON.parse(await http.call('POST', path, text))
  for (; task.status === 'PENDING'; await delay(20))
    task = JSON.parse(await http.call('GET', `${path}/${task.id}`))
  if (task.status !== 'COMPLETE') throw new Error(task.message)
}

/** The files that have the newest generation in their names. */
function filesOfLastCheckpoint({ folder }: RunningServer): number {
  const files = readdirSync(join(folder, 'data'), { encoding: 'utf8', recursive: true })
  const generations = files.flatMap(file =>
    Number(/^(?:documents|segments).*?(\d+)\.\w+$/.exec(file)?.[1] ?? []),
  )
  const last = Math.max(...generations)
  return generations.filter(generation => generation === last).length
}

async function measureStarts(server: RunningServer): Promise<string[][]> {
  const rows: string[][] = []
  for (const [title, signal] of [
    ['after kill -9', 'SIGKILL'],
    ['after a stop', 'SIGTERM'],
  ] as const) {
    await server.restart({ signal })
    rows.push([
      title,
      ...(await untilAnswered(server)),
      ...(await cellsOf(server, async () => server.output.includes('"api":'))),
      megabytes(server.residentOctets()),
    ])
  }
  return rows
}

async function measurePeer(name: PeerName): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const file = join(folder, 'zone')
    writeFileSync(file, [...addressZoneText(hostsPerZone - 1)].join(''))
    const recipe = peerRecipe(
      name,
      numbers.map(i => ({ name: smallZoneName(i), file })),
    )
    const server = await RunningServer.start({ name, core, recipe })
    try {
      const cells = await untilAnswered(server)
      return [name, ...cells, '', '', megabytes(server.residentOctets())]
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function untilAnswered(server: RunningServer): Promise<string[]> {
  const step = (zoneCount - 1) / (asked - 1)
  const zones = Array.from({ length: asked }, (_, i) => smallZoneName(Math.round(i * step)))
  return cellsOf(server, async () => {
    for (const zone of zones) if (!(await answers(server, `host0.${zone} A`))) return false
    return true
  })
}

/** The time that a server just started has taken, by the clock and the processor, when `isReady` is true. */
async function cellsOf(server: RunningServer, isReady: () => Promise<boolean>): Promise<string[]> {
  const startedAt = performance.now()
  await server.untilReady(isReady, { seconds: patienceSeconds })
  const seconds = (performance.now() - startedAt) / 1000
  return [`${seconds.toFixed(1)} s`, `${server.cpuSeconds().toFixed(2)} s`]
}

function megabytes(octets: number): string {
  return `${Math.round(octets / 1e6)} MB`
}

await main()
