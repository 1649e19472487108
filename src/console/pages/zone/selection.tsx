import { useState } from 'preact/hooks'
import { type Draft, type Edit, withEdit } from '../../records/edits.ts'
import { draftsOf, linesOf } from '../../records/lines.ts'
import type { Recordset } from '../../records/recordset.ts'
import { texts } from '../../texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { notify, notifyFailure } from '../../ui/notices.tsx'

type SelectionProps = {
  readonly rows: readonly Recordset[]
  readonly edits: readonly Edit[]
  readonly onEdited: (edits: readonly Edit[]) => void
}

/** Actions on several rows at once. */
export function Selection({ rows, edits, onEdited }: SelectionProps) {
  const [isTtl, setTtl] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(linesOf(rows))
    notify(texts.common.copied)
  }
  const remove = () =>
    onEdited(
      rows
        .map(before => ({ kind: 'delete', key: before.id, before }) as const)
        .reduce(withEdit, edits),
    )
  const change = (ttl: number | null) => {
    setTtl(false)
    onEdited(rows.map(row => withTtl(row, edits, ttl)).reduce(withEdit, edits))
  }
  return (
    <>
      <span class="count">{texts.records.selected(rows.length)}</span>
      {/* Only pages of https and of this machine may write to the clipboard. */}
      {navigator.clipboard !== undefined && (
        <button type="button" onClick={() => copy().catch(notifyFailure)}>
          {texts.common.copy}
        </button>
      )}
      <button type="button" onClick={() => setTtl(true)}>
        {texts.records.setTtl}
      </button>
      <button type="button" class="danger" onClick={remove}>
        {texts.records.delete}
      </button>
      {isTtl && <TtlDialog onDone={change} onClose={() => setTtl(false)} />}
    </>
  )
}

function withTtl(row: Recordset, edits: readonly Edit[], ttl: number | null): Edit {
  const edit = edits.find(({ key }) => key === row.id)
  const { name, type, records } = edit?.kind === 'replace' ? edit.draft : row
  return { kind: 'replace', key: row.id, before: row, draft: { name, type, ttl, records } }
}

type TtlDialogProps = {
  readonly onDone: (ttl: number | null) => void
  readonly onClose: () => void
}

function TtlDialog({ onDone, onClose }: TtlDialogProps) {
  const [ttl, setTtl] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    onDone(ttl === '' ? null : Number(ttl))
  }
  return (
    <Dialog title={texts.records.setTtl} onClose={onClose}>
      <Form onSubmit={submit} submit={texts.records.done} onCancel={onClose}>
        <Field
          label={texts.records.newTtl}
          isNumber
          isFirst
          value={ttl}
          onInput={text => setTtl(text.replaceAll(/\D/g, ''))}
        />
      </Form>
    </Dialog>
  )
}

type PasteDialogProps = {
  readonly onDone: (drafts: readonly Draft[]) => void
  readonly onClose: () => void
}

/** Record sets as lines of a zone file, to be added to what is pending. */
export function PasteDialog({ onDone, onClose }: PasteDialogProps) {
  const [text, setText] = useState('')
  const { drafts, problems } = draftsOf(text)
  const [first] = problems
  const submit = (event: Event) => {
    event.preventDefault()
    if (problems.length === 0) onDone(drafts)
  }
  return (
    <Dialog title={texts.records.paste} onClose={onClose} isWide>
      <p>{texts.records.pasteExplain}</p>
      <Form onSubmit={submit} submit={texts.records.addLines(drafts.length)} onCancel={onClose}>
        <Field
          label={texts.records.lines}
          isLong
          isFirst
          value={text}
          onInput={setText}
          error={first && texts.records.notALine(first.line, first.text)}
        />
      </Form>
    </Dialog>
  )
}
