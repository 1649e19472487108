import { useEffect, useRef } from 'preact/hooks'
import type { Zone } from '../../api/zones.ts'
import type { ChangingEdit, Draft } from '../../records/edits.ts'
import { fieldsOf, joinValue, relativeName, splitValue } from '../../records/fields.ts'
import { texts } from '../../texts.ts'
import { Complaint } from '../../ui/field.tsx'
import { useChecks } from './checks.ts'

/** What can be edited in the row of a record set. */
export type CellColumn = 'ttl' | 'values'

/** A cell that is being edited: a list of fields for each value. */
export type OpenCell = {
  readonly key: string
  readonly column: CellColumn
  readonly typed: readonly (readonly string[])[]
}

/** Where the focus goes when a cell is closed. */
export type NextCell = 'here' | 'before' | 'behind' | 'elsewhere'

type CellEditorProps = {
  readonly zone: Zone
  readonly edit: ChangingEdit
  readonly cell: OpenCell
  readonly onType: (cell: OpenCell) => void
  readonly onDone: (edit: ChangingEdit, next: NextCell) => void
  readonly onLeave: () => void
}

export function openCell({ key, draft }: ChangingEdit, column: CellColumn): OpenCell {
  const { type, ttl, records } = draft
  const typed =
    column === 'ttl'
      ? [[ttl === null ? '' : String(ttl)]]
      : records.map(record => splitValue(type, record))
  return { key, column, typed }
}

/** The fields of a cell in its row. Enter keeps the input, Shift+Enter adds a value, Escape discards the input, and Tab
 *  moves to the next cell; leaving the cell otherwise keeps the input, too. */
export function CellEditor({ zone, edit, cell, onType, onDone, onLeave }: CellEditorProps) {
  const element = useRef<HTMLDivElement>(null)
  const isDone = useRef(false)
  const draft = draftOf(cell, edit.draft, zone)
  const problems = useChecks(zone, { ...edit, draft })
  const { type } = edit.draft
  const name = `${relativeName(edit.draft.name, zone.name)} ${type}`
  const count = cell.typed.length
  useEffect(() => {
    const inputs = element.current?.querySelectorAll('input')
    // A value that was added is below the others.
    const input = inputs?.[(count - 1) * (inputs.length / count)] ?? inputs?.[0]
    input?.focus()
    input?.select()
  }, [count])
  const finish = (next: NextCell) => {
    isDone.current = true
    onDone({ ...edit, draft }, next)
    return true
  }
  const keys: Readonly<Record<string, () => boolean>> = {
    Enter: () => {
      if (problems.length === 0) finish('here')
      return true
    },
    'Shift Enter': () => {
      if (cell.column === 'values') {
        onType({ ...cell, typed: [...cell.typed, splitValue(type, '')] })
      }
      return true
    },
    Escape: () => {
      isDone.current = true
      onLeave()
      return true
    },
    Tab: () => atEdge(-1) && finish('behind'),
    'Shift Tab': () => atEdge(0) && finish('before'),
  }
  const atEdge = (at: number) =>
    [...(element.current?.querySelectorAll('input') ?? [])].at(at) === document.activeElement
  const onKeyDown = (event: KeyboardEvent) => {
    const key = event.shiftKey ? `Shift ${event.key}` : event.key
    if (!event.isComposing && keys[key]?.()) event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid over a row
    <div
      class="cell-editor"
      role="group"
      ref={element}
      aria-label={cell.column === 'ttl' ? texts.records.ttlOf(name) : texts.records.valuesOf(name)}
      onKeyDown={onKeyDown}
      onFocusOut={({ relatedTarget }) => {
        const isInside = element.current?.contains(relatedTarget as Node | null)
        if (!isDone.current && !isInside && document.hasFocus()) finish('elsewhere')
      }}
    >
      {cell.typed.map((fields, row) => (
        <div key={row} class="cell-fields">
          {fields.map((field, at) => (
            <CellInput
              key={at}
              {...inputOf(cell, type, at, row)}
              value={field}
              isWrong={problems.some(({ record }) => record === undefined || record === row)}
              onInput={value =>
                onType({ ...cell, typed: cell.typed.with(row, fields.with(at, value)) })
              }
            />
          ))}
        </div>
      ))}
      {problems.map(({ message }) => (
        <Complaint key={message} text={message} />
      ))}
      {cell.column === 'values' && <p class="cell-hint">{texts.records.keys}</p>}
    </div>
  )
}

type CellInputProps = {
  readonly label: string
  readonly isNumber: boolean
  readonly value: string
  readonly isWrong: boolean
  readonly onInput: (value: string) => void
}

function CellInput({ label, isNumber, value, isWrong, onInput }: CellInputProps) {
  return (
    <input
      aria-label={label}
      aria-invalid={isWrong}
      class={isNumber ? 'short' : ''}
      inputMode={isNumber ? 'numeric' : 'text'}
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={event => onInput(event.currentTarget.value)}
    />
  )
}

function inputOf({ column, typed }: OpenCell, type: string, at: number, row: number) {
  if (column === 'ttl') return { label: texts.records.ttl, isNumber: true }
  const { label = texts.records.values, isNumber = false } = fieldsOf(type)[at] ?? {}
  return { label: typed.length > 1 ? `${label} ${row + 1}` : label, isNumber }
}

/** Leaves out empty values, but keeps at least one value. */
function draftOf({ column, typed }: OpenCell, draft: Draft, zone: Zone): Draft {
  if (column === 'ttl') {
    const digits = typed[0]?.[0]?.replaceAll(/\D/g, '') ?? ''
    return { ...draft, ttl: digits === '' ? null : Number(digits) }
  }
  const records = typed.map(fields => joinValue(draft.type, fields, zone.name))
  const filled = records.filter(record => record !== '')
  return { ...draft, records: filled.length > 0 ? filled : records.slice(0, 1) }
}
