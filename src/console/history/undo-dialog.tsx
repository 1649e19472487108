import { useEffect, useState } from 'preact/hooks'
import { type UndoTarget, undo } from '../api/history.ts'
import type { ChangeOutcome } from '../api/recordsets.ts'
import { texts } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Difference } from '../ui/difference.tsx'
import { Complaint } from '../ui/field.tsx'
import { notify } from '../ui/notices.tsx'

type UndoDialogProps = {
  readonly zoneId: string
  readonly target: UndoTarget
  readonly onClose: () => void
  readonly onUndone: () => void
}

/** Shows what undoing would do, and does it. */
export function UndoDialog({ zoneId, target, onClose, onUndone }: UndoDialogProps) {
  const [outcome, setOutcome] = useState<ChangeOutcome>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    undo(zoneId, target, { isDryRun: true }).then(setOutcome, fail)
  }, [])
  const fail = (failure: Error) => {
    setError(failure.message)
    setBusy(false)
  }
  const apply = () => {
    setBusy(true)
    undo(zoneId, target, { isDryRun: false }).then(({ serial }) => {
      notify(texts.review.undone(serial))
      onClose()
      onUndone()
    }, fail)
  }
  const isOne = 'change' in target
  const lines = outcome?.diff ?? []
  const isNothing = outcome !== undefined && lines.length === 0
  return (
    <Dialog
      title={isOne ? texts.history.undoTitle : texts.history.goBackTitle}
      onClose={onClose}
      isWide
    >
      <p>{isOne ? texts.history.undoExplain : texts.history.goBackExplain}</p>
      <Complaint text={error} />
      {isNothing && <p>{texts.history.undoNothing}</p>}
      {lines.length > 0 && <Difference lines={lines} />}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {texts.common.cancel}
        </button>
        <button
          type="button"
          class="main"
          disabled={isBusy || isNothing || outcome === undefined || error !== undefined}
          onClick={apply}
        >
          {isOne ? texts.history.undo : texts.history.goBack}
        </button>
      </div>
    </Dialog>
  )
}
