// Question: how long does a large body of frames block other requests?
// Method: bodies as large as one request may be, read, checked and stored as the API does it, six times each into
//   one store; the longest delay of the event loop in each stage, by Node's own monitor. The first round is cold.
//   "alike" are 1,000 series, "distinct" has a series for each point, the worst there is for sorting and memory.
// A good number: below 50 ms, since a resolver waits for seconds but a person notices 100 ms, and other requests,
//   events and jobs share the loop. Queries are answered in threads of their own.
// Not measured: HTTP, which hands the body over in small pieces; a disk that is slower than this one's.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { pointsFromBody } from '../../src/rating/dataframe.ts'
import { exactJson } from '../../src/rating/exact-json.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { inSlices } from '../../src/time-slice.ts'
import { machineLine } from './report/machine.ts'

const frameCount = 10_000
const rounds = 6

type Shape = {
  readonly title: string
  readonly points: number
  readonly seriesOf: (i: number) => number
}

const shapes: readonly Shape[] = [
  { title: '30,000 points, alike', points: 3, seriesOf: i => i % 1000 },
  { title: '30,000 points, distinct', points: 3, seriesOf: i => i },
]

async function main(): Promise<void> {
  for (const shape of shapes) await measure(shape)
  console.log(machineLine())
}

async function measure({ title, points, seriesOf }: Shape): Promise<void> {
  const text = bodyOf(points, seriesOf)
  console.log(`${title}, ${(text.length / 1e6).toFixed(1)} MB`)
  const folder = await mkdtemp(join(tmpdir(), 'zonewright-frames-'))
  const store = await PointStore.open(folder)
  try {
    for (let round = 1; round <= rounds; round++) {
      const stages = new Stages()
      const body = await stages.run('read', () => inSlices(exactJson(text)))
      const read = await stages.run('checked', () => inSlices(pointsFromBody(body)))
      await stages.run('stored', () => store.write({ origin: 'pushed', points: read }))
      console.log(`  ${stages}`)
    }
  } finally {
    await store.close()
    await rm(folder, { recursive: true })
  }
}

function bodyOf(pointsOfFrame: number, seriesOf: (i: number) => number): string {
  const entry = (i: number) => ({
    vol: { unit: 'Mquery', qty: i / 1000 },
    rating: { price: i / 8 },
    groupby: { project_id: `project-${i % 100}`, id: `zone-${seriesOf(i)}` },
    metadata: { rcode: 'NOERROR', zone_name: 'a.example.' },
  })
  const dataframes = Array.from({ length: frameCount }, (_, frame) => ({
    period: { begin: '20261101T000000Z', end: '20261101T010000Z' },
    usage: {
      'dns.queries': Array.from({ length: pointsOfFrame }, (_, i) =>
        entry(frame * pointsOfFrame + i),
      ),
    },
  }))
  return JSON.stringify({ dataframes })
}

/** Runs stages and records how long each took, and the longest time in which nothing else had a turn. */
class Stages {
  readonly #lines: string[] = []

  async run<T>(title: string, work: () => Promise<T>): Promise<T> {
    const monitor = monitorEventLoopDelay({ resolution: 1 })
    monitor.enable()
    await delay(5)
    monitor.reset()
    const startedAt = performance.now()
    const outcome = await work()
    const ms = (performance.now() - startedAt).toFixed(0)
    await delay(5)
    this.#lines.push(`${title} in ${ms} ms, longest ${(monitor.max / 1e6).toFixed(0)} ms`)
    monitor.disable()
    return outcome
  }

  toString(): string {
    return this.#lines.join('; ')
  }
}

await main()
