import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

/** A line of a chart. */
export type Line = {
  readonly label: string
  /** A variable of the style sheet. */
  readonly colour: string
  /** Lengths of strokes and gaps, so that lines differ without their colours. */
  readonly dash?: readonly number[]
  readonly values: readonly (number | null)[]
}

const lineStyles: readonly Pick<Line, 'colour' | 'dash'>[] = [
  { colour: '--good' },
  { colour: '--warn', dash: [8, 3] },
  { colour: '--accent', dash: [2, 3] },
  { colour: '--bad', dash: [10, 3, 2, 3] },
  { colour: '--other', dash: [5, 5] },
  { colour: '--faint', dash: [1, 2] },
]

/** How the lines of a chart look, in turn. */
export function lineStyle(at: number): Pick<Line, 'colour' | 'dash'> {
  return lineStyles[at % lineStyles.length] ?? { colour: '--ink' }
}

type ChartProps = {
  readonly label: string
  /** Unix seconds, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly kind?: 'lines' | 'bars'
  /** How far back it reaches from its latest value; as far as there are values where left out. */
  readonly seconds?: number
}

const height = 260

/** Values over time. What it shows is said in words beside it. */
export function Chart({ label, times, lines, kind = 'lines', seconds }: ChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const names = lines.map(line => line.label).join(' ')
  useEffect(() => {
    const parent = element.current
    if (parent === null) return
    const made = new uPlot(
      optionsFor({ lines, parent, kind, seconds }),
      dataOf(times, lines),
      parent,
    )
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

type Look = Pick<ChartProps, 'lines' | 'kind'> & {
  readonly parent: HTMLElement
  readonly seconds: number | undefined
}

function optionsFor({ lines, parent, kind, seconds }: Look) {
  const style = getComputedStyle(parent)
  const grid = { stroke: style.getPropertyValue('--line'), width: 1 }
  const axis = { stroke: style.color, font: `12px ${style.fontFamily}`, grid }
  const bars = kind === 'bars' && uPlot.paths.bars?.({ size: [0.7, 60] })
  return {
    width: parent.clientWidth,
    height,
    axes: [axis, axis],
    // What the lines are is said beside the chart.
    legend: { show: false },
    cursor: { show: false },
    scales: {
      ...(seconds !== undefined && {
        x: {
          range: (_plot: uPlot, _min: number, max: number) =>
            [max - seconds, max] as [number, number],
        },
      }),
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
        ...(line.dash && { dash: [...line.dash] }),
        points: { show: false },
        ...(bars && { paths: bars, fill: style.getPropertyValue(line.colour) }),
      })),
    ],
  }
}

function dataOf(times: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])]
}
