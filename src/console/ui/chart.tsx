import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

/** A line of a chart. */
export type Line = {
  readonly label: string
  readonly colour: string
  readonly values: readonly (number | null)[]
}

type ChartProps = {
  readonly label: string
  /** Unix seconds, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly kind?: 'lines' | 'bars'
}

const height = 260

/** Values over time. What it shows is said in words beside it. */
export function Chart({ label, times, lines, kind = 'lines' }: ChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const names = lines.map(line => line.label).join(' ')
  useEffect(() => {
    const parent = element.current
    if (parent === null) return
    const made = new uPlot(optionsFor(lines, parent, kind), dataOf(times, lines), parent)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height }))
    observer.observe(parent)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [names, kind])
  useEffect(() => {
    plot.current?.setData(dataOf(times, lines))
  }, [times, lines])
  return <div class="chart" ref={element} role="img" aria-label={label} />
}

function optionsFor(lines: readonly Line[], parent: HTMLElement, kind: ChartProps['kind']) {
  const style = getComputedStyle(parent)
  const axis = { stroke: style.color, grid: { stroke: style.getPropertyValue('--line'), width: 1 } }
  const bars = kind === 'bars' && uPlot.paths.bars?.({ size: [0.7, 60] })
  return {
    width: parent.clientWidth,
    height,
    axes: [axis, axis],
    scales: {
      y: {
        range: (_plot: uPlot, _min: number, max: number) =>
          [0, Math.max(1, max)] as [number, number],
      },
    },
    series: [
      {},
      ...lines.map(line => ({
        label: line.label,
        stroke: style.getPropertyValue(line.colour),
        width: 2,
        points: { show: false },
        ...(bars && { paths: bars, fill: style.getPropertyValue(line.colour) }),
      })),
    ],
  }
}

function dataOf(times: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])]
}
