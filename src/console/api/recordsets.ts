import type { Static } from 'typebox'
import type { changesAnswer } from '../../api/dns/answers.ts'
import type { ChangeSet } from '../records/edits.ts'
import type { Recordset } from '../records/recordset.ts'
import { call, RefusalError } from './client.ts'
import { listByName, listPart, type Page } from './lists.ts'
import type { Zone } from './zones.ts'

type RecordsetQuery = {
  readonly text?: string
  readonly type?: string
  readonly marker?: string | undefined
  readonly limit?: number
}

/** Recordsets of a zone, those of the apex first where all of them are one page. `text` may occur anywhere in the
 *  name; a text that is a whole name in the zone stands for that name alone. */
export async function listRecordsets(
  { id, name: zoneName }: Zone,
  { text = '', type, ...paging }: RecordsetQuery,
  signal?: AbortSignal,
): Promise<Page<Recordset>> {
  const path = `/v2/zones/${id}/recordsets`
  const isWhole = `.${text}`.endsWith(`.${zoneName}`)
  const filter = { type, name: text && (isWhole ? text : `*${text}*`) }
  const listing = { path, collection: 'recordsets', filter, ...paging }
  const page = await listByName<Recordset>(listing, signal)
  if (paging.marker !== undefined || page.next !== undefined) return page
  const isApex = ({ name, zone_name: zone }: Recordset) => name === zone
  const below = page.items.filter(row => !isApex(row))
  return { ...page, items: [...page.items.filter(isApex), ...below] }
}

/** A record set of a zone; undefined where it is gone. */
export async function findRecordset(zoneId: string, id: string): Promise<Recordset | undefined> {
  try {
    return await call({ method: 'GET', path: `/v2/zones/${zoneId}/recordsets/${id}` })
  } catch (error) {
    if (error instanceof RefusalError && error.status === 404) return undefined
    throw error
  }
}

/** Record sets of all zones of the project with a text in their names, or in their values. */
export function searchRecordsets(
  field: 'name' | 'data',
  text: string,
  signal: AbortSignal,
): Promise<Page<Recordset>> {
  const query = { limit: 20, [field]: `*${text}*` }
  const headers = { 'openstack-dns-hide-counts': 'true' }
  return listPart('recordsets', { path: '/v2/recordsets', query, headers, signal })
}

/** The result of a change set, or of its dry run. */
export type ChangeOutcome = Static<typeof changesAnswer>

/** Applies a change set completely or not at all. */
export function change(
  zoneId: string,
  set: ChangeSet,
  options: { readonly isDryRun: boolean; readonly signal?: AbortSignal },
): Promise<ChangeOutcome> {
  return call({
    method: 'POST',
    path: `/v2/zones/${zoneId}/changes`,
    body: { ...set, dry_run: options.isDryRun },
    ...(options.signal && { signal: options.signal }),
  })
}
