import type { CollectionName } from '../model/collections.ts'
import type { Stamped } from '../model/stamped.ts'
import { type GroupDefect, GroupIndex, type GroupKeys } from './group-index.ts'
import { indexes } from './indexes.ts'
import { KeyTable } from './key-table.ts'
import { comparePlaces, type WalkOptions } from './ordered-rows.ts'
import { SumAudit, type SumDeclaration, SumIndex } from './sum-index.ts'

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

/** An index or sum of a collection that is not what the rows make it. */
export type IndexDefect = {
  readonly collection: CollectionName
  readonly index: string
  /** The row that is found wrongly or not at all; undefined where it is about a key as a whole. */
  readonly id: string | undefined
  /** For people; what of the collection it is about comes before it. */
  readonly problem: string
}

type UniqueIndex = Index<string | undefined> & { readonly rows: KeyTable<Row> }

/** One collection in memory, with its indexes. Holds only what is durable. */
export class Table {
  readonly #collection: CollectionName
  #rows = newRows()
  readonly #unique: readonly UniqueIndex[]
  readonly #groups: readonly { readonly name: string; readonly index: GroupIndex<Row> }[]
  readonly #sums: readonly Sum[]
  /** Sums that are being added up again. */
  readonly #audits = new Set<SumAudit>()

  constructor(collection: CollectionName) {
    this.#collection = collection
    const { unique, groups, sums } = indexesOf(collection)
    this.#unique = unique.map(({ name, keyOf }) => ({ name, keyOf, rows: new KeyTable(keyOf) }))
    this.#groups = groups.map(({ name, keyOf }) => ({ name, index: new GroupIndex(keyOf) }))
    this.#sums = sums.map(sum => ({ ...sum, index: new SumIndex(sum) }))
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

  /** All rows, in no promised order. While they change, what `KeyTable.values` says. */
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
    this.#changeSums(before, row)
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
    this.#changeSums(row, undefined)
  }

  /** Holds the indexes against the rows, in small steps between which rows may change: yields each defect, and
   *  undefined after a step that found none. Each row is judged as it is in its own step. */
  *indexDefects(): Generator<IndexDefect | undefined> {
    for (const row of this.values()) yield* this.#rowDefects(row)
    for (const { name, index } of this.#groups) {
      for (const key of index.keys()) {
        const isCurrent = (row: Row): boolean => this.#rows.get(row.id) === row
        for (const defect of index.defectsOf(key, isCurrent)) {
          yield defect && this.#groupDefect(name, defect)
        }
      }
    }
    yield* this.#sumDefects()
  }

  *#rowDefects(row: Row): Generator<IndexDefect | undefined> {
    // Changed since the walk came by.
    if (this.#rows.get(row.id) !== row) return
    const about = { collection: this.#collection, id: row.id }
    const missing = this.#unique.filter(({ keyOf, rows }) => {
      const key = keyOf(row)
      return key !== undefined && rows.get(key) !== row
    })
    const lacking = this.#groups.filter(({ index }) => !index.has(row))
    yield undefined
    for (const { name } of missing) {
      yield { ...about, index: name, problem: 'it is not found by its key' }
    }
    for (const { name } of lacking) {
      yield { ...about, index: name, problem: 'it is missing from its group' }
    }
  }

  #groupDefect(index: string, defect: GroupDefect<Row>): IndexDefect {
    const id = 'row' in defect ? defect.row.id : undefined
    const problem = `${groupProblems[defect.problem]} (key ${JSON.stringify(defect.key)})`
    return { collection: this.#collection, index, id, problem }
  }

  /** Adds all sums up again, and holds what comes of it against those that are kept. */
  *#sumDefects(): Generator<IndexDefect | undefined> {
    const sums = this.#sums.map(sum => ({ ...sum, again: new SumIndex(sum) }))
    if (sums.length === 0) return
    const audit = new SumAudit(sums.map(({ again }) => again))
    this.#audits.add(audit)
    try {
      for (const { entries, isPassed } of this.#rows.walk()) {
        audit.count(entries, isPassed)
        yield
      }
      for (const { name, index, again } of sums) {
        for (const key of again.keys()) yield this.#sumDefect(name, { index, again, key })
        for (const key of index.keys()) {
          if (again.get(key) === 0) yield this.#sumDefect(name, { index, again, key })
        }
        if (index.total !== again.total) {
          const problem = `the total is ${index.total}, but the rows add up to ${again.total}`
          yield { collection: this.#collection, index: name, id: undefined, problem }
        }
      }
    } finally {
      this.#audits.delete(audit)
    }
  }

  #sumDefect(
    name: string,
    sum: { readonly index: SumIndex; readonly again: SumIndex; readonly key: string },
  ): IndexDefect | undefined {
    const [kept, again] = [sum.index.get(sum.key), sum.again.get(sum.key)]
    if (kept === again) return undefined
    const problem = `the sum is ${kept}, but the rows add up to ${again} (key ${JSON.stringify(sum.key)})`
    return { collection: this.#collection, index: name, id: undefined, problem }
  }

  #changeSums(before: Row | undefined, after: Row | undefined): void {
    for (const { index } of this.#sums) index.replace(before, after)
    for (const audit of this.#audits) audit.replace(before, after)
  }
}

type Sum = RowIndexes['sums'][number] & { readonly index: SumIndex }

const groupProblems = {
  miscounted: 'its number of rows is wrong',
  stale: 'it holds a row that is gone, has changed or belongs elsewhere',
  disordered: 'it holds a row at a wrong place',
} as const satisfies Record<GroupDefect<Row>['problem'], string>

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
