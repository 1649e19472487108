import { useState } from 'preact/hooks'
import { type Difference, type Import, importZone } from '../api/zones.ts'
import { texts } from '../texts.ts'
import { Complaint } from '../ui/field.tsx'
import { Difference as DifferenceLines } from './zone/review.tsx'

/** A zone file that is dropped, chosen or pasted: checked first, then imported. */
export function ImportPage() {
  const [file, setFile] = useState('')
  const [replaces, setReplaces] = useState(false)
  const [outcome, setOutcome] = useState<{ readonly task: Import; readonly isDryRun: boolean }>()
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const take = (text: string) => {
    setFile(text)
    setOutcome(undefined)
  }
  const run = async (isDryRun: boolean) => {
    setBusy(true)
    setError(undefined)
    try {
      const task = await importZone(file, { isDryRun, replaces })
      if (task.status === 'ERROR') setError(task.message ?? undefined)
      else setOutcome({ task, isDryRun })
    } catch (failure) {
      setError((failure as Error).message)
    } finally {
      setBusy(false)
    }
  }
  const takeFirst = (files: FileList | null | undefined) => {
    const [first] = files ?? []
    if (first !== undefined) void first.text().then(take)
  }
  return (
    <section class="page">
      <div class="bar">
        <h1>{texts.import.title}</h1>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of three ways; the others are a button and a field */}
      <div
        class="drop"
        onDragOver={event => event.preventDefault()}
        onDrop={event => {
          event.preventDefault()
          takeFirst(event.dataTransfer?.files)
        }}
      >
        <p>{texts.import.drop}</p>
        <label class="button">
          {texts.import.choose}
          <input
            type="file"
            class="unseen"
            onChange={event => takeFirst(event.currentTarget.files)}
          />
        </label>
      </div>
      <label class="field">
        {texts.import.paste}
        <textarea
          rows={12}
          spellcheck={false}
          value={file}
          onInput={event => take(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={replaces}
          onChange={event => {
            setReplaces(event.currentTarget.checked)
            setOutcome(undefined)
          }}
        />
        {texts.import.replace}
      </label>
      <Complaint text={error} />
      {outcome !== undefined && <Outcome {...outcome} />}
      <div class="actions">
        <button type="button" disabled={isBusy || file === ''} onClick={() => void run(true)}>
          {texts.import.check}
        </button>
        <button
          type="button"
          class="main"
          disabled={isBusy || outcome?.isDryRun !== true}
          onClick={() => void run(false)}
        >
          {texts.import.submit}
        </button>
      </div>
    </section>
  )
}

function Outcome({ task, isDryRun }: { readonly task: Import; readonly isDryRun: boolean }) {
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
