import { Component, type ComponentChild } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useScrollPlace } from './scroll-place.ts'

type VirtualRowsProps = {
  readonly label: string
  /** The titles of the columns; empty for a column without a visible title. */
  readonly columns: readonly string[]
  readonly count: number
  /** The class of the table, by which the style sheet sets the widths of its columns. */
  readonly kind: string
  /** The cells of a row, one for each column. Rows are drawn again when this is another function. */
  readonly cells: (at: number) => readonly ComponentChild[]
  readonly rowClass?: (at: number) => string | undefined
  /** Called when less than two screens are left. */
  readonly onNearEnd: () => void
}

/** The range of rows in the page, and the height of a row. */
type Range = { readonly first: number; readonly last: number; readonly rowHeight: number }

/** The range moves by so many rows at a time, so that most steps of scrolling draw nothing. */
const step = 8

/** A table that has only the rows on the screen, and a screenful before and after them, in the page, so that a hundred
 *  thousand rows scroll like ten. The style sheet defines the height of a row in `--row`. */
export function VirtualRows(props: VirtualRowsProps) {
  const { label, kind, columns, count, cells, rowClass, onNearEnd } = props
  const element = useRef<HTMLElement>(null)
  const [range, setRange] = useState<Range>({ first: 0, last: 6 * step, rowHeight: 40 })
  const look = (rowHeight: number) => {
    const { scrollTop = 0, clientHeight = 800 } = element.current ?? {}
    const next = rangeOf(scrollTop, clientHeight, rowHeight)
    setRange(now => (isSame(now, next) ? now : next))
  }
  const measure = () => {
    if (element.current === null) return
    look(Number.parseFloat(getComputedStyle(element.current).getPropertyValue('--row')))
  }
  useLayoutEffect(measure, [])
  const place = useScrollPlace(element, count)
  const onScroll = () => {
    place.onScroll()
    look(range.rowHeight)
  }
  useEffect(() => {
    const observer = new ResizeObserver(measure)
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  const { first, rowHeight } = range
  const last = Math.min(count, range.last)
  useEffect(() => {
    if (count - last < range.last - first) onNearEnd()
  }, [count, first, last, range.last, onNearEnd])
  return (
    <section
      class="rows"
      aria-label={label}
      ref={element}
      onScroll={onScroll}
      onScrollEnd={place.onScrollEnd}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard
      tabIndex={0}
    >
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
            <Row key={at} at={at} kind={rowClass?.(at) ?? ''} cells={cells} columns={columns} />
          ))}
          <Space height={(count - last) * rowHeight} />
        </tbody>
      </table>
    </section>
  )
}

function rangeOf(top: number, height: number, rowHeight: number): Range {
  const first = Math.max(0, Math.floor((top - height) / rowHeight / step) * step)
  const last = Math.ceil((top + 2 * height) / rowHeight / step) * step
  return { first, last, rowHeight }
}

function isSame(a: Range, b: Range): boolean {
  return a.first === b.first && a.last === b.last && a.rowHeight === b.rowHeight
}

type RowProps = Pick<VirtualRowsProps, 'cells' | 'columns'> & {
  readonly at: number
  readonly kind: string
}

/** Drawn again only if something in it may have changed. */
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { at, kind, cells } = this.props
    return at !== next.at || kind !== next.kind || cells !== next.cells
  }

  override render({ at, kind, cells, columns }: RowProps) {
    return (
      <tr class={kind} aria-rowindex={at + 2}>
        {cells(at).map((cell, column) => (
          <td key={columns[column]}>{cell}</td>
        ))}
      </tr>
    )
  }
}

/** A placeholder for the rows that are not in the page. */
function Space({ height }: { readonly height: number }) {
  return height > 0 ? <tr class="space" style={{ height: `${height}px` }} /> : null
}
