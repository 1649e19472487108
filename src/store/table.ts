import type { CollectionName } from '../model/collections.ts'
import type { Stamped } from '../model/stamped.ts'
import type { Steps } from '../time-slice.ts'
import { type GroupDefect, GroupIndex, type RowChange } from './group-index.ts'
import { KeyTable } from './key-table.ts'
import { comparePlaces, type WalkOptions } from './ordered-rows.ts'
import { PackedRecordsets } from './packed-recordsets.ts'
import { ObjectRows, type RowHeap } from './row-heap.ts'
import { type Index, indexesOf, type RowIndexes } from './row-indexes.ts'
import { SumAudit, SumIndex } from './sum-index.ts'

/** Any row; the store's own machinery does not care which. */
export type Row = Stamped

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

/** Makes what a collection's rows are to be kept in; undefined for the usual. */
export type HeapOf = (collection: CollectionName) => RowHeap | undefined

type UniqueIndex = Index<string | undefined> & { readonly numbers: KeyTable }

/** One collection in memory, with its indexes. Holds only what is durable. */
export class Table {
  readonly #collection: CollectionName
  readonly #rows: RowHeap
  /** The numbers of all rows. */
  readonly #byId: KeyTable
  readonly #unique: readonly UniqueIndex[]
  readonly #groups: readonly Group[]
  readonly #sums: readonly Sum[]
  /** Sums that are being added up again. */
  readonly #audits = new Set<SumAudit>()
  #lastLoaded: number | undefined
  /** Whether the rows that have been loaded may be listed in the order of their numbers. */
  #isInOrder = true
  /** While rows are loaded, the groups that know them already; undefined once all indexes do. */
  #groupsSoFar: Group[] | undefined

