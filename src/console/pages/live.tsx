import { useState } from 'preact/hooks'
import {
  type Dimension,
  dimensions,
  type Figures,
  type Point,
  shownSeconds,
  usePoints,
} from '../live/points.ts'
import { TopLists } from '../live/top.tsx'
import { isAdmin } from '../session.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { Chart, type Line, lineStyle } from '../ui/chart.tsx'
import { Complaint } from '../ui/field.tsx'
import { formatNumber } from '../ui/numbers.ts'

/** What the whole server is doing, for administrators. */
export function LivePage() {
  if (!isAdmin.value) return <p class="page empty">{texts.live.forbidden}</p>
  return <Live />
}

function Live() {
  const { points, error } = usePoints()
  const latest = points.at(-1)
  return (
    <section class="page scrolls">
      <h1>{texts.live.title}</h1>
      <Complaint text={error} />
      {latest !== undefined && (
        <FigureList figures={latest.figures} rate={totalOf(latest.rates.rcode)} />
      )}
      {latest !== undefined && <Responses points={points} latest={latest} />}
      <TopLists />
    </section>
  )
}

function FigureList({ figures, rate }: { readonly figures: Figures; readonly rate: number }) {
  const { zones, recordsets, memoryBytes, lagSeconds, latencySeconds } = figures
  const shown = [
    [texts.live.total, formatNumber(rate)],
    [texts.live.latency, latencySeconds === undefined ? '–' : milliseconds(latencySeconds)],
    [texts.live.zones, formatNumber(zones)],
    [texts.live.recordsets, formatNumber(recordsets)],
    [texts.live.memory, `${formatNumber(memoryBytes / 1_000_000)} MB`],
    [texts.live.lag, milliseconds(lagSeconds)],
  ]
  return (
    <dl class="figures">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

type ResponsesProps = { readonly points: readonly Point[]; readonly latest: Point }

/** Responses per second over ten minutes, by a selectable dimension. */
function Responses({ points, latest }: ResponsesProps) {
  const [dimension, setDimension] = useState<Dimension>('rcode')
  const names = namesOf(points, dimension)
  const lines: readonly Line[] = names.map((name, at) => ({
    label: name,
    ...lineStyle(at),
    values: points.map(({ rates }) => rates[dimension].get(name) ?? null),
  }))
  return (
    <Card
      title={texts.live.queries}
      beside={
        <fieldset class="choices">
          <legend class="unseen">{texts.live.by}</legend>
          {(Object.keys(dimensions) as Dimension[])
            .filter(one => latest.rates[one].size > 0)
            .map(one => (
              <button
                key={one}
                type="button"
                aria-pressed={one === dimension}
                onClick={() => setDimension(one)}
              >
                {texts.live.dimensions[one]}
              </button>
            ))}
        </fieldset>
      }
    >
      <Chart
        label={texts.live.queries}
        times={points.map(({ at }) => at)}
        lines={lines}
        seconds={shownSeconds}
      />
      <ul class="legend">
        {lines.map(({ label, colour }) => (
          <li key={label}>
            <span class="swatch" style={{ background: `var(${colour})` }} />
            {label} <strong>{formatNumber(latest.rates[dimension].get(label) ?? 0, 1)}</strong>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const usual = ['NOERROR', 'NXDOMAIN', 'A', 'AAAA', 'udp', 'tcp']

/** The values that have occurred, and the usual ones. */
function namesOf(points: readonly Point[], dimension: Dimension): readonly string[] {
  const names = [...(points.at(-1)?.rates[dimension].keys() ?? [])]
  return names.filter(
    name =>
      usual.includes(name) || points.some(({ rates }) => (rates[dimension].get(name) ?? 0) > 0),
  )
}

function totalOf(rates: ReadonlyMap<string, number>): number {
  return [...rates.values()].reduce((sum, rate) => sum + rate, 0)
}

function milliseconds(seconds: number): string {
  return `${formatNumber(seconds * 1000, seconds < 0.01 ? 2 : 1)} ms`
}
