import type { ComponentChildren } from 'preact'
import { texts } from '../texts.ts'
import { Complaint } from './field.tsx'
import type { Submission } from './submission.ts'

type FormProps = Pick<Submission, 'onSubmit'> &
  Partial<Pick<Submission, 'isBusy' | 'rest'>> & {
    /** What the button says that sends it; undefined where nobody may. */
    readonly submit: string | undefined
    /** Whether it takes something away. */
    readonly isDangerous?: boolean
    readonly isDisabled?: boolean
    /** Left out where there is nothing to go back to. */
    readonly onCancel?: (() => void) | undefined
    /** Says what happens instead of "Cancel". */
    readonly cancel?: string
    /** Other buttons. */
    readonly beside?: ComponentChildren
    readonly children?: ComponentChildren
  }

/** Fields, what is wrong with none of them in particular, and the buttons. */
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
