import { useState } from 'preact/hooks'
import type { Zone } from '../../api/zones.ts'
import type { ChangingEdit, Draft, Edit, Problem } from '../../records/edits.ts'
import {
  asciiName,
  fieldsOf,
  joinValue,
  offeredTypes,
  relativeName,
  splitValue,
} from '../../records/fields.ts'
import { texts } from '../../texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Choice, Complaint, Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useChecks } from './checks.ts'

type RecordEditorProps = {
  readonly zone: Zone
  readonly edit: ChangingEdit
  readonly onDone: (edit: Edit) => void
  readonly onDelete: (edit: Edit) => void
  readonly onClose: () => void
}

/** The input: a list of fields for each value. */
type Typed = {
  readonly name: string
  readonly type: string
  readonly ttl: string
  readonly values: readonly (readonly string[])[]
}

/** The form for one record set. The server checks the input by its own rules. */
export function RecordEditor({ zone, edit, onDone, onDelete, onClose }: RecordEditorProps) {
  const [typed, setTyped] = useState(() => typedOf(edit.draft, zone))
  const set = (part: Partial<Typed>) => setTyped(before => ({ ...before, ...part }))
  const draft = draftOf(typed, zone)
  const problems = useChecks(zone, { ...edit, draft })
  const isNew = edit.kind === 'create'
  const general = problems.filter(({ record }) => record === undefined)
  const submit = (event: Event) => {
    event.preventDefault()
    if (problems.length === 0) onDone({ ...edit, draft })
  }
  return (
    <Dialog
      title={
        isNew ? texts.records.add : `${relativeName(edit.draft.name, zone.name)} ${edit.draft.type}`
      }
      onClose={onClose}
      isWide
    >
      {edit.kind === 'replace' && edit.before.status_reason !== null && (
        <p class="reason">{edit.before.status_reason}</p>
      )}
      <Form
        onSubmit={submit}
        submit={texts.records.done}
        onCancel={onClose}
        isDisabled={problems.length > 0}
        beside={
          edit.kind === 'replace' && (
            <button
              type="button"
              class="danger"
              onClick={() => onDelete({ kind: 'delete', key: edit.key, before: edit.before })}
            >
              {texts.records.delete}
            </button>
          )
        }
      >
        <div class="columns">
          <Field
            label={texts.records.name}
            placeholder="@"
            value={typed.name}
            onInput={name => set({ name })}
            isDisabled={!isNew}
          />
          {isNew ? (
            <Choice
              label={texts.records.type}
              value={typed.type}
              onChange={type => set({ type, values: [splitValue(type, '')] })}
              options={offeredTypes}
            />
          ) : (
            <Field
              label={texts.records.type}
              value={typed.type}
              onInput={() => undefined}
              isDisabled
            />
          )}
          <Field
            label={texts.records.ttl}
            isNumber
            placeholder={String(zone.ttl ?? texts.records.ttlHint)}
            value={typed.ttl}
            onInput={ttl => set({ ttl: ttl.replaceAll(/\D/g, '') })}
          />
        </div>
        <Values typed={typed} problems={problems} onChange={values => set({ values })} />
        {general.map(({ message }) => (
          <Complaint key={message} text={message} />
        ))}
      </Form>
    </Dialog>
  )
}

type ValuesProps = {
  readonly typed: Typed
  readonly problems: readonly Problem[]
  readonly onChange: (values: Typed['values']) => void
}

/** The values of a record set, each with its fields. */
function Values({ typed: { type, values }, problems, onChange }: ValuesProps) {
  return (
    <fieldset>
      <legend>{texts.records.values}</legend>
      {values.map((fields, at) => (
        <ValueFields
          key={at}
          type={type}
          fields={fields}
          error={problems.find(({ record }) => record === at)?.message}
          onChange={next => onChange(values.with(at, next))}
          onRemove={values.length > 1 ? () => onChange(values.toSpliced(at, 1)) : undefined}
        />
      ))}
      <button
        type="button"
        class="quiet"
        onClick={() => onChange([...values, splitValue(type, '')])}
      >
        {texts.records.addValue}
      </button>
    </fieldset>
  )
}

type ValueFieldsProps = {
  readonly type: string
  readonly fields: readonly string[]
  readonly error: string | undefined
  readonly onChange: (fields: readonly string[]) => void
  readonly onRemove: (() => void) | undefined
}

function ValueFields({ type, fields, error, onChange, onRemove }: ValueFieldsProps) {
  return (
    <div class="value">
      {fieldsOf(type).map(({ label, hint, isNumber = false }, at) => (
        <Field
          key={label}
          label={label}
          placeholder={hint}
          class={isNumber ? 'short' : ''}
          isNumber={isNumber}
          value={fields[at] ?? ''}
          onInput={field => onChange(fields.with(at, field))}
        />
      ))}
      {onRemove && (
        <button
          type="button"
          class="quiet"
          aria-label={texts.records.removeValue}
          onClick={onRemove}
        >
          ×
        </button>
      )}
      <Complaint text={error} />
    </div>
  )
}

function typedOf({ name, type, ttl, records }: Draft, zone: Zone): Typed {
  return {
    name: name === '' ? '' : relativeName(name, zone.name),
    type,
    ttl: ttl === null ? '' : String(ttl),
    values: records.map(record => splitValue(type, record)),
  }
}

function draftOf({ name, type, ttl, values }: Typed, zone: Zone): Draft {
  return {
    name: asciiName(name.trim()) || '@',
    type,
    ttl: ttl === '' ? null : Number(ttl),
    records: values.map(fields => joinValue(type, fields, zone.name)),
  }
}
