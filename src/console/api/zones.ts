import { texts } from '../texts.ts'
import { call, send } from './client.ts'
import { listByName, type Page } from './lists.ts'

/** A zone as `/v2/zones` shows it. */
export type Zone = {
  readonly id: string
  readonly name: string
  readonly type: 'PRIMARY' | 'SECONDARY'
  readonly project_id: string
  readonly email: string | null
  readonly ttl: number | null
  readonly serial: number
  readonly status: 'ACTIVE' | 'PENDING' | 'ERROR'
  readonly status_reason: string | null
  readonly description: string | null
  readonly masters: readonly string[] | null
  readonly attributes: Readonly<Record<string, string>>
  readonly shared: boolean
  readonly version: number
  readonly created_at: string
  readonly updated_at: string | null
  readonly transferred_at: string | null
}

type ZoneQuery = {
  readonly name?: string
  /** `name:value`, or a part of it. */
  readonly tag?: string
  readonly marker?: string
  readonly limit?: number
}

/** Zones of the project. `name` may occur anywhere in the name, `tag` anywhere in one of the tags. */
export function listZones(query: ZoneQuery, signal?: AbortSignal): Promise<Page<Zone>> {
  const { name = '', tag = '', ...paging } = query
  const filter = { name: name && `*${name}*`, attributes: tag && `*${tag}*` }
  const zones = { path: '/v2/zones', collection: 'zones', isKeptByName: true }
  return listByName<Zone>({ ...zones, filter, ...paging }, signal)
}

export function getZone(idOrName: string): Promise<Zone> {
  return call({ path: `/v2/zones/${encodeURIComponent(idOrName)}` })
}

export type ZoneDraft = {
  readonly name: string
  readonly type?: Zone['type']
  readonly email?: string
  readonly ttl?: number
  readonly description?: string
  readonly masters?: readonly string[]
}

export function createZone(draft: ZoneDraft): Promise<Zone> {
  return call({ method: 'POST', path: '/v2/zones', body: draft })
}

export type ZonePatch = {
  readonly email?: string
  readonly ttl?: number
  readonly description?: string | null
  readonly masters?: readonly string[]
  /** Changes only the given attributes; null removes one. */
  readonly attributes?: Readonly<Record<string, string | null>>
}

export function updateZone({ id }: Zone, patch: ZonePatch): Promise<Zone> {
  return call({ method: 'PATCH', path: `/v2/zones/${id}`, body: patch })
}

/** Makes a SECONDARY zone a PRIMARY. */
export function promoteZone({ id }: Zone): Promise<Zone> {
  return call({ method: 'POST', path: `/v2/zones/${id}/tasks/promote` })
}

export async function deleteZone({ id }: Pick<Zone, 'id'>): Promise<void> {
  await send({ method: 'DELETE', path: `/v2/zones/${id}` })
}

/** The zone as a zone file. */
export async function exportZone({ id }: Zone): Promise<string> {
  let task = await call<Task>({ method: 'POST', path: `/v2/zones/${id}/tasks/export` })
  const path = `/v2/zones/tasks/exports/${task.id}`
  task = await ended(path, task)
  if (task.status === 'ERROR') throw new Error(task.message ?? texts.zone.exportFailed)
  const response = await send({ path: `${path}/export` })
  const text = await response.text()
  await send({ method: 'DELETE', path })
  return text
}

/** An import with its result. */
export type Import = Task & { readonly report: ImportReport | null }

export type ImportReport = {
  readonly left_out: Listed<Named & { readonly reason: string }>
  readonly changed: Listed<Named & { readonly reason: string }>
  readonly difference?: {
    readonly added: Listed<Difference>
    readonly changed: Listed<Difference>
    readonly removed: Listed<Difference>
  }
}

export type Difference = Named & {
  readonly before: Contents | null
  readonly after: Contents | null
}

type Named = { readonly name: string; readonly type: string }
type Contents = { readonly ttl: number; readonly records: readonly string[] }
type Listed<T> = { readonly count: number; readonly named: readonly T[] }

export type ImportOptions = { readonly isDryRun: boolean; readonly replaces: boolean }

/** Imports a zone file; resolves when the server has finished, whatever the result. */
export async function importZone(file: string, options: ImportOptions): Promise<Import> {
  const begun = await call<Import>({
    method: 'POST',
    path: '/v2/zones/tasks/imports',
    query: {
      dry_run: options.isDryRun || undefined,
      replace: options.replaces || undefined,
    },
    body: file,
    type: 'text/dns',
  })
  return (await ended(`/v2/zones/tasks/imports/${begun.id}`, begun)) as Import
}

type Task = {
  readonly id: string
  readonly status: 'PENDING' | 'COMPLETE' | 'ERROR'
  readonly message: string | null
  readonly zone_id: string | null
}

async function ended<T extends Task>(path: string, task: T): Promise<T> {
  let latest = task
  for (let pauseMs = 50; latest.status === 'PENDING'; pauseMs = Math.min(pauseMs * 2, 1000)) {
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    latest = await call<T>({ path })
  }
  return latest
}
