import type { Static } from 'typebox'
import type { exportAnswer, importAnswer, zoneAnswer } from '../../api/dns/answers.ts'
import { texts } from '../texts.ts'
import { call, send } from './client.ts'
import { listByName, type Page } from './lists.ts'

/** A zone as `/v2/zones` shows it. */
export type Zone = Static<typeof zoneAnswer>

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
  readonly ttl?: number | string
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
  const begun = await call<Static<typeof exportAnswer>>({
    method: 'POST',
    path: `/v2/zones/${id}/tasks/export`,
  })
  const path = `/v2/zones/tasks/exports/${begun.id}`
  try {
    const { status, message } = await ended(path, begun)
    if (status === 'ERROR') throw new Error(message ?? texts.zone.exportFailed)
    const response = await send({ path: `${path}/export` })
    return await response.text()
  } finally {
    await send({ method: 'DELETE', path }).catch(() => undefined)
  }
}

/** An import with its result. */
export type Import = Static<typeof importAnswer>

export type ImportReport = NonNullable<Import['report']>

export type Difference = NonNullable<ImportReport['difference']>['added']['named'][number]

export type ImportOptions = {
  readonly isDryRun: boolean
  readonly replaces: boolean
  /** The name of the zone, for a file that does not begin with $ORIGIN. */
  readonly origin?: string
}

/** Imports a zone file; resolves when the server has finished, whatever the result. */
export async function importZone(file: string, options: ImportOptions): Promise<Import> {
  const begun = await call<Import>({
    method: 'POST',
    path: '/v2/zones/tasks/imports',
    query: {
      dry_run: options.isDryRun || undefined,
      replace: options.replaces || undefined,
      origin: options.origin,
    },
    body: file,
    type: 'text/dns',
  })
  return ended(`/v2/zones/tasks/imports/${begun.id}`, begun)
}

async function ended<T extends Pick<Import, 'status'>>(path: string, task: T): Promise<T> {
  let latest = task
  for (let pauseMs = 50; latest.status === 'PENDING'; pauseMs = Math.min(pauseMs * 2, 1000)) {
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    latest = await call<T>({ path })
  }
  return latest
}
