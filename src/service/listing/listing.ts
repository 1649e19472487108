import { ApiError } from '../../errors.ts'
import type { CollectionName, Collections } from '../../model/collections.ts'
import type { Stamped } from '../../model/stamped.ts'
import { type GroupIndexName, indexes } from '../../store/indexes.ts'
import type { ListOptions, StoreReader } from '../../store/store.ts'
import { atOnce, inSlices, type Steps, undivided } from '../../time-slice.ts'
import { PageRoom } from './page-room.ts'
import { compareValues, type Page, type PageRequest, PageSelection } from './page-selection.ts'

export type { Page, PageRequest } from './page-selection.ts'

/** The rows of a list, before any filter. */
export type Listing<R> = {
  /** Walks in order of creation. */
  walk(options: ListOptions): Iterable<R>
  /** Walks in order of names, if an index has that order; `after` is a row. */
  walkByName?(options: ListOptions): Iterable<R>
  count(): number
  /** Finds a row of the list by its id. */
  find(id: string): R | undefined
  /** Whether a row counts; by default all do. */
  isCounted?(row: R): boolean
}

type KeysIn<C extends CollectionName> = (
  row: Collections[C],
) => string | readonly string[] | undefined

/** The rows of a group of an index. */
export function groupListing<C extends CollectionName>(
  reader: StoreReader,
  collection: C,
  { index, key }: { readonly index: GroupIndexName<C>; readonly key: string },
): Listing<Collections[C]> {
  const keysIn = indexes[collection].groups[index as never] as KeysIn<C>
  return {
    walk: options => reader.list(collection, index, key, options),
    count: () => reader.count(collection, index, key),
    find(id) {
      const row = reader.get(collection, id)
      return row !== undefined && [keysIn(row)].flat().includes(key) ? row : undefined
    },
  }
}

/** Rows at hand, in order of creation. */
export function rowListing<R extends Stamped>(rows: readonly R[]): Listing<R> {
  return {
    walk({ after, isDescending }) {
      const ordered = isDescending ? rows.toReversed() : rows
      return ordered.slice(1 + ordered.findIndex(({ id }) => id === after?.id))
    },
    count: () => rows.length,
    find: id => rows.find(row => row.id === id),
  }
}

/** Takes one page out of a short list.
 *  @throws ApiError marker_not_found */
export function pageOf<R extends Stamped>(listing: Listing<R>, request: PageRequest<R>): Page<R> {
  const walk = indexedWalk(listing, request)
  if (walk !== undefined) return indexedPage(listing, request, walk)
  return atOnce(selectedPage(listing, request))
}

/** As `pageOf`, for a list that may be long: a walk over every row yields to other work. Of a row that is added, changed or
 *  removed meanwhile it may see either state.
 *  @throws ApiError marker_not_found */
export function pageInSlices<R extends Stamped>(
  listing: Listing<R>,
  request: PageRequest<R>,
): Promise<Page<R>> {
  const walk = indexedWalk(listing, request)
  // Of many concurrent requests each sees one moment, but not all the same one.
  if (walk !== undefined) return undivided(() => indexedPage(listing, request, walk))
  return inSlices(selectedPage(listing, request))
}

function* selectedPage<R extends Stamped>(
  listing: Listing<R>,
  request: PageRequest<R>,
): Steps<Page<R>> {
  const after = markedRow(listing, request)
  const selection = new PageSelection(request, { after, isCounted: listing.isCounted })
  for (const row of listing.walk({ isDescending: request.isDescending })) {
    selection.add(row)
    yield
  }
  return selection.page
}

export function requireMarker<R>(listing: Pick<Listing<R>, 'find'>, id: string): R {
  const row = listing.find(id)
  if (row !== undefined) return row
  throw new ApiError('marker_not_found', `Marker ${id} could not be found`)
}

function markedRow<R>(
  listing: Listing<R>,
  { marker }: Pick<PageRequest<never>, 'marker'>,
): R | undefined {
  return marker === undefined ? undefined : requireMarker(listing, marker)
}

type Walk<R> = (options: ListOptions) => Iterable<R>

/** The walk in which the rows of a page follow each other; undefined where every row has to be looked at. */
function indexedWalk<R>(
  listing: Listing<R>,
  { sortBy, isByName, matches }: PageRequest<R>,
): Walk<R> | undefined {
  if (matches !== undefined) return undefined
  if (sortBy === undefined) return listing.walk
  return isByName ? listing.walkByName : undefined
}

function indexedPage<R extends Stamped>(
  listing: Listing<R>,
  request: PageRequest<R>,
  walk: Walk<R>,
): Page<R> {
  const { isDescending, limit } = request
  const after = markedRow(listing, request)
  const rows: R[] = []
  const room = new PageRoom(limit)
  for (const row of walk({ isDescending, ...(after !== undefined && { after }) })) {
    rows.push(row)
    if (room.take(row)) break
  }
  return { rows, totalCount: listing.count(), isFull: room.isFull }
}

/** The default order of a list: that of the store's groups. */
export function compareCreation(
  one: Pick<Stamped, 'createdAt' | 'id'>,
  other: Pick<Stamped, 'createdAt' | 'id'>,
): number {
  return compareValues(one.createdAt, other.createdAt) || compareValues(one.id, other.id)
}
