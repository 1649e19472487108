import type { CollectionName, Collections } from '../model/collections.ts'
import type { GroupIndexName } from '../store/indexes.ts'
import type { StoreReader } from '../store/store.ts'

/** Few enough to be read in well under a millisecond. */
const maxPageRows = 500

/** Walks a group of rows a page at a time. Each page is a walk of its own, so the store may change between two:
 *  rows that come or go meanwhile are seen or not, all others exactly once. */
export function* rowPages<C extends CollectionName>(
  reader: StoreReader,
  collection: C,
  {
    index,
    key,
    after,
    limit = maxPageRows,
  }: {
    readonly index: GroupIndexName<C>
    readonly key: string
    /** The walk begins behind this row. */
    readonly after?: Collections[C] | undefined
    /** Rows of a page, where fewer than usual are enough. */
    readonly limit?: number
  },
): Generator<readonly Collections[C][]> {
  const pageRows = Math.min(limit, maxPageRows)
  let last = after
  for (;;) {
    const page: Collections[C][] = []
    const options = last === undefined ? {} : { after: last }
    for (const row of reader.list(collection, index, key, options)) {
      page.push(row)
      if (page.length === pageRows) break
    }
    yield page
    if (page.length < pageRows) return
    last = page.at(-1)
  }
}
