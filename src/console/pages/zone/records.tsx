import { useCallback, useEffect, useState } from 'preact/hooks'
import { listRecordsets } from '../../api/recordsets.ts'
import type { Zone } from '../../api/zones.ts'
import { type Draft, type Edit, withEdit, withoutEdit } from '../../records/edits.ts'
import { offeredTypes, relativeName } from '../../records/fields.ts'
import type { Recordset } from '../../records/recordset.ts'
import { templates } from '../../records/templates.ts'
import { mayChange } from '../../session.ts'
import { texts } from '../../texts.ts'
import { Choice, Complaint, Field } from '../../ui/field.tsx'
import { type Paged, usePaged } from '../../ui/paged.ts'
import { Status } from '../../ui/status.tsx'
import { VirtualRows } from '../../ui/virtual-rows.tsx'
import { RecordEditor } from './record-editor.tsx'
import { PendingChanges } from './review.tsx'
import { PasteDialog, Selection } from './selection.tsx'

const rowHeight = 44

type ZoneRecordsProps = { readonly zone: Zone; readonly onChanged: () => void }

/** The record sets of a zone. What is changed here is collected, shown as a difference, and applied at once. */
export function ZoneRecords({ zone, onChanged }: ZoneRecordsProps) {
  const [text, setText] = useState('')
  const [type, setType] = useState('')
  const [edits, setEdits] = useState<readonly Edit[]>([])
  const [editing, setEditing] = useState<Edit>()
  const [isPasting, setPasting] = useState(false)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const list = usePaged(
    `${zone.id} ${type} ${text}`,
    (marker, signal) =>
      listRecordsets(zone.id, { text, type, ...(marker !== undefined && { marker }) }, signal),
    zone.serial,
  )
  useWarningOnLeave(edits.length > 0)
  const isWritable = zone.type === 'PRIMARY' && mayChange.value
  const put = (edit: Edit) => {
    setEdits(before => withEdit(before, edit))
    setEditing(undefined)
  }
  const create = (drafts: readonly Draft[]) => {
    setEdits(before => drafts.map(creation).reduce(withEdit, before))
    setPasting(false)
  }
  const edited = (next: readonly Edit[]) => {
    setEdits(next)
    setSelected(new Set())
  }
  const chosen = list.items.filter(({ id }) => selected.has(id))
  const applied = () => {
    setEdits([])
    onChanged()
  }
  return (
    <>
      <div class="bar">
        <Field
          label={texts.records.filter}
          hidesLabel
          placeholder={texts.records.filter}
          value={text}
          onInput={setText}
        />
        <Choice label={texts.records.type} hidesLabel value={type} onChange={setType}>
          <option value="">{texts.records.allTypes}</option>
          {offeredTypes.map(one => (
            <option key={one}>{one}</option>
          ))}
        </Choice>
        <span class="count">{texts.zones.count(list.items.length, list.total)}</span>
        {chosen.length > 0 && <Selection rows={chosen} edits={edits} onEdited={edited} />}
        {isWritable && (
          <span class="bar end">
            <TemplateChoice zone={zone} onChosen={create} />
            <button type="button" onClick={() => setPasting(true)}>
              {texts.records.paste}
            </button>
            <button type="button" class="main" onClick={() => setEditing(newEdit())}>
              {texts.records.add}
            </button>
          </span>
        )}
      </div>
      {zone.type === 'SECONDARY' && <p class="reason">{texts.zone.readOnly}</p>}
      <Complaint text={list.error} />
      <RecordTable
        zone={zone}
        list={list}
        edits={edits}
        isWritable={isWritable}
        selected={selected}
        onSelect={setSelected}
        onEdit={setEditing}
        onKeep={key => setEdits(before => withoutEdit(before, key))}
      />
      {edits.length > 0 && (
        <PendingChanges
          zone={zone}
          edits={edits}
          onEdit={setEditing}
          onDiscard={() => setEdits([])}
          onApplied={applied}
          onUndone={onChanged}
        />
      )}
      {isPasting && <PasteDialog onDone={create} onClose={() => setPasting(false)} />}
      {editing !== undefined && editing.kind !== 'delete' && (
        <RecordEditor
          zone={zone}
          edit={editing}
          onDone={put}
          onDelete={put}
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  )
}

type TemplateChoiceProps = {
  readonly zone: Zone
  readonly onChosen: (drafts: readonly Draft[]) => void
}

function TemplateChoice({ zone, onChosen }: TemplateChoiceProps) {
  const choose = (name: string) => {
    const template = templates.find(one => one.name === name)
    if (template !== undefined) onChosen(template.drafts(zone.name))
  }
  return (
    <Choice label={texts.records.template} hidesLabel value="" onChange={choose}>
      <option value="">{texts.records.template}</option>
      {templates.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </Choice>
  )
}

type RecordTableProps = {
  readonly zone: Zone
  readonly list: Paged<Recordset>
  readonly edits: readonly Edit[]
  readonly isWritable: boolean
  readonly selected: ReadonlySet<string>
  readonly onSelect: (ids: ReadonlySet<string>) => void
  readonly onEdit: (edit: Edit) => void
  readonly onKeep: (key: string) => void
}

function RecordTable(props: RecordTableProps) {
  const { zone, list, edits, isWritable, selected, onSelect, onEdit, onKeep } = props
  const created = edits.filter(edit => edit.kind === 'create')
  const editOf = (at: number): Edit | undefined => {
    const row = list.items[at - created.length]
    return at < created.length ? created[at] : edits.find(({ key }) => key === row?.id)
  }
  const toggle = (id: string) => {
    const ids = new Set(selected)
    if (!ids.delete(id)) ids.add(id)
    onSelect(ids)
  }
  const cells = (at: number) => {
    const edit = editOf(at)
    const row = list.items[at - created.length]
    const shown = edit !== undefined && edit.kind !== 'delete' ? edit.draft : row
    if (shown === undefined) return []
    const name = relativeName(shown.name, zone.name)
    const mayEdit =
      isWritable && (edit?.kind === 'create' || (row !== undefined && !isKept(row, zone)))
    return [
      mayEdit && row !== undefined && edit?.kind !== 'create' ? (
        <input
          key="select"
          type="checkbox"
          aria-label={texts.records.select(name, shown.type)}
          checked={selected.has(row.id)}
          onChange={() => toggle(row.id)}
        />
      ) : null,
      <span key="name" title={shown.name}>
        {name}
      </span>,
      shown.type,
      shown.ttl ?? <span class="faint">{zone.ttl ?? texts.records.ttlHint}</span>,
      <span
        key="values"
        class="values"
        title={[row?.status_reason, ...shown.records].filter(Boolean).join('\n')}
      >
        {row !== undefined && row.status === 'ERROR' && <Status {...row} />}{' '}
        {shown.records.join(', ')}
      </span>,
      mayEdit ? (
        <RowAction key="action" edit={edit} row={row} onEdit={onEdit} onKeep={onKeep} />
      ) : (
        isWritable && <span class="faint">{texts.records.managed}</span>
      ),
    ]
  }
  const count = created.length + list.items.length
  if (count === 0 && !list.isLoading) return <p class="empty">{texts.records.empty}</p>
  return (
    <VirtualRows
      label={texts.zone.records}
      columns={[
        '',
        texts.records.name,
        texts.records.type,
        texts.records.ttl,
        texts.records.values,
        ' ',
      ]}
      count={count}
      kind="records"
      rowHeight={rowHeight}
      cells={cells}
      rowClass={at => editOf(at)?.kind}
      onNearEnd={list.more}
    />
  )
}

type RowActionProps = Pick<RecordTableProps, 'onEdit' | 'onKeep'> & {
  readonly edit: Edit | undefined
  readonly row: Recordset | undefined
}

function RowAction({ edit, row, onEdit, onKeep }: RowActionProps) {
  const open = edit ?? (row && replacementOf(row))
  if (edit?.kind === 'delete') {
    return (
      <button type="button" class="quiet" onClick={() => onKeep(edit.key)}>
        {texts.records.restore}
      </button>
    )
  }
  return (
    <button type="button" class="quiet" onClick={() => open && onEdit(open)}>
      {texts.records.edit}
    </button>
  )
}

/** The SOA and the NS of the apex follow the zone and its pool. */
function isKept({ name, type }: Recordset, zone: Zone): boolean {
  return type === 'SOA' || (type === 'NS' && name === zone.name)
}

function newEdit(): Edit {
  return creation({ name: '', type: 'A', ttl: null, records: [''] })
}

function creation(draft: Draft): Edit {
  return { kind: 'create', key: crypto.randomUUID(), draft }
}

function replacementOf(before: Recordset): Edit {
  const { id, name, type, ttl, records } = before
  return { kind: 'replace', key: id, before, draft: { name, type, ttl, records } }
}

/** Asks before the tab is closed while there are changes that are not applied. */
function useWarningOnLeave(hasChanges: boolean): void {
  const warn = useCallback((event: BeforeUnloadEvent) => event.preventDefault(), [])
  useEffect(() => {
    if (!hasChanges) return
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [hasChanges, warn])
}
