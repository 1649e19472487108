import type { CollectionName } from '../model/collections.ts'
import { packedType, recordsetUnpacker } from '../model/packed-recordset.ts'
import { type PlacedRecordset, type RecordsetRun, recordsetsOf } from '../model/recordset-run.ts'
import type { Stamped } from '../model/stamped.ts'
import type { Steps } from '../time-slice.ts'
import { GroupIndex, type RowChange } from './group-index.ts'
import { idHash } from './id-hash.ts'
import { KeyTable } from './key-table.ts'
import { comparePlaces, compareText, type Order, type WalkOptions } from './ordered-rows.ts'
import { PackedKeys, RunKeys } from './packed-keys.ts'
import { PackedRecordsets } from './packed-recordsets.ts'
import { ObjectRows, type RowHeap } from './row-heap.ts'
import { indexesOf, type SortValue } from './row-indexes.ts'
import { type Compare, sortInSteps } from './sort-numbers.ts'
import { type SumAudit, SumIndex } from './sum-index.ts'
import {
  type Group,
  type IndexDefect,
  indexDefectsOf,
  type Sum,
  type UniqueIndex,
} from './table-audit.ts'
import { numbersInGroups } from './unique-numbers.ts'

const packedKeys = new PackedKeys()
const runKeys = new RunKeys()

/** Any row; the store's internals do not depend on its type. */
export type Row = Stamped

/** Two rows that claim the same key of a unique index: the holder, and the one rejected. */
export type Duplicate = { readonly index: string; readonly holderId: string; readonly id: string }

/** Forms of a row that a caller may have already. */
type KnownForms = {
  readonly before?: Row | undefined
  readonly packed?: PlacedRecordset | undefined
}

/** One collection in memory, with its indexes. Holds only what is durable. */
export class Table {
  readonly #collection: CollectionName
  readonly #rows: RowHeap
  /** The numbers of all rows. */
  readonly #byId: KeyTable
  readonly #unique: readonly UniqueIndex[]
  /** Those of them that are not in groups. */
  readonly #keys: readonly KeyIndex[]
  readonly #groups: readonly Group[]
  /** Those that its groups are in. */
  readonly #orders: readonly Order[]
  readonly #sums: readonly Sum[]
  /** Sums that are being added up again. */
  readonly #audits = new Set<SumAudit>()
  /** While rows are loaded, the groups that already contain them; undefined once all indexes do. */
  #groupsSoFar: Group[] | undefined

