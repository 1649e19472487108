import { ApiError } from '../../errors.ts'
import type { Stamped } from '../../model/stamped.ts'
import type { ListOptions } from '../../store/store.ts'
import { TimeSlice, undivided } from '../../time-slice.ts'
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

/** Takes one page out of a short list.
 *  @throws ApiError marker_not_found */
export function pageOf<R extends Stamped>(listing: Listing<R>, request: PageRequest<R>): Page<R> {
  const after = markedRow(listing, request)
  const walk = indexedWalk(listing, request)
  if (walk !== undefined) return indexedPage(listing, { ...request, walk, after })
  const { isCounted } = listing
  const selection = new PageSelection(request, { after, isCounted })
  for (const row of listing.walk({ isDescending: request.isDescending })) selection.add(row)
  return selection.page
}

/** As `pageOf`, for a list that may be long: a walk over every row yields to other work. Of a row that is added, changed or
 *  removed meanwhile it may see either state.
 *  @throws ApiError marker_not_found */
export async function pageInSlices<R extends Stamped>(
  listing: Listing<R>,
  request: PageRequest<R>,
): Promise<Page<R>> {
  const walk = indexedWalk(listing, request)
  if (walk !== undefined) {
    // Of many concurrent requests each sees one moment, but not all the same one.
    return undivided(() => {
      const after = markedRow(listing, request)
      return indexedPage(listing, { ...request, walk, after })
    })
  }
  const after = markedRow(listing, request)
  const { isCounted } = listing
  const selection = new PageSelection(request, { after, isCounted })
  const slice = new TimeSlice()
  for (const row of listing.walk({ isDescending: request.isDescending })) {
    selection.add(row)
    if (slice.isSpent) await slice.yield()
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
  {
    walk,
    isDescending,
    limit,
    after,
  }: Pick<PageRequest<R>, 'isDescending' | 'limit'> & {
    readonly walk: Walk<R>
    readonly after: R | undefined
  },
): Page<R> {
  const rows: R[] = []
  for (const row of walk({ isDescending, ...(after !== undefined && { after }) })) {
    if (rows.length === limit) break
    rows.push(row)
  }
  return { rows, totalCount: listing.count() }
}

/** The default order of a list: that of the store's groups. */
export function compareCreation(
  one: Pick<Stamped, 'createdAt' | 'id'>,
  other: Pick<Stamped, 'createdAt' | 'id'>,
): number {
  return compareValues(one.createdAt, other.createdAt) || compareValues(one.id, other.id)
}
