import type { ComponentChild } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

type VirtualRowsProps = {
  readonly label: string
  /** The titles of the columns; empty for one that has none to be seen. */
  readonly columns: readonly string[]
  readonly count: number
  /** In pixels, as the style sheet has it. */
  readonly rowHeight: number
  /** The class of the table, by which the style sheet knows the widths of its columns. */
  readonly kind: string
  /** Cells of a row, one for each column. */
  readonly cells: (at: number) => readonly ComponentChild[]
  readonly rowClass?: (at: number) => string | undefined
  /** Called when less than two screens are left. */
  readonly onNearEnd: () => void
}

const screensAhead = 1

/** A table of which only the rows on the screen are in the page, so that a hundred thousand rows scroll like ten. */
export function VirtualRows(props: VirtualRowsProps) {
  const { label, kind, columns, count, rowHeight, cells, rowClass, onNearEnd } = props
  const element = useRef<HTMLElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const look = () => {
    const { scrollTop = 0, clientHeight = 800 } = element.current ?? {}
    setView(now =>
      now.top === scrollTop && now.height === clientHeight
        ? now
        : { top: scrollTop, height: clientHeight },
    )
  }
  useLayoutEffect(look, [])
  useEffect(() => {
    const observer = new ResizeObserver(look)
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(
    0,
    Math.floor(view.top / rowHeight - (screensAhead * view.height) / rowHeight),
  )
  const last = Math.min(count, Math.ceil((view.top + (1 + screensAhead) * view.height) / rowHeight))
  useEffect(() => {
    if ((count - last) * rowHeight < 2 * view.height) onNearEnd()
  }, [count, last, rowHeight, view.height, onNearEnd])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard
    <section class="rows" aria-label={label} ref={element} onScroll={look} tabIndex={0}>
      <table class={kind} aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(column => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={first * rowHeight} />
          {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map(at => (
            <tr key={at} class={rowClass?.(at) ?? ''} aria-rowindex={at + 2}>
              {cells(at).map((cell, column) => (
                <td key={columns[column]}>{cell}</td>
              ))}
            </tr>
          ))}
          <Space height={(count - last) * rowHeight} />
        </tbody>
      </table>
    </section>
  )
}

/** Stands for the rows that are not in the page. */
function Space({ height }: { readonly height: number }) {
  return height > 0 ? <tr class="space" style={{ height: `${height}px` }} /> : null
}
