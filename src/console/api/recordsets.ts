import type { ChangeSet } from '../records/edits.ts'
import type { Recordset } from '../records/recordset.ts'
import { call } from './client.ts'
import { type Counts, type Links, nextMarker, type Page } from './zones.ts'

export type RecordsetQuery = {
  readonly text?: string
  readonly type?: string
  readonly marker?: string
  readonly limit?: number
}

type Listed = {
  readonly recordsets: readonly Recordset[]
  readonly links: Links
  readonly metadata: Counts
}

/** Record sets of a zone in the order of their names. `text` may stand anywhere in the name. */
export async function listRecordsets(
  zoneId: string,
  { text = '', type, marker, limit = 200 }: RecordsetQuery,
  signal?: AbortSignal,
): Promise<Page<Recordset>> {
  const answer = await call<Listed>({
    path: `/v2/zones/${zoneId}/recordsets`,
    query: { limit, marker, sort_key: 'name', type, name: text && `*${text}*` },
    ...(signal && { signal }),
  })
  return pageOf(answer)
}

/** Record sets of all zones of the project with a text in their names, or in their values. */
export async function searchRecordsets(
  field: 'name' | 'data',
  text: string,
  signal: AbortSignal,
): Promise<Page<Recordset>> {
  const query = { limit: 20, [field]: `*${text}*` }
  const headers = { 'openstack-dns-hide-counts': 'true' }
  return pageOf(await call<Listed>({ path: '/v2/recordsets', query, headers, signal }))
}

/** What a change set did, or would do. */
export type ChangeOutcome = {
  readonly serial_before: number
  readonly serial: number
  readonly dry_run?: boolean
  /** Lines of a zone file that go (`-`) and come (`+`); only of a dry run. */
  readonly diff?: readonly string[]
}

/** Applies a change set, all of it or nothing. */
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

function pageOf({ recordsets, links, metadata }: Listed): Page<Recordset> {
  return { items: recordsets, total: metadata?.total_count ?? 0, next: nextMarker(links) }
}
