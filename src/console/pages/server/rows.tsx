import { useState } from 'preact/hooks'
import { type AdminRow, deleteRow, listRows, saveRow } from '../../api/server.ts'
import { texts } from '../../texts.ts'
import { Confirmation } from '../../ui/confirmation.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Choice, Complaint, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { usePaged } from '../../ui/paged.ts'
import { useSubmission } from '../../ui/submission.ts'
import { KeyUses } from './key-uses.tsx'
import type { RowField, RowKind, Typed } from './kinds.ts'

/** The action on a row: `new` creates one. */
type Doing =
  | { readonly kind: 'edit'; readonly row: AdminRow | undefined }
  | { readonly kind: 'delete'; readonly row: AdminRow }

/** Rows of a kind, to be made, changed and deleted. */
export function Rows({ kind }: { readonly kind: RowKind }) {
  const list = usePaged(kind.rows, kind.list ?? (marker => listRows(kind.rows, marker)))
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  const done = () => {
    close()
    list.reload()
  }
  const nameOf = (row: AdminRow) => kind.columns[0]?.text(row) ?? row.id
  return (
    <div class="scrolls fill">
      <div class="bar">
        <p class="lead">{kind.explain}</p>
        <button
          type="button"
          class="main end"
          onClick={() => setDoing({ kind: 'edit', row: undefined })}
        >
          {texts.server.add}
        </button>
      </div>
      <Complaint text={list.error} />
      {list.isEmpty && <p class="empty">{kind.empty}</p>}
      {list.items.length > 0 && (
        <DataTable
          label={texts.server[kind.rows]}
          rows={list.items}
          keyOf={({ id }) => id}
          columns={kind.columns.map(({ title, text }) => ({ title, cell: text }))}
          actions={row => [
            {
              text: texts.server.edit,
              label: texts.server.editRow(nameOf(row)),
              run: () => setDoing({ kind: 'edit', row }),
            },
            {
              text: texts.common.delete,
              label: texts.server.deleteRow(nameOf(row)),
              isDangerous: true,
              run: () => setDoing({ kind: 'delete', row }),
            },
          ]}
        />
      )}
      {list.hasMore && (
        <button type="button" class="more" onClick={list.more}>
          {texts.server.more}
        </button>
      )}
      {doing?.kind === 'edit' && (
        <RowForm kind={kind} row={doing.row} onClose={close} onSaved={done} />
      )}
      {doing?.kind === 'delete' && (
        <Confirmation
          title={texts.server.deleteTitle(nameOf(doing.row))}
          text={texts.server.deleteExplain}
          action={texts.common.delete}
          onClose={close}
          run={() => deleteRow(kind.rows, doing.row.id).then(list.reload)}
        >
          {kind.rows === 'tsigkeys' && <KeyUses id={doing.row.id} />}
        </Confirmation>
      )}
    </div>
  )
}

type RowFormProps = {
  readonly kind: RowKind
  readonly row: AdminRow | undefined
  readonly onClose: () => void
  readonly onSaved: () => void
}

function RowForm({ kind, row, onClose, onSaved }: RowFormProps) {
  const [typed, setTyped] = useState(() => kind.typedOf(row))
  const shown = kind.fields.filter(({ isShown }) => isShown?.(typed) ?? true)
  const pathOf = ({ name, path }: RowField) => path ?? [name]
  const known = shown.map(field => pathOf(field)[0] ?? '')
  const { onSubmit, isBusy, refusalOf, rest } = useSubmission(known, async () => {
    await saveRow(kind.rows, row?.id, kind.bodyOf(typed))
    onSaved()
  })
  return (
    <Dialog title={row === undefined ? texts.server.add : texts.server.edit} onClose={onClose}>
      <Form {...{ onSubmit, isBusy, rest }} submit={texts.common.save} onCancel={onClose}>
        {shown.map(field => (
          <RowInput
            key={field.name}
            field={field}
            typed={typed}
            error={refusalOf(...pathOf(field))}
            onInput={value => setTyped({ ...typed, [field.name]: value })}
          />
        ))}
      </Form>
    </Dialog>
  )
}

type RowInputProps = {
  readonly field: RowField
  readonly typed: Typed
  readonly error: string | undefined
  readonly onInput: (value: string) => void
}

function RowInput({ field, typed, error, onInput }: RowInputProps) {
  const { name, label, hint = '', choices, isLong = false } = field
  const value = typed[name] ?? ''
  if (choices === undefined) {
    return (
      <Field
        label={label}
        placeholder={hint}
        value={value}
        onInput={onInput}
        error={error}
        isLong={isLong}
      />
    )
  }
  return (
    <>
      <Choice label={label} value={value} onChange={onInput} options={Object.entries(choices)} />
      <Complaint text={error} />
    </>
  )
}
