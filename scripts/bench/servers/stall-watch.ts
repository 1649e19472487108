// Loaded into a server by `--import`: checks every millisecond how long its main thread was blocked, and on SIGUSR2 prints the
// longest stalls since the last time, and the share of garbage collection in them. It counts the thread's processor
// time, which excludes the turns of other programs; beside it, it prints Node's own histogram of the event loop's
// delays, which includes them, and those of the server's other threads.

import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const tickMs = 1
/** Shorter ones need no explanation. */
const leastStallMs = 5
/** Until the observer of collections has reported the last one. */
const settleMs = 100

type Stretch = { readonly from: number; readonly to: number }
type Stall = Stretch & { readonly cpuMs: number }

let stalls: Stall[] = []
let collections: Stretch[] = []
const delays = monitorEventLoopDelay({ resolution: tickMs })

function cpuMillis(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function watch(): void {
  new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries()) {
      collections.push({ from: startTime, to: startTime + duration })
    }
  }).observe({ entryTypes: ['gc'] })
  delays.enable()
  let last = { at: performance.now(), cpuMs: cpuMillis() }
  const look = () => {
    const now = { at: performance.now(), cpuMs: cpuMillis() }
    // The system counts what is computed in ticks of some milliseconds.
    const cpuMs = Math.min(now.cpuMs - last.cpuMs, now.at - last.at)
    if (cpuMs > leastStallMs) stalls.push({ from: last.at, to: now.at, cpuMs })
    last = now
  }
  setInterval(look, tickMs).unref()
  process.on('SIGUSR2', () => void setTimeout(print, settleMs))
}

function print(): void {
  const [longest] = stalls.sort((left, right) => right.cpuMs - left.cpuMs)
  const told = {
    stallMs: longest?.cpuMs ?? 0,
    // While other programs run, a collection lasts longer than its processor time.
    collectionMs: Math.min(longest?.cpuMs ?? 0, longest === undefined ? 0 : collectedIn(longest)),
    stallsOver20Ms: stalls.filter(({ cpuMs }) => cpuMs > 20).length,
    delayMs: delays.max / 1e6,
  }
  console.log(`stalls ${JSON.stringify(told)}`)
  stalls = []
  collections = []
  delays.reset()
}

function collectedIn({ from, to }: Stretch): number {
  const inside = collections.filter(collection => collection.from < to && collection.to > from)
  return inside.reduce((sum, collection) => sum + collection.to - collection.from, 0)
}

if (isMainThread) watch()
