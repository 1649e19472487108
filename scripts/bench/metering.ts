// Question: what does metering cost of the queries a second that one answering thread takes over UDP?
// Method: a server of our own has 10,000 small zones and is held to core 0, dnsperf on core 1 loads it as fast as it
//   goes with queries spread over all zones, so that counting is in memory no cache has. The answering thread counts
//   for a thousand batches and then does not, in turns, and its own processor time is noted at each change: both
//   kinds of turns have the same queries, caches and neighbors. Where a thread is what limits a server, queries a
//   second are the inverse of the processor time of an answer. Beside it, what the main thread takes to read the
//   counters and to make them durable, every ten seconds as by default.
// A good number: below 3% together. An answer takes some microseconds, most of them the kernel's; counting is four
//   additions in two lines of memory.
// Not measured: TCP, where counting is the same and the rest costs more; the turn of an hour.
// Options: --seconds 60 --zones 10000 --names 10

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
/** While code is compiled and caches fill, nothing counts. */
const warmUpSeconds = 5
/** Of `metered-server.ts`. */
const printSeconds = 2

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    zones: { type: 'string', default: '10000' },
    names: { type: 'string', default: '10' },
  },
})
const zoneCount = Number(values.zones)
const namesPerZone = Number(values.names)

/** What the server has printed: of turns with and without counting, processor time and responses; then of flushes. */
type Sample = readonly number[]
const flushMicrosAt = 4
const flushCountAt = 5

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const queryFile = join(folder, 'queries.txt')
  writeFileSync(queryFile, smallZoneQueries({ zoneCount, namesPerZone, queryCount: 200_000 }))
  const server = await start()
  try {
    const load = { queryFile, transport: 'udp', core: loadCore, clients: 4 } as const
    const seconds = Number(values.seconds)
    await loadServer(server, { ...load, outstanding: 400, seconds: warmUpSeconds })
    const before = samplesOf(server).length
    const result = await loadServer(server, { ...load, outstanding: 400, seconds })
    // The last is cut off by the end of the load.
    const samples = samplesOf(server).slice(before + 1, before + seconds / printSeconds)
    console.log(`${Math.round(result.answersPerSecond).toLocaleString('en')} answers a second`)
    report(samples)
    console.log(machineLine())
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
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

function report(samples: readonly Sample[]): void {
  const total = (at: number): number => samples.reduce((sum, sample) => sum + (sample[at] ?? 0), 0)
  const metered = total(measures.cpuMicros) / total(measures.responses)
  const without = total(unmetered + measures.cpuMicros) / total(unmetered + measures.responses)
  const ofSamples = samples.flatMap(sample => costOf(sample) ?? []).toSorted((a, b) => a - b)
  const quarter = Math.floor(ofSamples.length / 4)
  const range = [ofSamples[quarter], ofSamples.at(-1 - quarter)].map(cost => cost?.toFixed(1))
  const flushMicros = total(flushMicrosAt) / total(flushCountAt)
  const share = flushMicros / 10e6
  console.log(`an answer takes ${metered.toFixed(3)} µs metered, ${without.toFixed(3)} µs not`)
  console.log(
    `counting costs ${percent(metered / without)}; of two seconds each the median is ` +
      `${median(ofSamples).toFixed(1)}%, half are within ${range.join(' … ')}%`,
  )
  console.log(
    `a flush of ${zoneCount} zones takes ${(flushMicros / 1000).toFixed(1)} ms of the main thread, ` +
      `${(share * 100).toFixed(2)}% of a core`,
  )
}

function costOf(sample: Sample): number | undefined {
  const [cpu = 0, responses = 0, otherCpu = 0, otherResponses = 0] = sample
  if (responses === 0 || otherResponses === 0) return undefined
  return (cpu / responses / (otherCpu / otherResponses) - 1) * 100
}

function percent(ratio: number): string {
  return `${((ratio - 1) * 100).toFixed(2)}%`
}

await main()
