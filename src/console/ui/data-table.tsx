import type { ComponentChild } from 'preact'
import { texts } from '../texts.ts'

/** A column: its title and the cell of a row. */
export type Column<T> = {
  readonly title: string
  readonly isNumber?: boolean
  readonly cell: (row: T) => ComponentChild
}

/** A button in a row. */
export type RowAction = {
  readonly text: string
  /** What it does, with the name of the row, for screen readers. */
  readonly label?: string
  readonly isDangerous?: boolean
  readonly run: () => void
}

type DataTableProps<T> = {
  readonly label: string
  /** Undefined until they are read: nothing is shown. */
  readonly rows: readonly T[] | undefined
  /** Shown instead of a table without rows. */
  readonly empty?: ComponentChild
  readonly keyOf: (row: T) => string | number
  readonly columns: readonly Column<T>[]
  /** The actions on a row; false for one that the user may not take. */
  readonly actions?: (row: T) => readonly (RowAction | false)[]
}

/** A table of few rows. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, rows, empty, keyOf, columns, actions } = props
  if (rows === undefined) return null
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>
  return (
    <div class="data">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : ''}>
                {title}
              </th>
            ))}
            {actions && (
              <th scope="col">
                <span class="unseen">{texts.common.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, isNumber, cell }) => (
                <td key={title} data-label={title} class={isNumber ? 'number' : ''}>
                  {cell(row)}
                </td>
              ))}
              {actions && (
                <td class="row-actions">
                  {actions(row).map(
                    action => action && <ActionButton key={action.text} {...action} />,
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ActionButton({ text, label, isDangerous, run }: RowAction) {
  return (
    <button
      type="button"
      class={isDangerous ? 'quiet danger' : 'quiet'}
      aria-label={label}
      onClick={run}
    >
      {text}
    </button>
  )
}
