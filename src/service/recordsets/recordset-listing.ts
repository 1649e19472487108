import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { Recordset } from '../../model/recordset.ts'
import { enclosingNames } from '../../model/zone-name.ts'
import { everything, keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { type Page, type PageRequest, requireMarker } from '../listing/listing.ts'
import { PageSelection } from '../listing/page-selection.ts'
import { rowPages } from '../listing/row-pages.ts'
import { findShare, recordsetProject } from '../rules/zone-access.ts'

// Lists recordsets across zones. Each zone keeps its recordsets in order, and a page takes the first of all zones. By
// creation and without a filter, a page costs a lookup in each zone, the last page no more than the first. With a
// filter it costs a read of every row. In both cases other work runs in between.

/** Rows to walk: a group of an index of the store, and which of its rows. */
type Group = {
  readonly index: 'byZone' | 'byShare' | 'byOwner'
  readonly key: string
  /** Undefined: all. */
  readonly isWanted?: (recordset: Recordset) => boolean
}

type Request = PageRequest<Recordset> & { readonly name: string | undefined }

/** Takes one page of the recordsets in the caller's zones and of the caller's own in zones shared with it.
 *  @throws ApiError marker_not_found */
export async function pageAcrossZones(
  store: Store,
  caller: Caller,
  { name, ...request }: Request,
): Promise<Page<Recordset>> {
  const find = (id: string) => findListed(store, caller, id)
  const after = request.marker === undefined ? undefined : requireMarker({ find }, request.marker)
  const selection = new PageSelection(request, { after })
  const groups = name === undefined ? groupsOf(store, caller) : groupsNamed(store, caller, name)
  let passedOverCount = 0
  const slice = new TimeSlice()
  for (const group of groups) {
    const isPlain = group.isWanted === undefined && request.matches === undefined
    if (isPlain && request.sortBy === undefined) {
      const addedCount = addNearest(store, group, { selection, after, request })
      passedOverCount += store.count('recordsets', group.index, group.key) - addedCount
    } else {
      await addAll(store, group, { selection, slice })
    }
    if (slice.isSpent) await slice.yield()
  }
  const { totalCount, ...page } = selection.page
  return { ...page, totalCount: totalCount + passedOverCount }
}

/** Adds rows of a group in the list's order until one cannot be on the page; returns how many it offered. */
function addNearest(
  store: StoreReader,
  { index, key }: Group,
  to: {
    readonly selection: PageSelection<Recordset>
    readonly after: Recordset | undefined
    readonly request: PageRequest<Recordset>
  },
): number {
  const { selection, after, request } = to
  const cursor = after === undefined ? {} : { after }
  const options = { isDescending: request.isDescending, ...cursor }
  let count = 0
  for (const row of store.list('recordsets', index, key, options)) {
    count += 1
    if (!selection.add(row)) break
  }
  return count
}

/** Adds all rows of a group. */
async function addAll(
  store: StoreReader,
  { index, key, isWanted = () => true }: Group,
  to: { readonly selection: PageSelection<Recordset>; readonly slice: TimeSlice },
): Promise<void> {
  const { selection, slice } = to
  for (const page of rowPages(store, 'recordsets', { index, key })) {
    for (const row of page) if (isWanted(row)) selection.add(row)
    if (slice.isSpent) await slice.yield()
  }
}

function* groupsOf(reader: StoreReader, caller: Caller): Generator<Group> {
  const { hasAllProjects, projectId } = caller
  const zones = hasAllProjects
    ? reader.list('zones', 'all', everything)
    : reader.list('zones', 'byProject', projectId)
  for (const { id } of zones) yield { index: 'byZone', key: id }
  if (hasAllProjects) return
  for (const { id } of reader.list('zoneShares', 'byTarget', projectId)) {
    yield { index: 'byShare', key: id }
  }
}

/** The few groups that can have recordsets of one owner name. */
function groupsNamed(reader: StoreReader, caller: Caller, name: string): readonly Group[] {
  const lowerName = name.toLowerCase()
  const zones = [lowerName, ...enclosingNames(lowerName)].flatMap(zoneName => [
    ...reader.list('zones', 'byLowerName', zoneName),
  ])
  return zones.flatMap(zone => {
    const group = { index: 'byOwner', key: keyOf(zone.id, lowerName) } as const
    if (reachesProject(caller, zone.projectId)) return group
    const share = findShare(reader, caller.projectId, zone)
    return share === undefined ? [] : { ...group, isWanted: row => row.shareId === share.id }
  })
}

function findListed(reader: StoreReader, caller: Caller, id: string): Recordset | undefined {
  const recordset = reader.get('recordsets', id)
  const zone = recordset && reader.get('zones', recordset.zoneId)
  if (recordset === undefined || zone === undefined || zone.isAbandoned) return undefined
  const projectIds = [zone.projectId, recordsetProject(reader, recordset, zone)]
  return projectIds.some(projectId => reachesProject(caller, projectId)) ? recordset : undefined
}
