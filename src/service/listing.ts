import { ApiError } from '../errors.ts'
import type { Stamped } from '../model/stamped.ts'
import type { ListOptions } from '../store/store.ts'

/** Which rows of a list are wanted. Attribute names are the API's business; here they are functions. */
export type PageRequest<R> = {
  readonly limit: number
  /** Id of the last row of the page before. */
  readonly marker: string | undefined
  readonly isDescending: boolean
  /** Undefined: by creation, the one order that costs the same on every page. Null comes first. */
  readonly sortBy: ((row: R) => string | number | null) | undefined
  /** Undefined: all rows, whose number is known without looking at them. */
  readonly matches: ((row: R) => boolean) | undefined
}

export type Page<R> = {
  readonly rows: readonly R[]
  /** Of all pages together, without rows that are not counted. */
  readonly totalCount: number
}

/** All rows that a list could hold. */
export type Listing<R> = {
  /** Walks in order of creation. */
  walk(options: ListOptions): Iterable<R>
  count(): number
  /** Finds a row of the list by its id. */
  find(id: string): R | undefined
  /** Whether a row counts; all do where nothing else is said. */
  isCounted?(row: R): boolean
}

/** Takes one page out of a list.
 *  @throws ApiError marker_not_found */
export function pageOf<R extends Stamped>(listing: Listing<R>, request: PageRequest<R>): Page<R> {
  const after = request.marker === undefined ? undefined : requireMarker(listing, request.marker)
  if (request.sortBy !== undefined) return sortedPage(listing, request, after)
  if (request.matches !== undefined) return filteredPage(listing, request, after)
  const rows = take(listing.walk(optionsFor(request, after)), request.limit)
  return { rows, totalCount: listing.count() }
}

export function requireMarker<R>(listing: Pick<Listing<R>, 'find'>, id: string): R {
  const row = listing.find(id)
  if (row !== undefined) return row
  throw new ApiError('marker_not_found', `Marker ${id} could not be found`)
}

function optionsFor<R extends Stamped>(
  { isDescending }: PageRequest<R>,
  after: R | undefined,
): ListOptions {
  return { isDescending, ...(after !== undefined && { after }) }
}

function take<R>(rows: Iterable<R>, limit: number): readonly R[] {
  const taken: R[] = []
  for (const row of rows) {
    if (taken.length === limit) break
    taken.push(row)
  }
  return taken
}

/** Counting what matches means to look at every row, so the page is picked up on the way. */
function filteredPage<R extends Stamped>(
  listing: Listing<R>,
  request: PageRequest<R>,
  after: R | undefined,
): Page<R> {
  const rows: R[] = []
  let totalCount = 0
  const { isCounted = () => true } = listing
  const compare = comparing(request)
  for (const row of matching(listing, request)) {
    if (isCounted(row)) totalCount += 1
    const isBehind = after === undefined || compare(after, row) < 0
    if (isBehind && rows.length < request.limit) rows.push(row)
  }
  return { rows, totalCount }
}

function sortedPage<R extends Stamped>(
  listing: Listing<R>,
  request: PageRequest<R>,
  after: R | undefined,
): Page<R> {
  const compare = comparing(request)
  const { isCounted = () => true } = listing
  const rows = [...matching(listing, request)]
  const behind = after === undefined ? rows : rows.filter(row => compare(after, row) < 0)
  return {
    rows: behind.sort(compare).slice(0, request.limit),
    totalCount: rows.filter(isCounted).length,
  }
}

function* matching<R extends Stamped>(
  listing: Listing<R>,
  { matches, isDescending }: PageRequest<R>,
): Generator<R> {
  for (const row of listing.walk({ isDescending })) {
    if (matches === undefined || matches(row)) yield row
  }
}

/** The order of a list that is not sorted by anything else: that of the store's groups. */
export function compareCreation(
  one: Pick<Stamped, 'createdAt' | 'id'>,
  other: Pick<Stamped, 'createdAt' | 'id'>,
): number {
  return compareValues(one.createdAt, other.createdAt) || compareValues(one.id, other.id)
}

/** By the sort attribute, then by id so that the order is total and a marker has one place in it. */
export function comparing<R extends Stamped>({
  sortBy = ({ createdAt }: R) => createdAt,
  isDescending,
}: PageRequest<R>): (one: R, other: R) => number {
  const sign = isDescending ? -1 : 1
  return (one, other) => {
    const order = compareValues(sortBy(one), sortBy(other)) || compareValues(one.id, other.id)
    return sign * order
  }
}

function compareValues(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0
  if (one === null) return -1
  if (other === null) return 1
  return one < other ? -1 : 1
}
