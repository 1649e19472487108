import { setTimeout as wait } from 'node:timers/promises'
import { ClientError } from './client-error.ts'
import type { DifferenceLine } from './output.ts'
import { type JsonObject, queryOf, type Session } from './session.ts'
import { absoluteName, zonePath } from './zone-names.ts'

/** A short file is done at once, and thousands of them are imported one after the other. */
const firstPollMs = 5
const maxPollMs = 200

/** The text of a zone as a zone file. */
export async function exportZone(session: Session, zone: string): Promise<string> {
  const task = await session.json('POST', `${zonePath(zone)}/tasks/export`)
  const path = `/v2/zones/tasks/exports/${task.id}`
  try {
    await settled(session, path, task)
    return await session.text('GET', `${path}/export`)
  } finally {
    await session.json('DELETE', path)
  }
}

/** The zone file of a zone as it was at a serial or a time. */
export async function exportPastZone(session: Session, zone: string, at: string): Promise<string> {
  const path = `${zonePath(zone)}/history/zone?${new URLSearchParams({ at })}`
  return session.text('GET', path, undefined, { accept: 'text/dns' })
}

/** Options of an import. */
export type ImportOptions = {
  readonly origin?: string | undefined
  readonly replaces?: boolean | undefined
  readonly isDryRun?: boolean | undefined
}

/** Imports a zone file, or checks what that would do, and resolves with the finished import.
 *  @throws ClientError the import failed */
export async function importZone(
  session: Session,
  text: string,
  { origin, replaces = false, isDryRun = false }: ImportOptions,
): Promise<JsonObject> {
  const query = queryOf({
    origin: origin === undefined ? undefined : absoluteName(origin),
    replace: String(replaces),
    dry_run: String(isDryRun),
  })
  const body = { text, mediaType: 'text/dns' }
  const created = await session.text('POST', `/v2/zones/tasks/imports?${query}`, body)
  const task = JSON.parse(created) as JsonObject
  return settled(session, `/v2/zones/tasks/imports/${task.id}`, task)
}

/** Waits until a task is finished. */
async function settled(session: Session, path: string, created: JsonObject): Promise<JsonObject> {
  let task = created
  for (
    let pollMs = firstPollMs;
    task.status === 'PENDING';
    pollMs = Math.min(2 * pollMs, maxPollMs)
  ) {
    await wait(pollMs)
    task = await session.get(path)
  }
  if (task.status === 'ERROR') throw new ClientError(String(task.message ?? 'the task failed'))
  return task
}

type Shown = { readonly ttl: number | null; readonly records: readonly string[] } | null
type Change = { name: string; type: string; before: Shown; after: Shown }
type Changes = { readonly count: number; readonly named: readonly Change[] }

/** What an import changes, as lines of a zone file. */
export function differenceLines(task: JsonObject): readonly DifferenceLine[] {
  const report = task.report as { readonly difference?: Record<string, Changes> | null } | null
  const { added, changed, removed } = report?.difference ?? {}
  const changes = [added, changed, removed].flatMap(list => list?.named ?? [])
  return changes.flatMap(({ name, type, before, after }) => [
    ...lines('-', { name, type, shown: before, without: after }),
    ...lines('+', { name, type, shown: after, without: before }),
  ])
}

function lines(
  sign: '+' | '-',
  { name, type, shown, without }: { name: string; type: string; shown: Shown; without: Shown },
): DifferenceLine[] {
  if (shown === null) return []
  const kept = shown.ttl === without?.ttl ? without.records : []
  return shown.records
    .filter(record => !kept.includes(record))
    .map(record => [name, shown.ttl ?? '', 'IN', type, record].filter(part => part !== ''))
    .map(parts => ({ sign, text: parts.join(' ') }))
}
