import { texts } from '../texts.ts'
import { Dialog } from './dialog.tsx'
import { Complaint } from './field.tsx'
import { useSubmission } from './submission.ts'

type ConfirmationProps = {
  readonly title: string
  readonly text: string
  /** What the button says that does it. */
  readonly action: string
  readonly onClose: () => void
  readonly run: () => Promise<void>
}

/** Asks before something is done. */
export function Confirmation({ title, text, action, onClose, run }: ConfirmationProps) {
  const { onSubmit, isBusy, rest } = useSubmission([], run)
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <p>{text}</p>
        <Complaint text={rest} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            {texts.common.cancel}
          </button>
          <button type="submit" class="danger" disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