  constructor(collection: CollectionName, rows: RowHeap = usualHeap(collection)) {
    this.#collection = collection
    this.#rows = rows
    this.#byId = new KeyTable(number => rows.idOf(number))
    const { unique, groups, sums } = indexesOf(collection)
    this.#unique = unique.map(({ name, keyOf }) => {
      const keyOfNumber = (number: number): string | undefined => {
        const row = rows.get(number)
        return row && keyOf(row)
      }
      return { name, keyOf, numbers: new KeyTable(keyOfNumber) }
    })
    this.#groups = groups.map(({ name, keyOf }) => ({ name, index: new GroupIndex(keyOf, rows) }))
    this.#sums = sums.map(sum => ({ ...sum, index: new SumIndex(sum) }))
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: string): Row | undefined {
    return this.#rowAt(this.#byId.get(id))
  }

  find(index: string, key: string): Row | undefined {
    this.#requireIndexes()
    return this.#rowAt(getIndex(this.#unique, index).numbers.get(key))
  }

  /** All rows, in no promised order. While they change, what `KeyTable.values` says. */
  *values(): Generator<Row> {
    for (const number of this.#byId.values()) {
      const row = this.#rows.get(number)
      if (row !== undefined) yield row
    }
  }

  list(index: string, key: string, options?: WalkOptions): Iterable<Row> {
    return this.#group(index).walk(key, options)
  }

  count(index: string, key: string): number {
    return this.#group(index).count(key)
  }

  groupKeys(index: string): readonly string[] {
    return [...this.#group(index).keys()]
  }

  countGroups(index: string): number {
    return this.#group(index).size
  }

  sum(index: string, key: string): number {
    this.#requireIndexes()
    return getIndex(this.#sums, index).index.get(key)
  }

  total(index: string): number {
    this.#requireIndexes()
    return getIndex(this.#sums, index).index.total
  }

  /** Inserts or replaces a row. */
  put(row: Row): void {
    this.#requireIndexes()
    const number = this.#byId.get(row.id)
    const before = this.#rowAt(number)
    if (number === undefined || before === undefined) {
      this.#insert(row)
    } else if (comparePlaces(before, row) === 0) {
      this.#replace(number, { before, after: row })
    } else {
      // Deleted and made anew in one commit: it has another place in every group.
      this.delete(row.id)
      this.#insert(row)
    }
  }

  delete(id: string): void {
    this.#requireIndexes()
    const number = this.#byId.get(id)
    const row = this.#rowAt(number)
    if (number === undefined || row === undefined) return
    for (const { keyOf, numbers } of this.#unique) freeKey(numbers, keyOf(row), number)
    for (const { index } of this.#groups) index.remove(number, row)
    this.unload(id)
    this.#changeSums(row, undefined)
  }

  /** Inserts or replaces a row that no index is to know of before `indexLoaded`. */
  load(row: Row): void {
    this.loadKept(this.#rows.add(row))
  }

  /** As `load`, of a row that the heap keeps already. */
  loadKept(number: number): void {
    this.#groupsSoFar ??= []
    const known = this.#byId.add(this.#rows.idOf(number) as string, number)
    if (known === undefined) {
      const last = this.#lastLoaded
      this.#isInOrder &&= last === undefined || this.#rows.mayFollow(last, number)
      this.#lastLoaded = number
    } else {
      const row = this.#rows.get(number) as Row
      this.#rows.delete(number)
      this.#isInOrder &&= this.#rows.comparePlace(known, row) === 0
      this.#rows.replace(known, row)
    }
  }

  /** Deletes a row that no index knows of. */
  unload(id: string): void {
    const number = this.#byId.get(id)
    if (number === undefined) return
    this.#byId.delete(id)
    this.#rows.delete(number)
    // Its number will be that of a later row.
    this.#isInOrder = false
  }

  /** Builds one group index of rows that have been loaded, with what its function yields told by their numbers. From
   *  then on none may be loaded any more. */
  groupLoaded(name: string, keyOf: (number: number) => string): void {
    const group = getIndex(this.#groups, name)
    for (const number of this.#loadedNumbers()) group.index.addTo(keyOf(number), number)
    this.#groupsSoFar?.push(group)
  }

  /** Builds the indexes of rows that have been loaded, and yields after each. Returns those that are left out, because
   *  an earlier row has one of their keys. */
  *indexLoaded(): Steps<Duplicate[]> {
    const duplicates: Duplicate[] = []
    const known = this.#groupsSoFar ?? []
    const groups = this.#groups.filter(group => !known.includes(group))
    for (const number of this.#loadedNumbers()) {
      const row = this.#rows.get(number) as Row
      const duplicate = this.#claimKeys(number, row)
      if (duplicate === undefined) {
        for (const { index } of groups) index.add(number, row)
        for (const { index } of this.#sums) index.replace(undefined, row)
      } else {
        duplicates.push(duplicate)
        for (const { index } of known) index.remove(number, row)
        this.unload(row.id)
      }
      yield
    }
    this.#lastLoaded = undefined
    this.#groupsSoFar = undefined
    return duplicates
  }

  /** In order of creation: then every group only ever grows at its end. */
  #loadedNumbers(): Int32Array {
    const numbers = this.#rows.numbers()
    if (!this.#isInOrder) numbers.sort((left, right) => this.#rows.compare(left, right))
    return numbers
  }

  #group(name: string): GroupIndex {
    const group = getIndex(this.#groups, name)
    if (this.#groupsSoFar?.includes(group) !== true) this.#requireIndexes()
    return group.index
  }

  /** @throws Error they are still being built */
  #requireIndexes(): void {
    if (this.#groupsSoFar !== undefined)
      throw new Error(`${this.#collection} are still being indexed`)
  }

  #rowAt(number: number | undefined): Row | undefined {
    return number === undefined ? undefined : this.#rows.get(number)
  }

  #insert(row: Row): void {
    const number = this.#rows.add(row)
    this.#byId.set(row.id, number)
    for (const { keyOf, numbers } of this.#unique) {
      const key = keyOf(row)
      if (key !== undefined) numbers.set(key, number)
    }
    for (const { index } of this.#groups) index.add(number, row)
    this.#changeSums(undefined, row)
  }

  /** What is told of a row by its number changes with it: its old keys have to be gone before, and the new ones come
   *  behind. */
  #replace(number: number, change: RowChange): void {
    const { before, after } = change
    for (const { keyOf, numbers } of this.#unique) {
      const key = keyOf(before)
      if (key !== keyOf(after)) freeKey(numbers, key, number)
    }
    for (const { index } of this.#groups) index.leave(number, change)
    this.#rows.replace(number, after)
    for (const { keyOf, numbers } of this.#unique) {
      const key = keyOf(after)
      if (key !== undefined) numbers.set(key, number)
    }
    for (const { index } of this.#groups) index.enter(number, change)
    this.#changeSums(before, after)
  }

  #claimKeys(number: number, row: Row): Duplicate | undefined {
    for (const { name, keyOf, numbers } of this.#unique) {
      const key = keyOf(row)
      const holder = this.#rowAt(key === undefined ? undefined : numbers.add(key, number))
      if (holder === undefined) continue
      for (const { keyOf, numbers } of this.#unique) freeKey(numbers, keyOf(row), number)
      return { index: name, holderId: holder.id, id: row.id }
    }
    return undefined
  }

  /** Holds the indexes against the rows, in small steps between which rows may change: yields each defect, and
   *  undefined after a step that found none. Each row is judged as it is in its own step. */
  *indexDefects(): Generator<IndexDefect | undefined> {
    for (const number of this.#byId.values()) yield* this.#rowDefects(number)
    for (const { name, index } of this.#groups) {
      for (const key of index.keys()) {
        for (const defect of index.defectsOf(key)) yield defect && this.#groupDefect(name, defect)
      }
    }
    yield* this.#sumDefects()
  }

  *#rowDefects(number: number): Generator<IndexDefect | undefined> {
    const row = this.#rows.get(number)
    // Deleted since the walk came by.
    if (row === undefined) return
    const about = { collection: this.#collection, id: row.id }
    const missing = this.#unique.filter(({ keyOf, numbers }) => {
      const key = keyOf(row)
      return key !== undefined && numbers.get(key) !== number
    })
    const lacking = this.#groups.filter(({ index }) => !index.has(number, row))
    yield undefined
    for (const { name } of missing) {
      yield { ...about, index: name, problem: 'it is not found by its key' }
    }
    for (const { name } of lacking) {
      yield { ...about, index: name, problem: 'it is missing from its group' }
    }
  }

  #groupDefect(index: string, defect: GroupDefect): IndexDefect {
    const id = 'id' in defect ? defect.id : undefined
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
      for (const { entries, isPassed } of this.#byId.walk()) {
        audit.count(
          entries.flatMap(number => this.#rows.get(number) ?? []),
          isPassed,
        )
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

type Group = { readonly name: string; readonly index: GroupIndex }
type Sum = RowIndexes['sums'][number] & { readonly index: SumIndex }

const groupProblems = {
  miscounted: 'its number of rows is wrong',
  stale: 'it holds a row that is gone, has changed or belongs elsewhere',
  disordered: 'it holds a row at a wrong place',
} as const satisfies Record<GroupDefect['problem'], string>

function usualHeap(collection: CollectionName): RowHeap {
  return collection === 'recordsets' ? new PackedRecordsets() : new ObjectRows()
}

/** Frees a row's key. Within one commit another row may have taken it over already; then it stays with that
 *  one. */
function freeKey(numbers: KeyTable, key: string | undefined, number: number): void {
  if (key !== undefined && numbers.get(key) === number) numbers.delete(key)
}

/** There are few, so looking through them is as quick as hashing the name. */
function getIndex<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  for (const index of all) if (index.name === name) return index
  throw new Error(`no index ${name}`)
}
