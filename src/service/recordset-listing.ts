import { type Caller, reachesProject } from '../identity/caller.ts'
import type { Recordset } from '../model/recordset.ts'
import { enclosingNames } from '../model/zone-name.ts'
import { everything, keyOf } from '../store/indexes.ts'
import type { Store, StoreReader } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import { comparing, type Page, type PageRequest, requireMarker } from './listing.ts'
import { rowPages } from './row-pages.ts'
import { findShare, recordsetProject } from './zone-access.ts'

// Lists record sets across zones. Each zone keeps its own in order, and a page is the best of all: by creation,
// with nothing to filter, a page costs a look into each zone, and the last page no more than the first. With a
// filter it costs a look at every row. Either way others have their turn in between.

/** Rows to walk: a group of the store's, and which of it. */
type Group = {
  readonly index: 'byZone' | 'byShare' | 'byOwner'
  readonly key: string
  /** Undefined: all. */
  readonly isWanted?: (recordset: Recordset) => boolean
}

type Request = PageRequest<Recordset> & { readonly name: string | undefined }

/** Takes one page out of the record sets of the caller's zones and of its own in zones shared with it.
 *  @throws ApiError marker_not_found */
export async function pageAcrossZones(
  store: Store,
  caller: Caller,
  { name, ...request }: Request,
): Promise<Page<Recordset>> {
  const find = (id: string) => findListed(store, caller, id)
  const after = request.marker === undefined ? undefined : requireMarker({ find }, request.marker)
  const best = new BestRows(request, after)
  const groups = name === undefined ? groupsOf(store, caller) : groupsNamed(store, caller, name)
  let totalCount = 0
  const slice = new TimeSlice()
  for (const group of groups) {
    const isPlain = group.isWanted === undefined && request.matches === undefined
    if (isPlain && request.sortBy === undefined) {
      totalCount += store.count('recordsets', group.index, group.key)
      offerNearest(store, group, { best, after, request })
    } else {
      totalCount += await offerAll(store, group, { best, request, slice })
    }
    if (slice.isSpent) await slice.rest()
  }
  return { rows: best.rows, totalCount }
}

/** Offers rows of a group in the list's own order, as long as they have a chance. */
function offerNearest(
  store: StoreReader,
  { index, key }: Group,
  offer: {
    readonly best: BestRows
    readonly after: Recordset | undefined
    readonly request: PageRequest<Recordset>
  },
): void {
  const { best, after, request } = offer
  const place = after === undefined ? {} : { after }
  const options = { isDescending: request.isDescending, ...place }
  for (const row of store.list('recordsets', index, key, options)) {
    if (!best.offer(row)) return
  }
}

/** Offers all rows of a group that match, and counts them. */
async function offerAll(
  store: StoreReader,
  { index, key, isWanted = () => true }: Group,
  offer: {
    readonly best: BestRows
    readonly request: PageRequest<Recordset>
    readonly slice: TimeSlice
  },
): Promise<number> {
  const { best, request, slice } = offer
  const { matches = () => true } = request
  let count = 0
  for (const page of rowPages(store, 'recordsets', { index, key })) {
    for (const row of page) {
      if (!isWanted(row) || !matches(row)) continue
      count += 1
      best.offer(row)
    }
    if (slice.isSpent) await slice.rest()
  }
  return count
}

function groupsOf(reader: StoreReader, caller: Caller): readonly Group[] {
  const { hasAllProjects, projectId } = caller
  const zones = hasAllProjects
    ? reader.list('zones', 'all', everything)
    : reader.list('zones', 'byProject', projectId)
  const groups: Group[] = []
  for (const { id } of zones) groups.push({ index: 'byZone', key: id })
  if (hasAllProjects) return groups
  for (const { id } of reader.list('zoneShares', 'byTarget', projectId)) {
    groups.push({ index: 'byShare', key: id })
  }
  return groups
}

/** The few groups that can hold record sets of one owner name. */
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
  if (recordset === undefined || zone === undefined) return undefined
  const projectIds = [zone.projectId, recordsetProject(reader, recordset, zone)]
  return projectIds.some(projectId => reachesProject(caller, projectId)) ? recordset : undefined
}

/** The first rows of a list, up to a page, out of rows that come in any order. */
class BestRows {
  readonly #limit: number
  readonly #after: Recordset | undefined
  readonly #compare: (one: Recordset, other: Recordset) => number
  readonly #rows: Recordset[] = []

  constructor(request: PageRequest<Recordset>, after: Recordset | undefined) {
    this.#limit = request.limit
    this.#after = after
    this.#compare = comparing(request)
  }

  get rows(): readonly Recordset[] {
    return this.#rows
  }

  /** Takes a row unless the page is full of better ones; returns whether one that comes behind this could still
   *  be taken. */
  offer(row: Recordset): boolean {
    if (this.#after !== undefined && this.#compare(this.#after, row) >= 0) return true
    const worst = this.#rows.at(-1)
    const isFull = this.#rows.length === this.#limit
    if (isFull && worst !== undefined && this.#compare(worst, row) < 0) return false
    this.#rows.splice(this.#placeOf(row), 0, row)
    if (this.#rows.length > this.#limit) this.#rows.pop()
    return true
  }

  #placeOf(row: Recordset): number {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#rows[middle]
      if (other !== undefined && this.#compare(other, row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
