// Question: what happens as the records grow from a thousand to five million: how many queries a second does one
//   answering thread serve, how much memory does the server take, how long does it load and how long is it unavailable at a restart?
// Method: for each size zones of A records, a million each at most, on every server in turn, held to core 0. The
//   peers load them from files, ours fetches them from Knot, one after another, and makes them durable as any
//   secondary does, so its loading is a transfer. The counterpart of the peers' loading is its start on its stored
//   data: after kill -9, on both cores, which are idle then, and after an orderly stop. Memory is measured when each
//   answers for the last name, ours when its start is over. When all has been written, ours of all sizes, running at
//   once, are loaded in turns by dnsperf on core 1 with random names.
// A good number: at most 400 octets a record for the whole process above its empty weight, a million records served
//   within 10 s of a restart, five million answered at 0.7 times the rate of a thousand.
// Not measured: many zones instead of a large one (`zones`), other types of records.
// Options: --sizes 1000,100000,1000000,5000000 --rounds 5 --seconds 5 --peers nsd,knot,bind,powerdns

import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadServer } from './load/dnsperf.ts'
import { addressQueryText, addressZoneText, origin } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { median } from './report/median.ts'
import { formatTable } from './report/table.ts'
import { applianceRecipe, fetchZone } from './servers/appliance.ts'
import { ours } from './servers/contenders.ts'
import { type PeerName, peerNames, peerRecipe } from './servers/peers.ts'
import { answers } from './servers/probe.ts'
import { RunningServer } from './servers/running.ts'

const serverCore = 0
const loadCore = 1
/** How ours is started again. */
const restarts = [
  ['after kill -9', { signal: 'SIGKILL', cores: `${serverCore},${loadCore}` }],
  ['restart', {}],
] as const
const queryCount = 500_000
const recordsPerZone = 1_000_000
/** Five million records take some of the peers a minute. */
const patienceSeconds = 900
/** Longer than the minute after which ours checks again for documents to write. */
const restSeconds = 75

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000,5000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    peers: { type: 'string', default: peerNames.join(',') },
  },
})

