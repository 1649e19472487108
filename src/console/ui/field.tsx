import { useEffect, useId } from 'preact/hooks'

type FieldProps = {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly error?: string | undefined
  /** For screen readers only, where the column already shows the label. */
  readonly hidesLabel?: boolean
  readonly isSecret?: boolean
  readonly placeholder?: string
  readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code'
  readonly class?: string
  readonly isNumber?: boolean
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
  /** Of several lines. */
  readonly isLong?: boolean
  /** Whether it takes the focus when it appears. */
  readonly isFirst?: boolean
}

/** An input with its label and the error of its value. */
export function Field(props: FieldProps) {
  const { label, value, onInput, error, hidesLabel = false, isFirst = false } = props
  const id = useId()
  useEffect(() => {
    if (isFirst) document.getElementById(id)?.focus()
  }, [isFirst])
  const attributes = {
    id,
    value,
    placeholder: props.placeholder ?? '',
    autocomplete: props.autocomplete ?? 'off',
    inputMode: props.isNumber ? ('numeric' as const) : ('text' as const),
    spellcheck: false,
    required: props.isRequired ?? false,
    disabled: props.isDisabled ?? false,
    // Where it appears with a dialog, the dialog gives it the focus.
    autofocus: isFirst,
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined ? '' : `${id}-error`,
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onInput(event.currentTarget.value),
  }
  return (
    <div class={`field ${props.class ?? ''}`}>
      <label for={id} class={hidesLabel ? 'unseen' : ''}>
        {label}
      </label>
      {props.isLong && <textarea {...attributes} rows={3} />}
      {props.isSecret && <input {...attributes} type="password" />}
      {!(props.isLong || props.isSecret) && <input {...attributes} />}
      <Complaint id={`${id}-error`} text={error} />
    </div>
  )
}

/** A value and its text; a third text is the language of that, where it is not the page's. */
type Option = readonly [value: string, text: string, language?: string]

type ChoiceProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** A text alone is also its value. */
  readonly options: readonly (Option | string)[]
  readonly hidesLabel?: boolean
  readonly class?: string
}

/** A choice among a few options, with its label. */
export function Choice(props: ChoiceProps) {
  const { label, value, onChange, options, hidesLabel = false } = props
  const id = useId()
  return (
    <div class={`field ${props.class ?? ''}`}>
      <label for={id} class={hidesLabel ? 'unseen' : ''}>
        {label}
      </label>
      <select id={id} value={value} onChange={event => onChange(event.currentTarget.value)}>
        {options.map(option => {
          const [own, text, language] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={own} value={own} lang={language}>
              {text}
            </option>
          )
        })}
      </select>
    </div>
  )
}

/** An error, which screen readers announce when it appears. */
export function Complaint({
  id,
  text,
}: {
  readonly id?: string
  readonly text: string | undefined
}) {
  if (text === undefined) return null
  return (
    <p {...(id !== undefined && { id })} class="complaint" role="alert">
      {text}
    </p>
  )
}
