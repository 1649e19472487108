import type { Measured } from '../load/rounds.ts'
import { median } from './median.ts'
import { formatTable } from './table.ts'

/** Formats medians and, of the processor time, the range; each with the ratio of the named server's to it. A ratio is
 *  the median of those of the single rounds: a machine that is twice as fast for some minutes is so for both. */
export function formatComparison(measured: readonly Measured[], ours: string): string {
  const own = measured.find(({ server }) => server.name === ours)
  const rows = measured.map(it => {
    const cpu = cpuMicrosOf(it)
    return [
      it.server.name,
      Math.round(median(rateOf(it))).toLocaleString('en'),
      ratio(own && rateOf(own), rateOf(it)),
      median(cpu).toFixed(2),
      `${Math.min(...cpu).toFixed(2)} … ${Math.max(...cpu).toFixed(2)}`,
      ratio(own && cpuMicrosOf(own), cpu),
      `${Math.round(median(it.results.map(({ cpuShare }) => cpuShare)) * 100)}%`,
      `${Math.round(it.server.residentOctets() / 1e6)} MB`,
    ]
  })
  return formatTable(headings, rows)
}

function rateOf({ results }: Measured): readonly number[] {
  return results.map(({ answersPerSecond }) => answersPerSecond)
}

function cpuMicrosOf({ results }: Measured): readonly number[] {
  return results.map(({ cpuMicros }) => cpuMicros)
}

function ratio(own: readonly number[] | undefined, other: readonly number[]): string {
  if (own === undefined) return ''
  return median(own.map((figure, round) => figure / (other[round] ?? Number.NaN))).toFixed(2)
}

const headings = [
  'server',
  'answers/s',
  'ours ÷ it',
  'CPU µs/answer',
  'range',
  'ours ÷ it',
  'of its core',
  'resident',
]