/** The zones that make up a size. */
type Zones = {
  readonly count: number
  readonly names: readonly string[]
  /** Records of each. */
  readonly countOfEach: number
  /** The text of each. */
  readonly file: string
}
/** The cost of the zones for a server. */
type Loaded = {
  readonly name: string
  readonly how: 'file' | 'transfer' | (typeof restarts)[number][0]
  readonly seconds: number
  readonly residentOctets: number
}
type Size = {
  readonly count: number
  readonly appliance: RunningServer
  readonly queryFile: string
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const sizes: Size[] = []
  try {
    for (const count of values.sizes.split(',').map(Number))
      sizes.push(await measureSize(count, folder))
    await compareRates(sizes)
    console.log(machineLine())
  } finally {
    await Promise.all(sizes.map(({ appliance }) => appliance.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Prints the servers' costs for a number of records, and leaves ours running. */
async function measureSize(count: number, folder: string): Promise<Size> {
  const zones = writeZones(count, folder)
  const queryFile = join(folder, `${count}.queries`)
  writeFileSync(queryFile, addressQueryText(zones.names, { count: zones.countOfEach, queryCount }))
  const appliance = await RunningServer.start({
    name: ours,
    core: serverCore,
    recipe: applianceRecipe,
  })
  try {
    await measureOn(appliance, { zones, count })
    return { count, appliance, queryFile }
  } catch (error) {
    await appliance.stop()
    throw error
  } finally {
    rmSync(zones.file)
  }
}

async function measureOn(
  appliance: RunningServer,
  { zones, count }: { readonly zones: Zones; readonly count: number },
): Promise<void> {
  await appliance.untilReady(async () => appliance.output.includes('"api":'))
  const emptyOctets = appliance.residentOctets()
  const loaded: Loaded[] = []
  for (const name of values.peers.split(',') as PeerName[])
    loaded.push(...(await measurePeer(name, zones, appliance)))
  for (const [how, options] of restarts) {
    await appliance.restart(options)
    const served = await untilAllServed(appliance, { zones, how, from: performance.now() })
    const isOver = async () => appliance.output.includes('"api":')
    await appliance.untilReady(isOver, { seconds: patienceSeconds })
    loaded.push({ ...served, residentOctets: appliance.residentOctets() })
  }
  console.log(`${count.toLocaleString('en')} records; ours without any ${megabytes(emptyOctets)}\n`)
  const headings = ['server', 'loads', 'in', 'resident', 'octets a record']
  const rows = loaded.map(each => rowOf(each, zones))
  console.log(`${formatTable(headings, rows)}\n`)
}

/** Makes a peer load the zones from files and, if it is the primary, ours transfer them from it. */
async function measurePeer(
  name: PeerName,
  zones: Zones,
  appliance: RunningServer,
): Promise<readonly Loaded[]> {
  const files = zones.names.map(zone => ({ name: zone, file: zones.file }))
  const from = performance.now()
  const peer = await RunningServer.start({
    name,
    core: serverCore,
    recipe: peerRecipe(name, files),
  })
  try {
    const loaded = await untilAllServed(peer, { zones, how: 'file', from })
    if (name !== 'knot') return [loaded]
    const transferFrom = performance.now()
    for (const zone of zones.names) {
      await fetchZone(appliance, { name: zone, primary: peer })
      await untilServed(appliance, lastOf(zone, zones))
    }
    return [loaded, await untilAllServed(appliance, { zones, how: 'transfer', from: transferFrom })]
  } finally {
    await peer.stop()
  }
}

/** @param from when it began */
async function untilAllServed(
  server: RunningServer,
  { zones, how, from }: { readonly zones: Zones; readonly from: number } & Pick<Loaded, 'how'>,
): Promise<Loaded> {
  for (const zone of zones.names) await untilServed(server, lastOf(zone, zones))
  const seconds = (performance.now() - from) / 1000
  return { name: server.name, how, seconds, residentOctets: server.residentOctets() }
}

/** The question for the last name of a zone. */
function lastOf(zone: string, { countOfEach }: Zones): string {
  return `host${countOfEach - 1}.${zone} A`
}

function rowOf({ name, how, seconds, residentOctets }: Loaded, { count }: Zones): string[] {
  const perRecord = count < 100_000 ? '' : (residentOctets / count).toFixed(0)
  return [name, how, `${seconds.toFixed(2)} s`, megabytes(residentOctets), perRecord]
}

function writeZones(count: number, folder: string): Zones {
  const zoneCount = Math.ceil(count / recordsPerZone)
  const names = Array.from({ length: zoneCount }, (_, i) => `zone${i}.${origin}`)
  const countOfEach = Math.round(count / zoneCount)
  const file = join(folder, `${count}.zone`)
  writeZone(file, countOfEach)
  return { count, names, countOfEach, file }
}

function writeZone(file: string, count: number): void {
  const descriptor = openSync(file, 'w')
  let lines = ''
  for (const line of addressZoneText(count)) {
    lines += line
    if (lines.length < 1 << 20) continue
    writeSync(descriptor, lines)
    lines = ''
  }
  writeSync(descriptor, lines)
  closeSync(descriptor)
}

function untilServed(server: RunningServer, question: string): Promise<void> {
  return server.untilReady(() => answers(server, question), { seconds: patienceSeconds })
}

/** Loads the sizes in turns, so that other load on the machine affects all of them. */
async function compareRates(sizes: readonly Size[]): Promise<void> {
  const results = sizes.map(() => ({ perSecond: [] as number[], cpuMicros: [] as number[] }))
  for (const { appliance } of sizes) await appliance.untilIdle(restSeconds)
  const load = { transport: 'udp', core: loadCore, clients: 4, outstanding: 400 } as const
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const [i, { appliance, queryFile }] of sizes.entries()) {
      const isWarmUp = round === 0
      const seconds = isWarmUp ? 1 : Number(values.seconds)
      const result = await loadServer(appliance, { ...load, queryFile, seconds })
      if (isWarmUp) continue
      results[i]?.perSecond.push(result.answersPerSecond)
      results[i]?.cpuMicros.push(result.cpuMicros)
    }
  }
  const first = median(results[0]?.perSecond ?? [])
  const rows = results.map(({ perSecond, cpuMicros }, i) => [
    (sizes[i]?.count ?? 0).toLocaleString('en'),
    Math.round(median(perSecond)).toLocaleString('en'),
    (median(perSecond) / first).toFixed(2),
    median(cpuMicros).toFixed(2),
  ])
  const headings = ['records', 'answers/s', '÷ the first', 'CPU µs/answer']
  console.log(`${formatTable(headings, rows)}\n`)
}

function megabytes(octets: number): string {
  return `${Math.round(octets / 1e6)} MB`
}

await main()
