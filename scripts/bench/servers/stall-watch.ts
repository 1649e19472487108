// Loaded into a server by `--import`: checks every millisecond how long its main thread was blocked, and on SIGUSR2 prints the
// longest stalls since the last time, and the share of garbage collection in them. It counts the thread's processor
// time, which excludes the turns of other programs; beside it, it prints Node's own histogram of the event loop's
// delays, which includes them, and those of the server's other threads.

import { once } from 'node:events'
import { type NodeTracing, Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const tickMs = 1
/** Shorter ones need no explanation. */
const leastStallMs = 5

type Stretch = { readonly from: number; readonly to: number }
type Stall = Stretch & { readonly cpuMs: number }

/** What V8 traces, in microseconds. */
type TraceEvent = {
  readonly name: string
  readonly tid: number
  readonly ts: number
  readonly dur?: number
}

let last = { at: 0, cpuMs: 0 }
let stalls: Stall[] = []
let collections: Stretch[] = []
const delays = monitorEventLoopDelay({ resolution: tickMs })
const session = new Session()
/** The clock of the trace when `performance.now()` was 0. */
const startedAtMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

async function watch(): Promise<void> {
  session.connect()
  session.on('NodeTracing.dataCollected', ({ params }) => {
    collections = collections.concat(collectionsOf(params))
  })
  delays.enable()
  await begin()
  setInterval(look, tickMs).unref()
  process.on('SIGUSR2', () => void end().then(begin))
}

/** An observer of performance entries would be told of collections, but not of the steps of marking between them. */
async function begin(): Promise<void> {
  collections = []
  await session.post('NodeTracing.start', { traceConfig: { includedCategories: ['v8'] } })
  // To start a trace takes long itself.
  last = read()
  delays.reset()
}

function read() {
  const { user, system } = process.threadCpuUsage()
  return { at: performance.now(), cpuMs: (user + system) / 1000 }
}

function look(): void {
  const now = read()
  // The system counts what is computed in ticks of some milliseconds.
  const cpuMs = Math.min(now.cpuMs - last.cpuMs, now.at - last.at)
  if (cpuMs > leastStallMs) stalls.push({ from: last.at, to: now.at, cpuMs })
  last = now
}

async function end(): Promise<void> {
  const seen = stalls
  // Those of the trace's end are not the server's.
  stalls = []
  const delayMs = delays.max / 1e6
  const complete = once(session, 'NodeTracing.tracingComplete')
  await session.post('NodeTracing.stop')
  await complete
  const [longest] = seen.sort((left, right) => right.cpuMs - left.cpuMs)
  const told = {
    stallMs: longest?.cpuMs ?? 0,
    // While other programs run, a collection lasts longer than its processor time.
    collectionMs: Math.min(longest?.cpuMs ?? 0, longest === undefined ? 0 : collectedIn(longest)),
    stallsOver20Ms: seen.filter(({ cpuMs }) => cpuMs > 20).length,
    delayMs,
  }
  console.log(`stalls ${JSON.stringify(told)}`)
}

/** Those of this thread. */
function collectionsOf({ value }: NodeTracing.DataCollectedEventDataType): Stretch[] {
  const events = value as readonly TraceEvent[]
  return events
    .filter(({ name, tid }) => name.startsWith('V8.GC') && tid === process.pid)
    .map(({ ts, dur = 0 }) => {
      const from = ts / 1000 - startedAtMs
      return { from, to: from + dur / 1000 }
    })
}

function collectedIn({ from, to }: Stretch): number {
  const inside = collections.filter(collection => collection.from < to && collection.to > from)
  return inside.reduce((sum, collection) => sum + collection.to - collection.from, 0)
}

if (isMainThread) await watch()
