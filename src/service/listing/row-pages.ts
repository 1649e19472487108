import type { CollectionName, Collections } from '../../model/collections.ts'
import type { Stamped } from '../../model/stamped.ts'
import type { GroupIndexName } from '../../store/indexes.ts'
import type { ListOptions, StoreReader } from '../../store/store.ts'
import { PageRoom } from './page-room.ts'

/** Few enough to be read in well under a millisecond. */
const maxPageRows = 500
/** The same for rows with long values. */
export const stepOctets = 256 * 1024

/** Where a walk begins, and the size of its pages. */
type Range<R> = {
  /** The walk begins behind this row. */
  readonly after?: R | undefined
  /** Rows per page, where fewer than usual are enough. */
  readonly limit?: number
}

/** Walks rows a page at a time. Each page is a separate walk, so the store may change between two: rows that are added or
 *  removed meanwhile may or may not be seen, all others exactly once. */
export function* pagesOf<R extends Stamped>(
  walk: (options: ListOptions) => Iterable<R>,
  { after, limit = maxPageRows }: Range<R> = {},
): Generator<readonly R[], undefined> {
  const pageRows = Math.min(limit, maxPageRows)
  let last = after
  for (;;) {
    const page: R[] = []
    const room = new PageRoom(pageRows, stepOctets)
    for (const row of walk(last === undefined ? {} : { after: last })) {
      page.push(row)
      if (room.take(row)) break
    }
    yield page
    if (!room.isFull) return undefined
    last = page.at(-1)
  }
}

/** As `pagesOf`, of a group of rows. */
export function rowPages<C extends CollectionName>(
  reader: StoreReader,
  collection: C,
  {
    index,
    key,
    ...range
  }: Range<Collections[C]> & { readonly index: GroupIndexName<C>; readonly key: string },
): Generator<readonly Collections[C][], undefined> {
  return pagesOf(options => reader.list(collection, index, key, options), range)
}
