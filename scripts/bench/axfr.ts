// Question: how long does a secondary take to fetch a zone by AXFR and to serve it, and at what cost?
// Method: Knot on core 1 is the primary; each secondary in turn, held to core 0, fetches the zone. The peers are started
//   with the zone configured, so their time begins with the start of the process; ours runs, and its time begins with
//   the request that creates the zone. It ends with the answer for the zone's last name. At that point ours has every recordset in
//   its journal; the peers write their files some time later.
// A good number: a quarter of a million records in a few seconds. Ours does more, as its recordsets can be listed,
//   exported, counted and are kept through a power cut before the first answer. No stall of ours above 20 ms: how long its
//   event loop was held at a time, counted as what its main thread computed, and by the clock, with what its other
//   threads had of the same core meanwhile.
// Not measured: IXFR, and serving transfers.
// Options: --sizes 1000,100000,1000000 --peers nsd,knot,bind

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addressZoneText, origin } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { formatTable } from './report/table.ts'
import {
  apiOf,
  fetchZone,
  stallCells,
  stallHeadings,
  stallsOf,
  watchedRecipe,
} from './servers/appliance.ts'
import { ours } from './servers/contenders.ts'
import { peerRecipe, type SecondaryName, secondaryRecipe } from './servers/peers.ts'
import { answers } from './servers/probe.ts'
import { RunningServer } from './servers/running.ts'

const secondaryCore = 0
const primaryCore = 1
const patienceSeconds = 600
const headings = ['secondary', 'served after', 'CPU', 'resident', 'at most', ...stallHeadings]

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,100000,1000000' },
    peers: { type: 'string', default: 'nsd,knot,bind' },
  },
})

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    for (const count of values.sizes.split(',').map(Number)) await measure(count, folder)
    console.log(machineLine())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measure(count: number, folder: string): Promise<void> {
  const zoneFile = join(folder, 'zone')
  writeFileSync(zoneFile, [...addressZoneText(count)].join(''))
  const question = `host${count - 1}.${origin} A`
  const primary = await RunningServer.start({
    name: 'knot',
    core: primaryCore,
    recipe: peerRecipe('knot', [{ name: origin, file: zoneFile }]),
  })
  try {
    await primary.untilReady(() => answers(primary, question), { seconds: patienceSeconds })
    const rows = [await fetchByOurs(primary, question)]
    for (const name of values.peers.split(',') as SecondaryName[])
      rows.push(await fetchByPeer(name, primary, question))
    console.log(`${count.toLocaleString('en')} records\n`)
    console.log(`${formatTable(headings, rows)}\n`)
  } finally {
    await primary.stop()
  }
}

async function fetchByOurs(primary: RunningServer, question: string): Promise<string[]> {
  const server = await RunningServer.start({
    name: ours,
    core: secondaryCore,
    recipe: watchedRecipe,
  })
  try {
    await apiOf(server)
    await stallsOf(server)
    const cpuBefore = server.cpuSeconds()
    const startedAt = performance.now()
    await fetchZone(server, { name: origin, primary })
    const row = await untilServed(server, { question, startedAt, cpuBefore })
    const peak = `${Math.round(server.peakOctets() / 1e6)} MB`
    return [...row, peak, ...stallCells(await stallsOf(server))]
  } finally {
    await server.stop()
  }
}

async function fetchByPeer(
  name: SecondaryName,
  primary: RunningServer,
  question: string,
): Promise<string[]> {
  const startedAt = performance.now()
  const server = await RunningServer.start({
    name,
    core: secondaryCore,
    recipe: secondaryRecipe(name, primary.port),
  })
  try {
    const row = await untilServed(server, { question, startedAt, cpuBefore: 0 })
    return [...row, '', ...stallHeadings.map(() => '')]
  } finally {
    await server.stop()
  }
}

type Start = {
  readonly question: string
  readonly startedAt: number
  readonly cpuBefore: number
}

async function untilServed(
  server: RunningServer,
  { question, startedAt, cpuBefore }: Start,
): Promise<string[]> {
  await server.untilReady(() => answers(server, question), { seconds: patienceSeconds })
  const seconds = (performance.now() - startedAt) / 1000
  const cpuSeconds = server.cpuSeconds() - cpuBefore
  const resident = `${Math.round(server.residentOctets() / 1e6)} MB`
  return [server.name, `${seconds.toFixed(2)} s`, `${cpuSeconds.toFixed(2)} s`, resident]
}

await main()
