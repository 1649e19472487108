import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Zone } from '../../api/zones.ts'
import type { ChangingEdit, Edit } from '../../records/edits.ts'
import { relativeName } from '../../records/fields.ts'
import type { Recordset } from '../../records/recordset.ts'
import { texts } from '../../texts.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Paged } from '../../ui/paged.ts'
import { Status } from '../../ui/status.tsx'
import { VirtualRows } from '../../ui/virtual-rows.tsx'
import {
  type CellColumn,
  CellEditor,
  type NextCell,
  type OpenCell,
  openCell,
} from './cell-editor.tsx'

type RecordTableProps = {
  readonly zone: Zone
  readonly list: Paged<Recordset>
  readonly edits: readonly Edit[]
  readonly isWritable: boolean
  readonly selected: ReadonlySet<string>
  readonly onSelect: (ids: ReadonlySet<string>) => void
  /** Opens an edit in the form. */
  readonly onEdit: (edit: Edit) => void
  /** Accepts an edit that was made in the row. */
  readonly onPut: (edit: Edit) => void
  readonly onKeep: (key: string) => void
}

const columns = [
  '',
  texts.records.name,
  texts.records.type,
  texts.records.ttl,
  texts.records.values,
  ' ',
]

/** A row: the record set as it is stored, as it is to be, or both. */
type Row = {
  readonly before: Recordset | undefined
  readonly edit: Edit | undefined
  /** Undefined where the record set cannot be edited in its row. */
  readonly open: ChangingEdit | undefined
}

/** Record sets, those to be created first. TTL and values are edited in the row. */
export function RecordTable(props: RecordTableProps) {
  const { zone, list, edits, isWritable, selected, onSelect, onEdit, onPut, onKeep } = props
  const rowAt = useRows(props)
  const count = edits.filter(({ kind }) => kind === 'create').length + list.items.length
  const open = useOpenCell({ rowAt, count, onPut })
  const toggle = (id: string) => {
    const ids = new Set(selected)
    if (!ids.delete(id)) ids.add(id)
    onSelect(ids)
  }
  const cells = (at: number) => {
    const row = rowAt(at)
    const { before, edit } = row
    const shown = edit !== undefined && edit.kind !== 'delete' ? edit.draft : before
    if (shown === undefined) return []
    const name = relativeName(shown.name, zone.name)
    const label = `${name} ${shown.type}`
    const cellOf = (column: CellColumn, text: string) => (
      <Cell {...{ row, column, text, label, zone, onPut, cells: open }} at={at} />
    )
    const isSelectable = before !== undefined && edit?.kind !== 'create' && isWritable
    return [
      isSelectable && !isKept(before, zone) ? (
        <input
          key="select"
          type="checkbox"
          aria-label={texts.records.select(name, shown.type)}
          checked={selected.has(before.id)}
          onChange={() => toggle(before.id)}
        />
      ) : null,
      <span key="name" class="record-name" title={shown.name}>
        {name}
      </span>,
      <span key="type" class="type">
        {shown.type}
      </span>,
      cellOf('ttl', String(shown.ttl ?? zone.ttl ?? texts.records.ttlHint)),
      <div key="values" class="values">
        {before?.status === 'ERROR' && <Status {...before} />}
        {cellOf('values', shown.records.join(', '))}
      </div>,
      isWritable && <RowAction key="action" {...{ row, onEdit, onKeep }} />,
    ]
  }
  const drawn = useCallback(cells, [rowAt, open.cell, selected, isWritable, zone])
  if (count === 0 && list.isEmpty) return <p class="empty">{texts.records.empty}</p>
  return (
    <VirtualRows
      label={texts.zone.records}
      columns={columns}
      count={count}
      kind="records"
      cells={drawn}
      rowClass={at => rowAt(at).edit?.kind}
      onNearEnd={list.more}
    />
  )
}

type CellProps = Pick<RecordTableProps, 'zone' | 'onPut'> & {
  readonly at: number
  readonly row: Row
  readonly column: CellColumn
  readonly text: string
  /** Of the record set, for screen readers. */
  readonly label: string
  readonly cells: ReturnType<typeof useOpenCell>
}

/** A text that turns into fields when it is edited. */
function Cell({ at, row, column, text, label, zone, cells, onPut }: CellProps) {
  const { before, open } = row
  const { cell, setCell, done, focus } = cells
  if (open === undefined) return <span class={column}>{text}</span>
  if (cell?.key === open.key && cell.column === column) {
    return (
      <CellEditor
        {...{ zone, cell }}
        edit={open}
        onType={setCell}
        onDone={(next, where) => done(at, next, where)}
        onLeave={() => focus(open.key, column)}
      />
    )
  }
  const title = column === 'ttl' ? texts.records.ttlOf(label) : texts.records.valuesOf(label)
  return (
    <button
      type="button"
      class={`cell ${column}`}
      data-cell={`${open.key} ${column}`}
      aria-label={`${title}: ${text}`}
      title={[before?.status_reason, ...open.draft.records].filter(Boolean).join('\n')}
      onClick={() => setCell(openCell(open, column))}
      onKeyDown={event => onCellKey(event, open, column, onPut)}
    >
      {text}
    </button>
  )
}

