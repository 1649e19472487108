import { useEffect, useState } from 'preact/hooks'
import { readMetrics } from '../api/metrics.ts'
import { type Sample, sumOf } from '../api/samples.ts'
import { isAdmin } from '../session.ts'
import { texts } from '../texts.ts'
import { Chart } from '../ui/chart.tsx'
import { Complaint } from '../ui/field.tsx'

const everyMs = 2_000
const keptPoints = 300

const lines = [
  { label: 'NOERROR', colour: '--good' },
  { label: 'NXDOMAIN', colour: '--warn' },
  { label: 'REFUSED', colour: '--accent' },
  { label: 'SERVFAIL', colour: '--bad' },
] as const

/** What was measured at a moment, with the responses a second since the moment before. */
type Point = {
  readonly at: number
  readonly samples: readonly Sample[]
  readonly rates: readonly number[]
}

/** What the whole server is doing, for administrators. */
export function LivePage() {
  const { points, error } = usePoints()
  if (!isAdmin.value) return <p class="empty">{texts.live.forbidden}</p>
  const latest = points.at(-1)
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.live.title}</h1>
      </div>
      <Complaint text={error} />
      {latest !== undefined && <Figures {...latest} />}
      <h2>{texts.live.queries}</h2>
      <Chart
        label={texts.live.queries}
        times={points.map(({ at }) => at)}
        lines={lines.map((line, at) => ({
          ...line,
          values: points.map(({ rates }) => rates[at] ?? null),
        }))}
      />
    </section>
  )
}

function Figures({ samples, rates }: Point) {
  const figures = [
    [texts.live.total, rates.reduce((sum, rate) => sum + rate, 0).toFixed(0)],
    [texts.live.zones, sumOf(samples, 'zonewright_zones').toLocaleString()],
    [texts.live.recordsets, sumOf(samples, 'zonewright_records').toLocaleString()],
    [texts.live.memory, `${megabytes(sumOf(samples, 'process_resident_memory_bytes'))} MB`],
    [
      texts.live.lag,
      `${(sumOf(samples, 'nodejs_eventloop_lag_p99_seconds') * 1000).toFixed(1)} ms`,
    ],
  ]
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function usePoints() {
  const [points, setPoints] = useState<readonly Point[]>([])
  const [error, setError] = useState<string>()
  useEffect(() => {
    if (!isAdmin.value) return
    const abort = new AbortController()
    const look = async () => {
      try {
        const samples = await readMetrics(abort.signal)
        setPoints(before => [...before, pointOf(samples, before.at(-1))].slice(-keptPoints))
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
  return { points, error }
}

function pointOf(samples: readonly Sample[], before: Point | undefined): Point {
  const at = Date.now() / 1000
  const rates = lines.map(({ label }) => {
    if (before === undefined) return 0
    const change = responses(samples, label) - responses(before.samples, label)
    return Math.max(0, change) / (at - before.at)
  })
  return { at, samples, rates }
}

function responses(samples: readonly Sample[], rcode: string): number {
  return sumOf(samples, 'zonewright_dns_responses_total', { rcode })
}

function megabytes(octets: number): string {
  return (octets / 1_000_000).toFixed(0)
}