  constructor(collection: CollectionName, rows: RowHeap = new ObjectRows()) {
    this.#collection = collection
    this.#rows = rows
    this.#byId = new KeyTable(number => rows.idOf(number), idHash)
    const { unique, groups, sums, uniqueInGroups } = indexesOf(collection)
    this.#groups = groups.map(({ name, keyOf, order, sortValue }) => {
      return { name, sortValue, index: new GroupIndex(keyOf, rows, order) }
    })
    this.#orders = [...new Set([comparePlaces, ...groups.map(({ order }) => order)])]
    this.#unique = unique.map(({ name, keyOf }) => {
      const keyOfNumber = (number: number): string | undefined => {
        const row = rows.get(number)
        return row && keyOf(row)
      }
      const inGroup = uniqueInGroups[name]
      if (inGroup === undefined) return { name, keyOf, numbers: new KeyTable(keyOfNumber) }
      const { index: groups } = getIndex(this.#groups, inGroup.group)
      const numbers = numbersInGroups(groups, inGroup.partsOf, rows, keyOfNumber)
      return { name, keyOf, numbers }
    })
    this.#keys = this.#unique.filter(hasOwnTable)
    this.#sums = sums.map(sum => ({ ...sum, index: new SumIndex(sum) }))
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: string): Row | undefined {
    return this.#rowAt(this.#byId.get(id))
  }

  /** The number of a row in its heap. */
  numberOf(id: string): number | undefined {
    return this.#byId.get(id)
  }

  find(index: string, key: string): Row | undefined {
    this.#requireIndexes()
    return this.#rowAt(getIndex(this.#unique, index).numbers.get(key))
  }

  /** All rows, in no guaranteed order. If they change meanwhile, `KeyTable.values` applies. */
  *values(): Generator<Row> {
    for (const number of this.#byId.values()) {
      const row = this.#rows.get(number)
      if (row !== undefined) yield row
    }
  }

  list(index: string, key: string, options?: WalkOptions): Iterable<Row> {
    return this.#group(index).walk(key, options)
  }

  /** As `list`, for record sets in packed form. */
  *listPacked(index: string, key: string): Generator<PlacedRecordset> {
    for (const number of this.#group(index).numbers(key)) yield this.#rows.packed(number)
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

  /** Inserts the recordsets of a run: new, of one zone, in order of creation, with free keys. */
  insertRun(run: RecordsetRun): void {
    this.#requireIndexes()
    const rows = this.#rows
    if (!(rows instanceof PackedRecordsets) || this.#audits.size > 0) {
      for (const record of recordsetsOf(run))
        this.#index(rows.addPacked(record), recordsetUnpacker.unpack(record))
      return
    }
    runKeys.read(run, rows)
    const { numbers, count, zoneId } = runKeys
    this.#byId.addAllHashed(runKeys.idHashes, numbers, { count, onHolder: () => undefined })
    // A recordset whose keys can all be read from its octets is in no other group.
    getIndex(this.#groups, 'byZone').index.addAllTo(zoneId, numbers, count)
    getIndex(this.#groups, 'byOwner').index.addAllHashed(runKeys.ownerHashes, numbers, count)
    for (const { name, index } of this.#sums) index.add(zoneId, runKeys.amount(name))
    for (const number of runKeys.unusual) this.#index(number, rows.get(number) as Row)
  }

  /** Adds a recordset to all indexes except that of ids, without unpacking it. Returns false, having done nothing, if that is
   *  impossible or another recordset has its key. */
  #indexPacked(number: number, groups: readonly Group[]): boolean {
    const rows = this.#rows
    if (!(rows instanceof PackedRecordsets)) return false
    const record = rows.packed(number)
    if (!packedKeys.read(record)) return false
    const type = packedType(record)
    const isRival = (other: number): boolean => rows.mayHaveType(other, type)
    // There is no other unique index of recordsets.
    const { index: byOwner } = getIndex(groups, 'byOwner')
    if (byOwner.addHashed(packedKeys.ownerHash, number, isRival) !== undefined) return false
    for (const { name, index } of groups)
      if (name === 'byZone') index.addTo(packedKeys.zoneId, number)
    for (const { name, index } of this.#sums) index.add(packedKeys.zoneId, packedKeys.amount(name))
    return true
  }

  /** Inserts or replaces a row.
   *  @param known the row it replaces and its own packed form; what is not given is read or made */
  put(row: Row, known: KnownForms = {}): void {
    this.#requireIndexes()
    const { packed } = known
    const number = this.#byId.get(row.id)
    const before = known.before ?? this.#rowAt(number)
    if (number === undefined || before === undefined) {
      this.#insert(row, packed)
    } else if (this.#orders.every(order => order(before, row) === 0)) {
      this.#replace(number, { before, after: row }, packed)
    } else {
      // It has another place in some group: in most when it was deleted and recreated in one commit.
      this.delete(row.id, before)
      this.#insert(row, packed)
    }
  }

  /** @param before the row, read if not given */
  delete(id: string, before?: Row): void {
    this.#requireIndexes()
    const number = this.#byId.get(id)
    const row = before ?? this.#rowAt(number)
    if (number === undefined || row === undefined) return
    for (const { keyOf, numbers } of this.#keys) freeKey(numbers, keyOf(row), number)
    for (const { index } of this.#groups) index.remove(number, row)
    this.unload(id)
    this.#changeSums(row, undefined)
  }

  /** Begins to load rows: no index may be queried before it is built. */
  beginLoading(): void {
    this.#groupsSoFar ??= []
  }

  /** Inserts or replaces a row that is not added to any index before `indexLoaded`. */
  load(row: Row): void {
    this.loadKept(this.#rows.add(row))
  }

  /** As `load`, for a row that is already in the heap. */
  loadKept(number: number): void {
    this.beginLoading()
    const known = this.#byId.addHashed(this.#rows.idHashOf(number), number)
    if (known !== undefined) this.#rows.move(number, known)
  }

  /** As `loadKept`, for many rows in less time. */
  loadAllKept(numbers: Int32Array): void {
    this.beginLoading()
    const hashes = numbers.map(number => this.#rows.idHashOf(number))
    this.#byId.addAllHashed(hashes, numbers, {
      count: numbers.length,
      onHolder: (index, known) => this.#rows.move(numbers[index] as number, known),
    })
  }

  /** Deletes a row that is in no index. */
  unload(id: string): void {
    const number = this.#byId.get(id)
    if (number === undefined) return
    this.#byId.delete(id)
    this.#rows.delete(number)
  }

  /** Builds one group index over the loaded rows, whose numbers come by the keys of their groups. No row may be loaded afterwards. */
  *groupLoaded(
    name: string,
    groups: Iterable<readonly [key: string, numbers: Int32Array]>,
  ): Steps<void> {
    const group = getIndex(this.#groups, name)
    this.beginLoading()
    for (const [key, numbers] of groups) {
      const sorted = yield* sortInSteps(numbers, (left, right) => this.#rows.compare(left, right))
      group.index.addGroup(key, sorted)
      yield
    }
    this.#groupsSoFar?.push(group)
  }

  /** Builds the indexes over the loaded rows and yields after each. Returns the rows left out because a row with a lower number
   *  has one of their keys. */
  *indexLoaded(): Steps<Duplicate[]> {
    const duplicates: Duplicate[] = []
    const known = this.#groupsSoFar ?? []
    const missing = this.#groups.filter(group => !known.includes(group))
    // Recordsets are many, in small groups and mostly in order already: sorting all of them would take longer.
    const unsorted = this.#rows instanceof PackedRecordsets ? missing : []
    for (const number of this.#rows.numbers()) {
      if (!this.#indexPacked(number, unsorted)) {
        const duplicate = this.#indexRow(number, unsorted)
        if (duplicate !== undefined) {
          duplicates.push(duplicate)
          for (const { index } of known) index.remove(number, this.#rows.get(number) as Row)
          this.unload(duplicate.id)
        }
      }
      yield
    }
    const sorted = missing.filter(group => !unsorted.includes(group))
    for (const [sortValue, groups] of Map.groupBy(sorted, ({ sortValue }) => sortValue))
      yield* this.#indexInOrder(groups, sortValue)
    this.#groupsSoFar = undefined
    return duplicates
  }

  /** Adds a row to some groups, the unique indexes and the sums, unless another has one of its keys. */
  #indexRow(number: number, groups: readonly Group[]): Duplicate | undefined {
    const row = this.#rows.get(number) as Row
    const duplicate = this.#claimKeys(number, row)
    if (duplicate !== undefined) return duplicate
    for (const { index } of groups) index.add(number, row)
    for (const { index } of this.#sums) index.replace(undefined, row)
    return undefined
  }

  /** Builds indexes from the rows in their order: in any other, it takes four times as long. */
  *#indexInOrder(groups: readonly Group[], sortValue: SortValue | undefined): Steps<void> {
    const numbers = this.#rows.numbers()
    const compare = yield* this.#comparison(numbers, sortValue)
    for (const number of yield* sortInSteps(numbers, compare)) {
      const row = this.#rows.get(number) as Row
      for (const { index } of groups) index.add(number, row)
      yield
    }
  }

  /** Compares rows by values that are read beforehand: a sort looks at each some twenty times. */
  *#comparison(numbers: Int32Array, sortValue: SortValue | undefined): Steps<Compare> {
    const rowAt = (number: number) => this.#rows.get(number) as Row
    const compareIds: Compare = (left, right) => compareText(rowAt(left).id, rowAt(right).id)
    const valueCount = (numbers.at(-1) ?? 0) + 1
    if (sortValue === undefined) {
      const times = new Float64Array(valueCount)
      for (const number of numbers) {
        times[number] = rowAt(number).createdAt
        yield
      }
      return (left, right) =>
        (times[left] as number) - (times[right] as number) || compareIds(left, right)
    }
    const texts = new Array<string>(valueCount)
    for (const number of numbers) {
      texts[number] = sortValue(rowAt(number))
      yield
    }
    return (left, right) =>
      compareText(texts[left] as string, texts[right] as string) || compareIds(left, right)
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

  #insert(row: Row, packed: PlacedRecordset | undefined): void {
    this.#index(this.#rows.add(row, packed), row)
  }

  #index(number: number, row: Row): void {
    this.#byId.set(row.id, number)
    for (const { keyOf, numbers } of this.#keys) {
      const key = keyOf(row)
      if (key !== undefined) numbers.set(key, number)
    }
    for (const { index } of this.#groups) index.add(number, row)
    this.#changeSums(undefined, row)
  }

  /** Indexes derive keys from the row behind a number: the old keys must be removed before the row changes, and the new ones
   *  added after. */
  #replace(number: number, change: RowChange, packed: PlacedRecordset | undefined): void {
    const { before, after } = change
    const renamed = this.#keys.filter(({ keyOf }) => keyOf(before) !== keyOf(after))
    const moved = this.#groups.filter(({ index }) => index.isMoved(change))
    for (const { keyOf, numbers } of renamed) freeKey(numbers, keyOf(before), number)
    for (const { index } of moved) index.leave(number, change)
    this.#rows.replace(number, after, packed)
    for (const { keyOf, numbers } of renamed) {
      const key = keyOf(after)
      if (key !== undefined) numbers.set(key, number)
    }
    for (const { index } of moved) index.enter(number, change)
    this.#changeSums(before, after)
  }

  #claimKeys(number: number, row: Row): Duplicate | undefined {
    for (const { name, keyOf, numbers } of this.#unique) {
      const key = keyOf(row)
      const holder = this.#rowAt(key === undefined ? undefined : numbers.add(key, number))
      if (holder === undefined) continue
      for (const { keyOf, numbers } of this.#keys) freeKey(numbers, keyOf(row), number)
      return { index: name, holderId: holder.id, id: row.id }
    }
    return undefined
  }

  /** What `indexDefectsOf` says of this table. */
  indexDefects(): Generator<IndexDefect | undefined> {
    return indexDefectsOf({
      collection: this.#collection,
      rows: this.#rows,
      byId: this.#byId,
      unique: this.#unique,
      groups: this.#groups,
      sums: this.#sums,
      audits: this.#audits,
    })
  }

  #changeSums(before: Row | undefined, after: Row | undefined): void {
    for (const { index } of this.#sums) index.replace(before, after)
    for (const audit of this.#audits) audit.replace(before, after)
  }
}

type KeyIndex = UniqueIndex & { readonly numbers: KeyTable }

function hasOwnTable(index: UniqueIndex): index is KeyIndex {
  return index.numbers instanceof KeyTable
}

/** Frees a row's key. If another row has already taken it over within the same commit, that row keeps it. */
function freeKey(numbers: KeyTable, key: string | undefined, number: number): void {
  if (key !== undefined) numbers.release(key, number)
}

/** A linear search of so few is as fast as hashing the name. */
function getIndex<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  for (const index of all) if (index.name === name) return index
  throw new Error(`no index ${name}`)
}
