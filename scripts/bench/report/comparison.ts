import type { Measured } from '../load/rounds.ts'
import { median } from './median.ts'
import { formatTable } from './table.ts'

/** Formats medians and, of the processor time, the range; each with the ratio of the named server's to it. */
export function formatComparison(measured: readonly Measured[], ours: string): string {
  const figures = measured.map(({ server, results }) => {
    const cpu = results.map(({ cpuMicros }) => cpuMicros)
    return {
      name: server.name,
      perSecond: median(results.map(({ answersPerSecond }) => answersPerSecond)),
      cpuMicros: median(cpu),
      range: `${Math.min(...cpu).toFixed(2)} … ${Math.max(...cpu).toFixed(2)}`,
      cpuShare: median(results.map(({ cpuShare }) => cpuShare)),
      residentMegabytes: server.residentOctets() / 1e6,
    }
  })
  const own = figures.find(({ name }) => name === ours)
  const ratio = (of: number | undefined, to: number) =>
    of === undefined ? '' : (of / to).toFixed(2)
  const rows = figures.map(({ name, perSecond, cpuMicros, range, cpuShare, residentMegabytes }) => [
    name,
    Math.round(perSecond).toLocaleString('en'),
    ratio(own?.perSecond, perSecond),
    cpuMicros.toFixed(2),
    range,
    ratio(own?.cpuMicros, cpuMicros),
    `${Math.round(cpuShare * 100)}%`,
    `${Math.round(residentMegabytes)} MB`,
  ])
  return formatTable(headings, rows)
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
