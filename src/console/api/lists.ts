import { type Call, call } from './client.ts'

/** A part of a list. `next` is the marker of the next part. */
export type Page<T> = {
  readonly items: readonly T[]
  readonly total: number
  readonly next: string | undefined
}

/** The identity service has null where nothing follows. */
type Links = { readonly next?: string | null }

/** A list as it is answered: its rows under one key, and beside them links and counts, as far as it has any. */
type ListAnswer = {
  readonly links?: Links
  readonly metadata?: { readonly total_count?: number }
} & Readonly<Record<string, unknown>>

/** Reads a list, or a part of one.
 *  @param collection the key of the rows */
export async function listPart<T>(collection: string, request: Call): Promise<Page<T>> {
  const { [collection]: items, links = {}, metadata } = await call<ListAnswer>(request)
  const total = metadata?.total_count ?? 0
  return { items: items as readonly T[], total, next: nextMarker(links) }
}

/** Reads a list that has no parts. */
export async function list<T>(collection: string, request: Call): Promise<readonly T[]> {
  return (await listPart<T>(collection, request)).items
}

function nextMarker({ next }: Links): string | undefined {
  return next ? (new URL(next).searchParams.get('marker') ?? undefined) : undefined
}

/** The maximum length of lists in the order of names, unless the server keeps them in it: sorting a hundred thousand rows takes it
 *  a tenth of a second. Longer lists are in the order of creation. */
const maxSorted = 20_000
const pageRows = 200

type Listing = {
  readonly path: string
  /** The key of the rows in the answer. */
  readonly collection: string
  readonly filter: Readonly<Record<string, string | undefined>>
  readonly marker?: string | undefined
  readonly limit?: number
  /** Whether the server keeps these rows in the order of their names. */
  readonly isKeptByName?: boolean
}

/** Lists rows that have names. */
export async function listByName<T extends { readonly name: string }>(
  listing: Listing,
  signal?: AbortSignal,
): Promise<Page<T>> {
  const { marker, isKeptByName = false } = listing
  if (marker !== undefined) return readPage(listing, orderAndMarker(marker), signal)
  if (isKeptByName) return readPage(listing, { order: 'name' }, signal)
  const first = await readPage<T>(listing, {}, signal)
  if (first.next === undefined) return { ...first, items: first.items.toSorted(byName) }
  return first.total > maxSorted ? first : readPage(listing, { order: 'name' }, signal)
}

type Place = { readonly order?: 'name'; readonly marker?: string }

async function readPage<T>(
  { path, collection, filter, limit = pageRows }: Listing,
  { order, marker }: Place,
  signal?: AbortSignal,
): Promise<Page<T>> {
  const query = { ...filter, limit, marker, sort_key: order }
  const part = await listPart<T>(collection, { path, query, ...(signal && { signal }) })
  return { ...part, next: part.next && `${order ?? ''} ${part.next}` }
}

/** Later parts are read in the same order as the first. */
function orderAndMarker(next: string): Place {
  const [order, marker = ''] = next.split(' ')
  return order === 'name' ? { order, marker } : { marker }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}
