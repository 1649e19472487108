import { useEffect, useState } from 'preact/hooks'
import { readMetrics } from '../api/metrics.ts'
import { quantileOf, type Sample, sumOf, sumsBy } from '../api/samples.ts'

/** How often the server is polled, and how many responses are kept. */
const everyMs = 2_000
const keptPoints = 300
export const shownSeconds = (everyMs * keptPoints) / 1000

/** What distinguishes responses: a metric and one of its labels. */
export const dimensions = {
  rcode: { metric: 'zonewright_dns_responses_total', label: 'rcode' },
  type: { metric: 'zonewright_dns_queries_total', label: 'type' },
  transport: { metric: 'zonewright_dns_responses_total', label: 'transport' },
  thread: { metric: 'zonewright_dns_thread_responses_total', label: 'thread' },
} as const

export type Dimension = keyof typeof dimensions

type Sums = Readonly<Record<Dimension, ReadonlyMap<string, number>>>

/** One reading: the rates per second since the reading before, and current values. */
export type Point = {
  /** Unix seconds. */
  readonly at: number
  readonly rates: Sums
  readonly figures: Figures
}

export type Figures = {
  readonly zones: number
  readonly recordsets: number
  readonly memoryBytes: number
  readonly lagSeconds: number
  /** The time within which 99 of 100 responses were sent; undefined where none was measured. */
  readonly latencySeconds: number | undefined
  readonly threadRestarts: number
}

/** The points so far, and the latest sums, from which the next rates are computed. */
type State = {
  readonly points: readonly Point[]
  readonly sums: Sums | undefined
  readonly latencies: ReadonlyMap<string, number>
}

/** Reads the metrics every two seconds for as long as the page is shown. */
export function usePoints(): {
  readonly points: readonly Point[]
  readonly error: string | undefined
} {
  const [state, setState] = useState<State>({ points: [], sums: undefined, latencies: new Map() })
  const [error, setError] = useState<string>()
  useEffect(() => {
    const abort = new AbortController()
    const look = async () => {
      try {
        const samples = await readMetrics(abort.signal)
        setState(before => next(before, samples, Date.now() / 1000))
        setError(undefined)
      } catch (failure) {
        if (!abort.signal.aborted) setError((failure as Error).message)
      }
    }
    void look()
    const timer = setInterval(look, everyMs)
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [])
  return { points: state.points, error }
}

function next(before: State, samples: readonly Sample[], at: number): State {
  const sums = mapDimensions(dimension => sumsOf(samples, dimension))
  const latencies = sumsBy(samples, 'zonewright_dns_response_duration_seconds_bucket', 'le')
  const last = before.points.at(-1)
  const seconds = last === undefined ? Number.POSITIVE_INFINITY : at - last.at
  const rates = mapDimensions(one => ratesOf(before.sums?.[one], sums[one], seconds))
  const figures = figuresOf(samples, quantileOf(before.latencies, latencies, 0.99))
  return {
    points: [...before.points, { at, rates, figures }].slice(-keptPoints),
    sums,
    latencies,
  }
}

function mapDimensions(of: (dimension: Dimension) => ReadonlyMap<string, number>): Sums {
  const entries = (Object.keys(dimensions) as Dimension[]).map(one => [one, of(one)])
  return Object.fromEntries(entries)
}

function sumsOf(samples: readonly Sample[], dimension: Dimension) {
  const { metric, label } = dimensions[dimension]
  return sumsBy(samples, metric, label)
}

/** Counters restart at 0 when the server is started. */
function ratesOf(
  before: ReadonlyMap<string, number> | undefined,
  after: ReadonlyMap<string, number>,
  seconds: number,
): ReadonlyMap<string, number> {
  return new Map(
    [...after].map(([name, count]) => [
      name,
      Math.max(0, count - (before?.get(name) ?? count)) / seconds,
    ]),
  )
}

function figuresOf(samples: readonly Sample[], latencySeconds: number | undefined): Figures {
  return {
    zones: sumOf(samples, 'zonewright_zones'),
    recordsets: sumOf(samples, 'zonewright_recordsets') || sumOf(samples, 'zonewright_records'),
    memoryBytes: sumOf(samples, 'process_resident_memory_bytes'),
    lagSeconds: sumOf(samples, 'nodejs_eventloop_lag_p99_seconds'),
    latencySeconds,
    threadRestarts: sumOf(samples, 'zonewright_thread_restarts_total'),
  }
}
