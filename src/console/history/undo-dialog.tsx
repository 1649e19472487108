import { type UndoTarget, undo } from '../api/history.ts'
import { texts } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Difference } from '../ui/difference.tsx'
import { Form } from '../ui/form.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notify } from '../ui/notices.tsx'
import { useSubmission } from '../ui/submission.ts'

type UndoDialogProps = {
  readonly zoneId: string
  readonly target: UndoTarget
  readonly onClose: () => void
  readonly onUndone: () => void
}

/** Shows what undoing would change, and undoes it on confirmation. */
export function UndoDialog({ zoneId, target, onClose, onUndone }: UndoDialogProps) {
  const read = () => undo(zoneId, target, { isDryRun: true })
  const { value: outcome, error } = useLoaded(read, [zoneId, target])
  const { onSubmit, isBusy, rest } = useSubmission([], async () => {
    const { serial } = await undo(zoneId, target, { isDryRun: false })
    notify(texts.review.undone(serial))
    onClose()
    onUndone()
  })
  const isOne = 'change' in target
  const lines = outcome?.diff ?? []
  return (
    <Dialog
      title={isOne ? texts.history.undoTitle : texts.history.goBackTitle}
      onClose={onClose}
      isWide
    >
      <p>{isOne ? texts.history.undoExplain : texts.history.goBackExplain}</p>
      <Form
        {...{ onSubmit, isBusy }}
        rest={error ?? rest}
        isDisabled={lines.length === 0}
        submit={isOne ? texts.history.undo : texts.history.goBack}
        onCancel={onClose}
      >
        {outcome !== undefined && lines.length === 0 && <p>{texts.history.undoNothing}</p>}
        {lines.length > 0 && <Difference lines={lines} />}
      </Form>
    </Dialog>
  )
}
