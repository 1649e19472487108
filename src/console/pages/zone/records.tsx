import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { urlOf } from '../../api/client.ts'
import { listRecordsets } from '../../api/recordsets.ts'
import type { Zone } from '../../api/zones.ts'
import { useKept } from '../../kept.ts'
import { type Draft, type Edit, withEdit, withoutEdit } from '../../records/edits.ts'
import { offeredTypes } from '../../records/fields.ts'
import { templates } from '../../records/templates.ts'
import { mayChange } from '../../session.ts'
import { texts } from '../../texts.ts'
import { Choice, Complaint, Field } from '../../ui/field.tsx'
import { Menu } from '../../ui/menu.tsx'
import { usePaged } from '../../ui/paged.ts'
import { RecordEditor } from './record-editor.tsx'
import { RecordTable } from './record-table.tsx'
import { PendingChanges } from './review.tsx'
import { PasteDialog, Selection } from './selection.tsx'

type ZoneRecordsProps = { readonly zone: Zone; readonly onChanged: () => void }

/** The record sets of a zone; the filter is in the address. Changes are collected here, shown as a difference, and applied
 *  together. */
export function ZoneRecords({ zone, onChanged }: ZoneRecordsProps) {
  const { path, query, route } = useLocation()
  const { filter = '', type = '' } = query
  const filterBy = (part: Readonly<Record<string, string>>) =>
    route(urlOf({ path, query: { ...query, ...part } }), true)
  const [edits, setEdits] = useEdits(zone)
  const [editing, setEditing] = useState<Edit>()
  const [isPasting, setPasting] = useState(false)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const list = usePaged(
    `${zone.id} ${type} ${filter}`,
    (marker, signal) => listRecordsets(zone, { text: filter, type, marker }, signal),
    zone.serial,
  )
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
    setEdits(() => next)
    setSelected(new Set())
  }
  const chosen = list.items.filter(({ id }) => selected.has(id))
  return (
    <>
      <div class="bar">
        <Field
          label={texts.records.filter}
          hidesLabel
          placeholder={texts.records.filter}
          value={filter}
          onInput={text => filterBy({ filter: text })}
        />
        <Choice
          label={texts.records.type}
          hidesLabel
          value={type}
          onChange={one => filterBy({ type: one })}
          options={[['', texts.records.allTypes], ...offeredTypes]}
        />
        <span class="count">{texts.zones.count(list.items.length, list.total)}</span>
        {chosen.length > 0 && <Selection rows={chosen} edits={edits} onEdited={edited} />}
        {isWritable && (
          <span class="bar end">
            <Menu label={texts.records.more}>
              <button type="button" onClick={() => setPasting(true)}>
                {texts.records.paste}
              </button>
              <h3>{texts.records.template}</h3>
              {templates.map(({ name, drafts }) => (
                <button key={name} type="button" onClick={() => create(drafts(zone.name))}>
                  {name}
                </button>
              ))}
            </Menu>
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
        onPut={edit => setEdits(before => withEdit(before, edit))}
        onKeep={key => setEdits(before => withoutEdit(before, key))}
      />
      {edits.length > 0 && (
        <PendingChanges
          zone={zone}
          edits={edits}
          onEdits={next => setEdits(() => next)}
          onEdit={setEditing}
          onChanged={onChanged}
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

/** The pending changes of a zone; they are kept while other pages are shown. */
function useEdits(zone: Zone) {
  const [kept, keep] = useKept<readonly Edit[]>(`edits ${zone.id}`)
  const set = (next: (before: readonly Edit[]) => readonly Edit[]) =>
    keep(before => {
      const edits = next(before ?? none)
      return edits.length > 0 ? edits : undefined
    })
  return [kept ?? none, set] as const
}

const none: readonly Edit[] = []

function newEdit(): Edit {
  return creation({ name: '', type: 'A', ttl: null, records: [''] })
}

let creationCount = 0

function creation(draft: Draft): Edit {
  creationCount += 1
  return { kind: 'create', key: `new ${creationCount}`, draft }
}
