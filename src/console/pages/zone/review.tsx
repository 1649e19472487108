import { useEffect, useState } from 'preact/hooks'
import { RefusalError } from '../../api/client.ts'
import { undoSerial } from '../../api/history.ts'
import { type ChangeOutcome, change, findRecordset } from '../../api/recordsets.ts'
import type { Zone } from '../../api/zones.ts'
import { changeSetOf, type Edit, editsOf, problemsOf } from '../../records/edits.ts'
import { texts } from '../../texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Difference } from '../../ui/difference.tsx'
import { Complaint } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { notify, notifyFailure } from '../../ui/notices.tsx'

type PendingChangesProps = {
  readonly zone: Zone
  readonly edits: readonly Edit[]
  readonly onEdits: (edits: readonly Edit[]) => void
  /** To edit one further. */
  readonly onEdit: (edit: Edit) => void
  /** The zone has changed. */
  readonly onChanged: () => void
}

/** The pending changes, and applying them. */
export function PendingChanges(props: PendingChangesProps) {
  const { edits, onEdits } = props
  const [isReviewing, setReviewing] = useState(false)
  return (
    <div class="pending-bar" role="status">
      <span>{texts.review.pending(edits.length)}</span>
      <button type="button" onClick={() => onEdits([])}>
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

function Review(props: ReviewProps) {
  const { zone, edits, onEdits, onChanged, onClose } = props
  const [outcome, setOutcome] = useState<ChangeOutcome>()
  const [failure, setFailure] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const run = async (isDryRun: boolean) => {
    setBusy(true)
    setFailure(undefined)
    try {
      const result = await change(zone.id, changeSetOf(edits), { isDryRun })
      if (isDryRun) return setOutcome(result)
      onClose()
      onEdits([])
      onChanged()
      notify(texts.review.applied(result.serial), {
        text: texts.review.undo,
        run: async () => {
          const undone = await undoSerial(zone.id, result.serial)
          notify(texts.review.undone(undone.serial))
          onChanged()
        },
      })
    } catch (error) {
      setFailure(error as Error)
    } finally {
      setBusy(false)
    }
  }
  useEffect(() => void run(true), [edits])
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
        {failure !== undefined && <Problems {...props} failure={failure} />}
        {outcome?.diff !== undefined && <Difference lines={outcome.diff} />}
      </Form>
    </Dialog>
  )
}

const noRefusal = { type: '', fields: [] }

type ProblemsProps = ReviewProps & { readonly failure: Error }

function Problems({ failure, ...props }: ProblemsProps) {
  const { edits, onEdit, onClose } = props
  const { type, fields } = failure instanceof RefusalError ? failure : noRefusal
  if (type === 'precondition_failed') return <Conflict {...props} />
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

/** Says that record sets have changed meanwhile, and offers to compare with what they are now. */
function Conflict({ zone, edits, onEdits, onChanged }: ReviewProps) {
  const compare = async () => {
    const ids = edits.flatMap(edit => (edit.kind === 'create' ? [] : [edit.before.id]))
    const found = await Promise.all(ids.map(id => findRecordset(zone.id, id)))
    const current = found.flatMap(row => (row === undefined ? [] : [[row.id, row] as const]))
    onEdits(editsOf(edits, new Map(current)))
    onChanged()
  }
  return (
    <>
      <Complaint text={texts.review.conflict} />
      <button type="button" onClick={() => void compare().catch(notifyFailure)}>
        {texts.review.compare}
      </button>
    </>
  )
}
