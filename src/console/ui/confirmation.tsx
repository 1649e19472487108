import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { useSubmission } from './submission.ts'

type ConfirmationProps = {
  readonly title: string
  readonly text: string
  /** The label of the button that confirms. */
  readonly action: string
  readonly onClose: () => void
  readonly run: () => Promise<unknown>
}

/** Asks for confirmation before an action, and closes after it. */
export function Confirmation({ title, text, action, onClose, run }: ConfirmationProps) {
  const { onSubmit, isBusy, rest } = useSubmission([], () => run().then(onClose))
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...{ onSubmit, isBusy, rest }} submit={action} onCancel={onClose} isDangerous>
        <p>{text}</p>
      </Form>
    </Dialog>
  )
}
