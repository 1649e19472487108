import type { CollectionName, Collections } from '../model/collections.ts'
import { groupKeys } from './group-index.ts'
import { comparePlaces, isBehind } from './ordered-rows.ts'
import { type Change, type ListOptions, type StoreReader, UniqueViolation } from './store.ts'
import { SumIndex } from './sum-index.ts'
import { indexesOf, type Row } from './table.ts'

// Changes that are not visible yet, over a reader that does not know of them: a transaction over the batch
// it belongs to, the batch over the durable state. A lookup asks the changes first, so layers can be stacked,
// and giving up a layer undoes all it held.

/** A collection's pending changes. `null` marks what is gone. */
type PendingTable = {
  readonly rows: Map<string, Row | null>
  readonly rowByKey: Map<string, Map<string, Row | null>>
  readonly groups: Map<string, Map<string, PendingGroup>>
  /** How much sums have grown. */
  readonly sums: ReadonlyMap<string, SumIndex>
}

/** What has changed in a group, and how many rows more it has for that. */
type PendingGroup = { readonly rows: Map<string, Row | null>; growth: number }

/** A layer of pending changes; reads as if they had happened. */
export class Overlay implements StoreReader {
  readonly #base: StoreReader
  readonly #pending = new Map<CollectionName, PendingTable>()

  constructor(base: StoreReader) {
    this.#base = base
  }

  get<C extends CollectionName>(collection: C, id: string): Collections[C] | undefined {
    const row = this.#pending.get(collection)?.rows.get(id)
    if (row === undefined) return this.#base.get(collection, id)
    return (row ?? undefined) as Collections[C] | undefined
  }

  find<C extends CollectionName>(
    collection: C,
    index: string,
    key: string,
  ): Collections[C] | undefined {
    const row = this.#pending.get(collection)?.rowByKey.get(index)?.get(key)
    if (row === undefined) return this.#base.find(collection, index as never, key)
    return (row ?? undefined) as Collections[C] | undefined
  }

  /** The walk goes over the group as it is now, whatever is changed while it is under way. */
  list<C extends CollectionName>(
    collection: C,
    index: string,
    key: string,
    options: ListOptions = {},
  ): Iterable<Collections[C]> {
    const below = this.#base.list(collection, index as never, key, options)
    const group = this.#pending.get(collection)?.groups.get(index)?.get(key)
    if (group === undefined) return below
    return merged(below, new Map(group.rows), options) as Iterable<Collections[C]>
  }

  count<C extends CollectionName>(collection: C, index: string, key: string): number {
    const group = this.#pending.get(collection)?.groups.get(index)?.get(key)
    return this.#base.count(collection, index as never, key) + (group?.growth ?? 0)
  }

  sum<C extends CollectionName>(collection: C, index: string, key: string): number {
    const growth = this.#pending.get(collection)?.sums.get(index)?.get(key)
    return this.#base.sum(collection, index as never, key) + (growth ?? 0)
  }

  put<C extends CollectionName>(collection: C, row: Collections[C]): void {
    for (const { name, keyOf } of indexesOf(collection).unique) {
      const key = keyOf(row)
      const holder = key === undefined ? undefined : this.find(collection, name, key)
      if (holder !== undefined && holder.id !== row.id) {
        throw new UniqueViolation(`${collection} ${row.id}: ${name} is taken by ${holder.id}`)
      }
    }
    this.change(collection, row.id, row)
  }

  delete(collection: CollectionName, id: string): void {
    if (this.get(collection, id) !== undefined) this.change(collection, id, null)
  }

  /** What this layer changes of its base; a row that was made and deleted again is not among it. */
  changes(): Change[] {
    const changes: Change[] = []
    for (const [collection, { rows }] of this.#pending) {
      for (const [id, row] of rows) {
        const before = this.#base.get(collection, id)
        const after = row ?? undefined
        if (before !== after) changes.push({ collection, id, before, after } as Change)
      }
    }
    return changes
  }

  /** Takes the changes of a layer above into this one. */
  absorb(changes: readonly Change[]): void {
    for (const { collection, id, after } of changes) this.change(collection, id, after ?? null)
  }

  protected change(collection: CollectionName, id: string, after: Row | null): void {
    const before = this.get(collection, id) as Row | undefined
    const table = this.#pendingTable(collection)
    const { unique, groups } = indexesOf(collection)
    for (const { name, keyOf } of unique) {
      if (before !== undefined) this.#freeKey(collection, { index: name, key: keyOf(before), id })
      const key = after === null ? undefined : keyOf(after)
      if (key !== undefined) nested(table.rowByKey, name).set(key, after)
    }
    for (const { name, keyOf } of groups) {
      const groupByKey = nested(table.groups, name)
      if (before !== undefined) {
        for (const key of groupKeys(keyOf(before))) changeGroup(groupByKey, key, { id, row: null })
      }
      if (after !== null) {
        for (const key of groupKeys(keyOf(after))) changeGroup(groupByKey, key, { id, row: after })
      }
    }
    for (const sum of table.sums.values()) sum.replace(before, after ?? undefined)
    table.rows.set(id, after)
  }

  /** Frees a row's old key, unless another row of this layer has taken it over already. */
  #freeKey(
    collection: CollectionName,
    { index, key, id }: { index: string; key: string | undefined; id: string },
  ): void {
    if (key === undefined || this.find(collection, index, key)?.id !== id) return
    nested(this.#pendingTable(collection).rowByKey, index).set(key, null)
  }

  #pendingTable(collection: CollectionName): PendingTable {
    let table = this.#pending.get(collection)
    if (table === undefined) {
      const sums = new Map(
        indexesOf(collection).sums.map(({ name, ...sum }) => [name, new SumIndex(sum)]),
      )
      table = { rows: new Map(), rowByKey: new Map(), groups: new Map(), sums }
      this.#pending.set(collection, table)
    }
    return table
  }
}

/** Notes a row that has come into a group, or left it: every row leaves before it comes back changed. */
function changeGroup(
  groupByKey: Map<string, PendingGroup>,
  key: string,
  { id, row }: { readonly id: string; readonly row: Row | null },
): void {
  let group = groupByKey.get(key)
  if (group === undefined) {
    group = { rows: new Map(), growth: 0 }
    groupByKey.set(key, group)
  }
  group.rows.set(id, row)
  group.growth += row === null ? -1 : 1
}

function nested<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let map = maps.get(key)
  if (map === undefined) {
    map = new Map()
    maps.set(key, map)
  }
  return map
}

/** The rows below in order, those that have changed as they are now. */
function* merged(
  below: Iterable<Row>,
  changed: ReadonlyMap<string, Row | null>,
  options: ListOptions,
): Generator<Row> {
  const sign = options.isDescending === true ? -1 : 1
  const own = [...changed.values()].filter(row => row !== null && isBehind(row, options)) as Row[]
  own.sort((left, right) => sign * comparePlaces(left, right))
  let next = 0
  for (const row of below) {
    if (changed.has(row.id)) continue
    for (; next < own.length && sign * comparePlaces(own[next] as Row, row) < 0; next += 1) {
      yield own[next] as Row
    }
    yield row
  }
  yield* own.slice(next)
}
