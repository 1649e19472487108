import type { CollectionName } from '../model/collections.ts'
import type { Stamped } from '../model/stamped.ts'
import { GroupIndex, type GroupKeys } from './group-index.ts'
import { indexes } from './indexes.ts'
import { KeyTable } from './key-table.ts'
import { comparePlaces, type WalkOptions } from './ordered-rows.ts'
import { type SumDeclaration, SumIndex } from './sum-index.ts'

/** Any row; the store's own machinery does not care which. */
export type Row = Stamped

/** An index of a collection, with the row's type taken off. */
type Index<Key> = { readonly name: string; readonly keyOf: (row: Row) => Key }

export type RowIndexes = {
  readonly unique: readonly Index<string | undefined>[]
  readonly groups: readonly Index<GroupKeys>[]
  readonly sums: readonly (SumDeclaration<Row> & { readonly name: string })[]
}

/** The declared indexes of a collection. */
export function indexesOf(collection: CollectionName): RowIndexes {
  return indexesByCollection[collection]
}

type KeyFunctions<Key> = Readonly<Record<string, (row: Row) => Key>>

// The table in indexes.ts is checked against each row type there; here rows come from the right collection.
const declared = Object.entries(indexes) as unknown as [
  CollectionName,
  {
    unique: KeyFunctions<string | undefined>
    groups: KeyFunctions<GroupKeys>
    sums?: Readonly<Record<string, SumDeclaration<Row>>>
  },
][]

const indexesByCollection = Object.fromEntries(
  declared.map(([collection, { unique, groups, sums = {} }]): [CollectionName, RowIndexes] => [
    collection,
    {
      unique: listed(unique),
      groups: listed(groups),
      sums: Object.entries(sums).map(([name, sum]) => ({ name, ...sum })),
    },
  ]),
) as Readonly<Record<CollectionName, RowIndexes>>

function listed<Key>(functions: KeyFunctions<Key>): readonly Index<Key>[] {
  return Object.entries(functions).map(([name, keyOf]) => ({ name, keyOf }))
}

/** Two rows that claim the same key of a unique index: the one that has it, and the one that cannot. */
export type Duplicate = { readonly index: string; readonly holderId: string; readonly id: string }

type UniqueIndex = Index<string | undefined> & { readonly rows: KeyTable<Row> }

/** One collection in memory, with its indexes. Holds only what is durable. */
export class Table {
  #rows = newRows()
  readonly #unique: readonly UniqueIndex[]
  readonly #groups: readonly { readonly name: string; readonly index: GroupIndex<Row> }[]
  readonly #sums: readonly { readonly name: string; readonly index: SumIndex }[]

  constructor(collection: CollectionName) {
    const { unique, groups, sums } = indexesOf(collection)
    this.#unique = unique.map(({ name, keyOf }) => ({ name, keyOf, rows: new KeyTable(keyOf) }))
    this.#groups = groups.map(({ name, keyOf }) => ({ name, index: new GroupIndex(keyOf) }))
    this.#sums = sums.map(({ name, ...sum }) => ({ name, index: new SumIndex(sum) }))
  }

  get size(): number {
    return this.#rows.size
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id)
  }

  find(index: string, key: string): Row | undefined {
    return getIndex(this.#unique, index).rows.get(key)
  }

  /** All rows, in no promised order; the table must not change meanwhile. */
  values(): Iterable<Row> {
    return this.#rows.values()
  }

  list(index: string, key: string, options?: WalkOptions): Iterable<Row> {
    return getIndex(this.#groups, index).index.walk(key, options)
  }

  count(index: string, key: string): number {
    return getIndex(this.#groups, index).index.count(key)
  }

  groupKeys(index: string): readonly string[] {
    return [...getIndex(this.#groups, index).index.keys()]
  }

  countGroups(index: string): number {
    return getIndex(this.#groups, index).index.size
  }

  sum(index: string, key: string): number {
    return getIndex(this.#sums, index).index.get(key)
  }

  total(index: string): number {
    return getIndex(this.#sums, index).index.total
  }

  /** Inserts or replaces a row. */
  put(row: Row): void {
    let before = this.#rows.get(row.id)
    if (before !== undefined && comparePlaces(before, row) !== 0) {
      // Deleted and made anew in one commit: it has another place in every group.
      this.delete(row.id)
      before = undefined
    }
    this.#rows.set(row.id, row)
    for (const { keyOf, rows } of this.#unique) {
      const key = keyOf(row)
      const keyBefore = before && keyOf(before)
      if (keyBefore !== key) freeKey(rows, keyBefore, row.id)
      if (key !== undefined) rows.set(key, row)
    }
    for (const { index } of this.#groups) {
      if (before === undefined) index.add(row)
      else index.replace(before, row)
    }
    for (const { index } of this.#sums) index.replace(before, row)
  }

  /** Takes over rows that no index knows of yet, in place of any it has. `inOrder` is each of them once; by
   *  creation, every group only ever grows at its end. Returns those that are left out, because an earlier row
   *  has one of their keys. */
  take(rows: KeyTable<Row>, inOrder: Iterable<Row>): Duplicate[] {
    this.#rows = rows
    const duplicates: Duplicate[] = []
    for (const row of inOrder) {
      const duplicate = this.#claimKeys(row)
      if (duplicate === undefined) {
        for (const { index } of this.#groups) index.add(row)
        for (const { index } of this.#sums) index.replace(undefined, row)
      } else {
        duplicates.push(duplicate)
        rows.delete(row.id)
      }
    }
    return duplicates
  }

  #claimKeys(row: Row): Duplicate | undefined {
    for (const { name, keyOf, rows } of this.#unique) {
      const key = keyOf(row)
      const holder = key === undefined ? undefined : rows.add(key, row)
      if (holder === undefined) continue
      for (const { keyOf, rows } of this.#unique) freeKey(rows, keyOf(row), row.id)
      return { index: name, holderId: holder.id, id: row.id }
    }
    return undefined
  }

  delete(id: string): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    this.#rows.delete(id)
    for (const { keyOf, rows } of this.#unique) freeKey(rows, keyOf(row), id)
    for (const { index } of this.#groups) index.remove(row)
    for (const { index } of this.#sums) index.replace(row, undefined)
  }
}

/** A table of rows by id, for `take`. */
export function newRows(): KeyTable<Row> {
  return new KeyTable<Row>(row => row.id)
}

/** Frees a row's key. Within one commit another row may have taken it over already; then it stays with that
 *  one. */
function freeKey(rows: KeyTable<Row>, key: string | undefined, id: string): void {
  if (key !== undefined && rows.get(key)?.id === id) rows.delete(key)
}

/** There are few, so looking through them is as quick as hashing the name. */
function getIndex<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  for (const index of all) if (index.name === name) return index
  throw new Error(`no index ${name}`)
}