function useRows({ zone, list, edits, isWritable }: RecordTableProps): (at: number) => Row {
  return useMemo(() => {
    const created = edits.filter(edit => edit.kind === 'create')
    const editOf = new Map(edits.map(edit => [edit.key, edit]))
    return (at: number): Row => {
      const edit = created[at]
      if (edit !== undefined) return { before: undefined, edit, open: edit }
      const before = list.items[at - created.length]
      if (before === undefined) return { before, edit: undefined, open: undefined }
      const ownEdit = editOf.get(before.id)
      const open = ownEdit ?? replacementOf(before)
      const mayEdit = isWritable && !isKept(before, zone) && open.kind !== 'delete'
      return { before, edit: ownEdit, open: mayEdit ? open : undefined }
    }
  }, [edits, list.items, isWritable, zone])
}

type OpenCellOptions = Pick<RecordTableProps, 'onPut'> & {
  readonly rowAt: (at: number) => Row
  readonly count: number
}

/** The open cell, and moving from one to the next. */
function useOpenCell({ rowAt, count, onPut }: OpenCellOptions) {
  const [cell, setCell] = useState<OpenCell>()
  const wanted = useRef<string | undefined>(undefined)
  // Not a passive effect: one of the previous render may still be pending, and would look for a cell that does not exist yet.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const found = document.querySelector<HTMLElement>(`[data-cell="${wanted.current}"]`)
    if (found === null) return
    wanted.current = undefined
    found.focus()
  })
  const focus = (key: string, column: CellColumn) => {
    wanted.current = `${key} ${column}`
    setCell(undefined)
  }
  const done = (at: number, edit: ChangingEdit, where: NextCell) => {
    const column = cell?.column ?? 'values'
    onPut(edit)
    if (where === 'here') return focus(edit.key, column)
    if (where === 'elsewhere')
      return setCell(now => (now?.key === edit.key && now.column === column ? undefined : now))
    const step = where === 'behind' ? 1 : -1
    const [first, second] = step > 0 ? (['ttl', 'values'] as const) : (['values', 'ttl'] as const)
    if (column === first) return setCell(openCell(edit, second))
    for (let next = at + step; next >= 0 && next < count; next += step) {
      const { open } = rowAt(next)
      if (open !== undefined) return setCell(openCell(open, first))
    }
    focus(edit.key, column)
  }
  return { cell, setCell, done, focus }
}

/** Up and down go to the rows above and below, Delete deletes. */
function onCellKey(
  event: KeyboardEvent,
  open: ChangingEdit,
  column: CellColumn,
  onPut: (edit: Edit) => void,
): void {
  if (event.key === 'Delete' && open.kind === 'replace') {
    event.preventDefault()
    onPut({ kind: 'delete', key: open.key, before: open.before })
  }
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
  event.preventDefault()
  const table = (event.currentTarget as Element).closest('tbody')
  const cells = [...(table?.querySelectorAll<HTMLElement>(`.cell.${column}`) ?? [])]
  const at = cells.indexOf(event.currentTarget as HTMLElement)
  cells[event.key === 'ArrowUp' ? at - 1 : at + 1]?.focus()
}

type RowActionProps = Pick<RecordTableProps, 'onEdit' | 'onKeep'> & { readonly row: Row }

function RowAction({ row: { edit, open }, onEdit, onKeep }: RowActionProps) {
  if (edit?.kind === 'delete') {
    return (
      <button type="button" class="quiet" onClick={() => onKeep(edit.key)}>
        {texts.records.restore}
      </button>
    )
  }
  if (open === undefined) {
    return (
      <span class="faint" title={texts.records.managed}>
        <Icon name="locked" />
        <span class="unseen">{texts.records.managed}</span>
      </span>
    )
  }
  return (
    <button
      type="button"
      class="quiet icon-button"
      aria-label={texts.records.edit}
      title={texts.records.edit}
      onClick={() => onEdit(open)}
    >
      <Icon name="edit" />
    </button>
  )
}

/** The SOA and the NS of the apex follow the zone and its pool. */
function isKept({ name, type }: Recordset, zone: Zone): boolean {
  return type === 'SOA' || (type === 'NS' && name === zone.name)
}

function replacementOf(before: Recordset): Edit {
  const { id, name, type, ttl, records } = before
  return { kind: 'replace', key: id, before, draft: { name, type, ttl, records } }
}
