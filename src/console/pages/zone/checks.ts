import { useEffect, useState } from 'preact/hooks'
import { RefusalError } from '../../api/client.ts'
import { change } from '../../api/recordsets.ts'
import type { Zone } from '../../api/zones.ts'
import { type ChangingEdit, changeSetOf, type Problem, problemsOf } from '../../records/edits.ts'

const checkAfterMs = 300

/** Has the server check an edit once the user has stopped typing for a moment. */
export function useChecks(zone: Zone, edit: ChangingEdit): readonly Problem[] {
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const text = JSON.stringify(edit.draft)
  useEffect(() => {
    const isUntouched = edit.draft.records.every(record => record === '')
    if (isUntouched) return setProblems([])
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const { signal } = abort
      const found = await check(zone, edit, signal)
      if (!signal.aborted) setProblems(found)
    }, checkAfterMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, zone.id])
  return problems
}

async function check(
  zone: Zone,
  edit: ChangingEdit,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  try {
    await change(zone.id, changeSetOf([edit]), { isDryRun: true, signal })
    return []
  } catch (error) {
    if (!(error instanceof RefusalError)) return []
    const found = problemsOf([edit], error.fields)
    return found.length > 0 ? found : [{ key: edit.key, record: undefined, message: error.message }]
  }
}
