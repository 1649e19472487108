import type { ComponentChildren } from 'preact'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { useSubmission } from './submission.ts'

type ConfirmationProps = {
  readonly title: string
  readonly text: string
  /** The label of the button that confirms. */
  readonly action: string
  readonly onClose: () => void
  /** What the action would affect, below the text. */
  readonly children?: ComponentChildren
  readonly run: () => Promise<unknown>
}

/** Asks for confirmation before an action, and closes after it. */
export function Confirmation({ title, text, action, onClose, run, children }: ConfirmationProps) {
  const { onSubmit, isBusy, rest } = useSubmission([], () => run().then(onClose))
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...{ onSubmit, isBusy, rest }} submit={action} onCancel={onClose} isDangerous>
        <p>{text}</p>
        {children}
      </Form>
    </Dialog>
  )
}
