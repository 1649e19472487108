// Question: what does metering cost of the queries a second that one answering thread takes over UDP?
// Method: a server of our own has 10,000 small zones and is held to core 0, dnsperf on core 1 loads it as fast as it
//   goes with queries spread over all zones, so that counting is in memory no cache has. The answering thread counts
//   for a thousand batches and then does not, in turns, and its own processor time is recorded at each change: both
//   kinds of turns have the same queries, caches and neighbors. Several starts, as the memory layout differs. Where
//   a thread limits a server, queries a second are the inverse of the processor time of an answer. Beside it, what the
//   main thread takes to read the counters and to make them durable, every ten seconds as by default.
// A good number: below 3% together. An answer takes some microseconds, most of them the kernel's; counting is four
//   additions in two lines of memory.
// Not measured: TCP, where counting is the same and the rest costs more; the turn of an hour.
// Options: --starts 6 --seconds 20 --zones 10000 --names 10

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadServer } from './load/dnsperf.ts'
import { smallZoneName, smallZoneQueries } from './load/small-zones.ts'
import { machineLine } from './report/machine.ts'
import { median } from './report/median.ts'
import { measures, unmetered } from './servers/alternating-responder.ts'
import { answers } from './servers/probe.ts'
import { RunningServer } from './servers/running.ts'

const serverCore = 0
const loadCore = 1
/** The warm-up, in which code is compiled and caches fill, does not count. */
const warmUpSeconds = 5
/** Of `metered-server.ts`. */
const printSeconds = 2

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '20' },
    zones: { type: 'string', default: '10000' },
    names: { type: 'string', default: '10' },
  },
})
const zoneCount = Number(values.zones)
const namesPerZone = Number(values.names)

/** The server's output: processor time and responses of turns with and without counting; then of flushes. */
type Sample = readonly number[]
const flushMicrosAt = 4
const flushCountAt = 5

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const queryFile = join(folder, 'queries.txt')
  writeFileSync(queryFile, smallZoneQueries({ zoneCount, namesPerZone, queryCount: 200_000 }))
  try {
    const samplesByStart: (readonly Sample[])[] = []
    for (let i = 0; i < Number(values.starts); i += 1) samplesByStart.push(await measure(queryFile))
    report(samplesByStart)
    console.log(machineLine())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Loads a server that has just been started. */
async function measure(queryFile: string): Promise<readonly Sample[]> {
  const server = await start()
  try {
    const load = {
      queryFile,
      transport: 'udp',
      core: loadCore,
      clients: 4,
      outstanding: 400,
    } as const
    const seconds = Number(values.seconds)
    await loadServer(server, { ...load, seconds: warmUpSeconds })
    const before = samplesOf(server).length
    await loadServer(server, { ...load, seconds })
    // The first turn began before the load, the last is cut short by its end.
    return samplesOf(server).slice(before + 1, before + seconds / printSeconds)
  } finally {
    await server.stop()
  }
}

async function start(): Promise<RunningServer> {
  const script = join(import.meta.dirname, 'servers', 'metered-server.ts')
  const server = await RunningServer.start({
    name: 'metering',
    core: serverCore,
    recipe: ({ port }) => ({
      command: [process.execPath, script, String(port), values.zones, values.names],
    }),
  })
  await server.untilReady(() => answers(server, `host0.${smallZoneName(zoneCount - 1)} A`))
  return server
}

function samplesOf({ output }: RunningServer): readonly Sample[] {
  return [...output.matchAll(/^measured (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''))
}

function report(samplesByStart: readonly (readonly Sample[])[]): void {
  const all = sum(samplesByStart.flat())
  const ofStarts = samplesByStart.map(samples => (ratioOf(sum(samples)) - 1) * 100)
  const range = [Math.min(...ofStarts), Math.max(...ofStarts)].map(cost => cost.toFixed(1))
  const flushMicros = (all[flushMicrosAt] ?? 0) / (all[flushCountAt] ?? 0)
  console.log(
    `an answer takes ${cpuMicrosOf(all, 0).toFixed(3)} µs metered, ` +
      `${cpuMicrosOf(all, unmetered).toFixed(3)} µs not`,
  )
  console.log(
    `counting costs ${((ratioOf(all) - 1) * 100).toFixed(2)}%, at each start ${range.join(' to ')}%, ` +
      `median ${median(ofStarts).toFixed(1)}%`,
  )
  console.log(
    `a flush of ${zoneCount} zones takes ${(flushMicros / 1000).toFixed(1)} ms of the main thread, ` +
      `${(flushMicros / 1e5).toFixed(2)}% of a core`,
  )
}

function sum(samples: readonly Sample[]): Sample {
  return samples.reduce((total, sample) => sample.map((each, i) => each + (total[i] ?? 0)), [])
}

function ratioOf(sample: Sample): number {
  return cpuMicrosOf(sample, 0) / cpuMicrosOf(sample, unmetered)
}

function cpuMicrosOf(sample: Sample, from: number): number {
  return (sample[from + measures.cpuMicros] ?? 0) / (sample[from + measures.responses] ?? 0)
}

await main()
