import { useState } from 'preact/hooks'
import { type Difference, type Import, importZone } from '../api/zones.ts'
import { texts } from '../texts.ts'
import { Difference as DifferenceLines } from '../ui/difference.tsx'
import { Complaint } from '../ui/field.tsx'

type ZoneFileFormProps = {
  readonly file: string
  /** Whether an existing zone of this name is replaced by the content of the file. */
  readonly replaces: boolean
  /** The name of the zone, where the file may leave it out. */
  readonly origin?: string
  /** The label of the button that imports the file. */
  readonly submit: string
  readonly onInput: (file: string) => void
  readonly onImported?: () => void
}

/** A zone file to be edited, checked and imported, in this order. */
export function ZoneFileForm(props: ZoneFileFormProps) {
  const { file, replaces, origin = '', submit, onInput, onImported } = props
  const [outcome, setOutcome] = useState<Outcome>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const isChecked =
    outcome?.isDryRun === true &&
    outcome.file === file &&
    outcome.replaces === replaces &&
    outcome.origin === origin
  const isShown = isChecked || outcome?.isDryRun === false
  const run = async (isDryRun: boolean) => {
    setBusy(true)
    setError(undefined)
    try {
      const task = await importZone(file, { isDryRun, replaces, origin })
      if (task.status === 'ERROR') return setError(task.message ?? '')
      setOutcome({ task, isDryRun, file, replaces, origin })
      if (!isDryRun) onImported?.()
    } catch (failure) {
      setError((failure as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <label class="field fill">
        {texts.import.paste}
        <textarea
          rows={12}
          spellcheck={false}
          value={file}
          onInput={event => onInput(event.currentTarget.value)}
        />
      </label>
      <Complaint text={error} />
      {isShown && <OutcomeView {...outcome} />}
      <div class="actions">
        <button type="button" disabled={isBusy || file === ''} onClick={() => void run(true)}>
          {texts.import.check}
        </button>
        <button
          type="button"
          class="main"
          disabled={isBusy || !isChecked}
          onClick={() => void run(false)}
        >
          {submit}
        </button>
      </div>
    </>
  )
}

/** The result of a file, as the file was when it was sent. */
type Outcome = {
  readonly task: Import
  readonly isDryRun: boolean
  readonly file: string
  readonly replaces: boolean
  readonly origin: string
}

function OutcomeView({ task, isDryRun }: Pick<Outcome, 'task' | 'isDryRun'>) {
  const { report, message, zone_id: zoneId } = task
  const { added, changed, removed } = report?.difference ?? {}
  return (
    <div role="status">
      <p>{isDryRun ? message : `${texts.import.done} ${message ?? ''}`}</p>
      {!isDryRun && zoneId !== null && (
        <a class="button" href={`/console/zones/${zoneId}`}>
          {texts.import.open}
        </a>
      )}
      {[
        { title: texts.import.added, part: added },
        { title: texts.import.changed, part: changed },
        { title: texts.import.removed, part: removed },
      ].map(
        ({ title, part }) =>
          part !== undefined &&
          part.count > 0 && (
            <details key={title}>
              <summary>
                {title}: {part.count}
              </summary>
              <DifferenceLines lines={part.named.flatMap(linesOf)} />
              {part.count > part.named.length && (
                <p>{texts.import.more(part.count - part.named.length)}</p>
              )}
            </details>
          ),
      )}
    </div>
  )
}

function linesOf({ name, type, before, after }: Difference): readonly string[] {
  const lines = (sign: string, contents: Difference['before']) =>
    (contents?.records ?? []).map(record => `${sign}${name} ${contents?.ttl} IN ${type} ${record}`)
  return [...lines('-', before), ...lines('+', after)]
}
