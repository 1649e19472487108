import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { locale } from '../texts.ts'
import { formatNumber } from './numbers.ts'

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

/** The styles of the lines of a chart, in order. */
export function lineStyle(at: number): Pick<Line, 'colour' | 'dash'> {
  return lineStyles[at % lineStyles.length] ?? { colour: '--ink' }
}

type ChartProps = {
  readonly label: string
  /** Unix seconds, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly kind?: 'lines' | 'bars'
  /** Values arrive over time: the chart reaches back at most so far, and moves along. */
  readonly seconds?: number
}

const height = 260

/** Values over time. A text beside the chart says what it shows. */
export function Chart({ label, times, lines, kind = 'lines', seconds }: ChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const names = lines.map(line => line.label).join(' ')
  const isDark = useDark()
  useEffect(() => {
    const parent = element.current
    if (parent === null) return
    const made = new uPlot(optionsFor({ lines, parent, kind }), dataOf(times, lines), parent)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: parent.clientWidth, height }))
    observer.observe(parent)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [names, kind, isDark])
  useEffect(() => {
    plot.current?.setData(dataOf(times, lines), seconds === undefined)
  }, [times, lines])
  const first = times[0]
  useEffect(() => {
    if (seconds === undefined || first === undefined) return
    return moved(plot, { first, seconds })
  }, [seconds, first, names, kind, isDark])
  return <div class="chart" ref={element} role="img" aria-label={label} />
}

/** Whether the colours are the dark ones; a chart reads its colours when it is created. */
function useDark(): boolean {
  const query = matchMedia('(prefers-color-scheme: dark)')
  const [isDark, setDark] = useState(query.matches)
  useEffect(() => {
    const look = () => setDark(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return isDark
}

/** The approximate age of the latest reading when the next one arrives: the chart ends there, so that nothing jumps. */
const delaySeconds = 2
const leastSeconds = 60

type Window = {
  /** The time of the first value. */
  readonly first: number
  readonly seconds: number
}

/** Moves a chart along with the time, half a pixel at a time; returns the function that ends that. */
function moved(plot: { readonly current: uPlot | null }, { first, seconds }: Window): () => void {
  let frame = 0
  let shownEnd = 0
  const step = () => {
    frame = requestAnimationFrame(step)
    const { current } = plot
    const end = Date.now() / 1000 - delaySeconds
    const length = Math.min(seconds, Math.max(leastSeconds, end - first))
    if (current === null || end - shownEnd < length / Math.max(1, current.width) / 2) return
    shownEnd = end
    current.setScale('x', { min: end - length, max: end })
  }
  step()
  return () => cancelAnimationFrame(frame)
}

const daySeconds = 86_400
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const minute = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const second = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })

/** The labels of the time axis: days, or times of day in minutes or seconds. */
function timeTexts(kind: 'lines' | 'bars') {
  return (_plot: uPlot, times: readonly number[]) => {
    const isShort = (times[1] ?? 0) - (times[0] ?? 0) < 60
    const format = kind === 'bars' ? day : isShort ? second : minute
    return times.map(time => format.format(time * 1000))
  }
}

type Look = Pick<ChartProps, 'lines'> & {
  readonly kind: 'lines' | 'bars'
  readonly parent: HTMLElement
}

function optionsFor({ lines, parent, kind }: Look) {
  const style = getComputedStyle(parent)
  const grid = { stroke: style.getPropertyValue('--line'), width: 1 }
  const ticks = { show: false }
  const stroke = style.getPropertyValue('--faint')
  const axis = { stroke, font: `12px ${style.fontFamily}`, grid, ticks }
  const bars = kind === 'bars' && uPlot.paths.bars?.({ size: [0.7, 60] })
  return {
    width: parent.clientWidth,
    height,
    // Days are those of UTC.
    ...(bars && { tzDate: (time: number) => uPlot.tzDate(new Date(time * 1000), 'Etc/UTC') }),
    axes: [
      {
        ...axis,
        ...(bars && { incrs: [1, 2, 7].map(days => days * daySeconds) }),
        grid: { show: false },
        space: 90,
        size: 32,
        values: timeTexts(kind),
      },
      {
        ...axis,
        values: (_plot: uPlot, all: readonly number[]) => all.map(one => formatNumber(one, 2)),
      },
    ],
    // The legend is beside the chart.
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // The first and the last bar have their full width, and a single one has days beside it.
      ...(bars && {
        x: {
          range: (_plot: uPlot, first: number, last: number): [number, number] => {
            const side = Math.max(daySeconds, 8 * daySeconds - (last - first)) / 2
            return [first - side, last + side]
          },
        },
      }),
      // Of all values, including those that are about to become visible.
      y: { range: ({ data }: uPlot) => [0, Math.max(1, 1.1 * largest(data))] as [number, number] },
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

function largest([, ...lines]: uPlot.AlignedData): number {
  let most = 0
  for (const line of lines) for (const value of line) most = Math.max(most, value ?? 0)
  return most
}
