import type { ComponentChildren } from 'preact'
import { texts } from '../texts.ts'
import { Complaint } from './field.tsx'
import type { Submission } from './submission.ts'

type FormProps = Pick<Submission, 'onSubmit'> &
  Partial<Pick<Submission, 'isBusy' | 'rest'>> & {
    /** The label of the submit button; undefined where the user may not send the form. */
    readonly submit: string | undefined
    /** Whether the form deletes something. */
    readonly isDangerous?: boolean
    readonly isDisabled?: boolean
    /** Left out where the form cannot be cancelled. */
    readonly onCancel?: (() => void) | undefined
    /** A label that says what happens, instead of "Cancel". */
    readonly cancel?: string
    /** Other buttons. */
    readonly beside?: ComponentChildren
    readonly children?: ComponentChildren
  }

/** The fields, the errors that belong to none of them, and the buttons. */
export function Form({ onSubmit, isBusy = false, rest, children, ...props }: FormProps) {
  const { submit, isDangerous, isDisabled, onCancel, cancel, beside } = props
  return (
    <form onSubmit={onSubmit}>
      {children}
      <Complaint text={rest} />
      {submit !== undefined && (
        <div class="actions">
          {beside}
          {onCancel && (
            <button type="button" onClick={onCancel}>
              {cancel ?? texts.common.cancel}
            </button>
          )}
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'main'}
            disabled={isBusy || isDisabled}
          >
            {submit}
          </button>
        </div>
      )}
    </form>
  )
}
