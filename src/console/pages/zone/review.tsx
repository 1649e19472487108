import { useEffect, useState } from 'preact/hooks'
import { RefusalError } from '../../api/client.ts'
import { undoSerial } from '../../api/history.ts'
import { type ChangeOutcome, change } from '../../api/recordsets.ts'
import type { Zone } from '../../api/zones.ts'
import { changeSetOf, type Edit, problemsOf } from '../../records/edits.ts'
import { texts } from '../../texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Difference } from '../../ui/difference.tsx'
import { Complaint } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { notify } from '../../ui/notices.tsx'

type PendingChangesProps = {
  readonly zone: Zone
  readonly edits: readonly Edit[]
  readonly onEdit: (edit: Edit) => void
  readonly onDiscard: () => void
  readonly onApplied: () => void
  readonly onUndone: () => void
}

/** The pending changes, and applying them. */
export function PendingChanges(props: PendingChangesProps) {
  const { edits, onDiscard } = props
  const [isReviewing, setReviewing] = useState(false)
  return (
    <div class="pending-bar" role="status">
      <span>{texts.review.pending(edits.length)}</span>
      <button type="button" onClick={onDiscard}>
        {texts.review.discard}
      </button>
      <button type="button" class="main" onClick={() => setReviewing(true)}>
        {texts.review.review}
      </button>
      {isReviewing && <Review {...props} onClose={() => setReviewing(false)} />}
    </div>
  )
}

type ReviewProps = PendingChangesProps & { readonly onClose: () => void }

function Review({ zone, edits, onEdit, onApplied, onUndone, onClose }: ReviewProps) {
  const [outcome, setOutcome] = useState<ChangeOutcome>()
  const [failure, setFailure] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const run = async (isDryRun: boolean) => {
    setBusy(true)
    try {
      const result = await change(zone.id, changeSetOf(edits), { isDryRun })
      if (isDryRun) return setOutcome(result)
      onClose()
      onApplied()
      notify(texts.review.applied(result.serial), {
        text: texts.review.undo,
        run: async () => {
          const undone = await undoSerial(zone.id, result.serial)
          notify(texts.review.undone(undone.serial))
          onUndone()
        },
      })
    } catch (error) {
      setFailure(error as Error)
    } finally {
      setBusy(false)
    }
  }
  useEffect(() => void run(true), [])
  return (
    <Dialog title={texts.review.title} onClose={onClose} isWide>
      <p>{texts.review.explain}</p>
      <Form
        onSubmit={event => {
          event.preventDefault()
          void run(false)
        }}
        isBusy={isBusy}
        isDisabled={outcome === undefined || failure !== undefined}
        submit={texts.review.apply}
        cancel={texts.review.back}
        onCancel={onClose}
      >
        {failure !== undefined && <Problems {...{ failure, edits, onEdit, onClose }} />}
        {outcome?.diff !== undefined && <Difference lines={outcome.diff} />}
      </Form>
    </Dialog>
  )
}

const noRefusal = { type: '', fields: [] }

type ProblemsProps = Pick<ReviewProps, 'edits' | 'onEdit' | 'onClose'> & {
  readonly failure: Error
}

function Problems({ failure, edits, onEdit, onClose }: ProblemsProps) {
  const { type, fields } = failure instanceof RefusalError ? failure : noRefusal
  if (type === 'precondition_failed') return <Complaint text={texts.review.conflict} />
  const problems = problemsOf(edits, fields)
  if (problems.length === 0) return <Complaint text={failure.message} />
  return (
    <ul class="problems" role="alert">
      {problems.map(({ key, message }) => {
        const edit = edits.find(one => one.key === key)
        return (
          <li key={`${key} ${message}`}>
            {message}{' '}
            {edit !== undefined && edit.kind !== 'delete' && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  onClose()
                  onEdit(edit)
                }}
              >
                {texts.records.edit}
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
