import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
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
      <Form {...{ onSubmit, isBusy, rest }} submit={action} onCancel={onClose} isDangerous>
        <p>{text}</p>
      </Form>
    </Dialog>
  )
}
