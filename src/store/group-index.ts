import type { Stamped } from '../model/stamped.ts'
import { KeyTable } from './key-table.ts'
import {
  comparePlaces,
  isBehind,
  type Order,
  OrderedRows,
  type PlacedRows,
  type WalkOptions,
} from './ordered-rows.ts'
import type { RowHeap } from './row-heap.ts'

// Rows by a key that several share, each group in creation order or by a value. Most groups of some indexes are a row or two (the
// record sets of one owner), so a single row's number represents its group, a few rows are a plain array, and only many have a
// structure of their own.

/** What an index function yields for a row: its group, its groups (distinct), or none. */
export type GroupKeys = string | readonly string[] | undefined

const none: readonly string[] = []

/** The keys of a row in a group index, as a list. */
export function groupKeys(keys: GroupKeys): readonly string[] {
  if (keys === undefined) return none
  return typeof keys === 'string' ? [keys] : keys
}

/** The numbers of rows. Arrays are sorted, never changed once made, and only as long as they need to be. */
type Group = readonly number[] | OrderedRows

/** A group that stores its key: one whose rows are in other groups of the index too, so that the key cannot be derived from
 *  them, or one of many rows, whose key is needed too often to be derived. */
class NamedGroup {
  readonly key: string
  readonly group: Group

  constructor(key: string, group: Group) {
    this.key = key
    this.group = group
  }
}

/** A group that does not match the rows. */
export type GroupDefect =
  | { readonly problem: 'miscounted'; readonly key: string }
  /** A row that is gone (then without an id) or has changed, that belongs to other groups, or that is at a wrong place. */
  | {
      readonly problem: 'stale' | 'disordered'
      readonly key: string
      readonly id: string | undefined
    }

const maxArray = 16

/** One group index of a collection. */
export class GroupIndex {
  readonly #keysOf: (row: Stamped) => GroupKeys
  readonly #rows: RowHeap
  readonly #order: Order
  /** The rows, in this order. */
  readonly #placed: PlacedRows
  /** Of each key the number of its only row, or below 0 the place of its group in `#groups`. */
  readonly #entries: KeyTable
  /** From 1 on. */
  readonly #groups: (readonly number[] | NamedGroup | undefined)[] = [undefined]
  readonly #freePlaces: number[] = []
  /** The group added to last: consecutive rows often belong to one zone. */
  #lastNamed: NamedGroup | undefined

  constructor(keysOf: (row: Stamped) => GroupKeys, rows: RowHeap, order: Order = comparePlaces) {
    this.#keysOf = keysOf
    this.#rows = rows
    this.#order = order
    this.#placed = order === comparePlaces ? rows : rowsInOrder(rows, order)
    this.#entries = new KeyTable(entry => this.#keyOfEntry(entry))
  }

  /** Groups that have rows. */
  get size(): number {
    return this.#entries.size
  }

  count(key: string): number {
    const group = this.#find(key)
    return group === undefined ? 0 : sizeOf(group)
  }

  /** Walks a group. If rows come and go during the walk, it may or may not see a change ahead of it, and never yields a row twice. */
  walk(key: string, options: WalkOptions = {}): Iterable<Stamped> {
    const group = this.#find(key)
    if (group === undefined) return []
    if (group instanceof OrderedRows) return this.#rowsOf(group.walk(options))
    const rows = [...this.#rowsOf(group)].filter(row => isBehind(row, options, this.#order))
    return options.isDescending === true ? rows.reverse() : rows
  }

  /** As `walk`, upwards over a whole group, yielding the numbers of its rows. */
  numbers(key: string): Iterable<number> {
    return this.#numbersOf(this.#find(key) ?? [])
  }

  #numbersOf(group: Group): Iterable<number> {
    if (!(group instanceof OrderedRows)) return group
    if (this.#placed !== this.#rows) return group.walk()
    return group.walk({}, number => this.#rows.placeOf(number))
  }

  /** Whether a row is in all of its groups. */
  has(number: number, row: Stamped): boolean {
    return groupKeys(this.#keysOf(row)).every(key => {
      const group = this.#find(key)
      return group instanceof OrderedRows ? group.has(number) : group?.includes(number) === true
    })
  }

  /** The keys of all groups, one by one. If they change meanwhile, `KeyTable.values` applies. */
  *keys(): Generator<string> {
    for (const entry of this.#entries.values()) {
      const key = this.#keyOfEntry(entry)
      if (key !== undefined) yield key
    }
  }

  /** Walks a group while it may change, one step per row, and yields its defects; undefined after a step that found none. */
  *defectsOf(key: string): Generator<GroupDefect | undefined> {
    const group = this.#find(key)
    if (group === undefined) return
    let last: Stamped | undefined
    const judge = (number: number): GroupDefect | undefined => {
      const row = this.#rows.get(number)
      const before = last
      last = row
      const isOwn = row !== undefined && groupKeys(this.#keysOf(row)).includes(key)
      if (!isOwn) return { problem: 'stale', key, id: row?.id }
      const isBehindLast = before === undefined || this.#order(before, row) < 0
      return isBehindLast ? undefined : { problem: 'disordered', key, id: row.id }
    }
    if (!(group instanceof OrderedRows)) {
      // Another array takes its place when it changes, so all of it is one step.
      yield* group.map(judge)
      return
    }
    if (!group.isCounted) yield { problem: 'miscounted', key }
    for (const number of group.walk()) {
      if (this.#find(key) !== group) return
      yield judge(number)
    }
  }

  /** Inserts a row that is not in the index yet. */
  add(number: number, row: Stamped): void {
    const keys = this.#keysOf(row)
    if (typeof keys === 'string') this.addTo(keys, number)
    else for (const key of keys ?? none) this.#addToNamed(key, number)
  }

  /** As `add`, for a row that is in this group only. */
  addTo(key: string, number: number): void {
    const last = this.#lastNamed
    if (last?.key === key && last.group instanceof OrderedRows) {
      last.group.add(number)
      return
    }
    const entry = this.#entries.add(key, number)
    if (entry !== undefined) this.#addBeside(entry, key, number)
  }

  /** As `addTo`, for a key with this hash, unless a row of the group is a rival: then returns that row. */
  addHashed(
    hash: number,
    number: number,
    isRival: (other: number) => boolean = () => false,
  ): number | undefined {
    const entry = this.#entries.addHashed(hash, number)
    if (entry === undefined) return undefined
    for (const other of this.#numbersOf(this.#groupOf(entry))) if (isRival(other)) return other
    this.#addBeside(entry, this.#keyOfEntry(number) ?? '', number)
    return undefined
  }

  /** As `addTo`, for the first `count` rows, whose keys have these hashes. */
  addAllHashed(hashes: Int32Array, numbers: Int32Array, count: number): void {
    this.#entries.addAllHashed(hashes, numbers, {
      count,
      onHolder: (index, holder) => {
        const number = numbers[index] as number
        this.#addBeside(holder, this.#keyOfEntry(number) ?? '', number)
      },
    })
  }

  /** As `addTo`, for the first `count` rows, which are in order. */
  addAllTo(key: string, numbers: Int32Array, count: number): void {
    let added = 0
    // The first ones are added singly until the group has a structure that takes many at once.
    for (; added < count && !(this.#groupNamed(key) instanceof OrderedRows); added += 1)
      this.addTo(key, numbers[added] as number)
    const group = this.#groupNamed(key)
    if (group instanceof OrderedRows) group.addAll(numbers.subarray(added, count))
  }

  /** As `addTo`, for rows that are in order, and most often all of a group that has none yet. */
  addGroup(key: string, numbers: Int32Array): void {
    const entry = this.#entryOf(key, numbers)
    if (this.#entries.add(key, entry) === undefined) return
    if (entry < 0) this.#free(entry)
    for (const number of numbers) this.addTo(key, number)
  }

  /** The entry of a new group. */
  #entryOf(key: string, numbers: Int32Array): number {
    if (numbers.length === 1) return numbers[0] as number
    // Without an iterator, which would leave room in the array.
    const group = this.#groupWith(Array.from({ length: numbers.length }, (_, i) => numbers[i] ?? 0))
    return this.#place(isArray(group) ? group : new NamedGroup(key, group))
  }

  #groupNamed(key: string): Group | undefined {
    return this.#lastNamed?.key === key ? this.#lastNamed.group : this.#find(key)
  }

  /** Adds a row to a group that has some. */
  #addBeside(entry: number, key: string, number: number): void {
    const known = this.#groups[-entry]
    if (known instanceof NamedGroup) this.#lastNamed = known
    const group = this.#groupOf(entry)
    const grown = this.#withRow(group, number)
    if (grown === group) return
    const named = isArray(grown) ? grown : new NamedGroup(key, grown)
    if (entry < 0) this.#groups[-entry] = named
    else this.#entries.set(key, this.#place(named))
  }

  /** Removes a row, which must still be as it was inserted. */
  remove(number: number, row: Stamped): void {
    for (const key of groupKeys(this.#keysOf(row))) this.#removeFrom(key, number)
  }

  /** Whether a change takes a row to other groups. */
  isMoved({ before, after }: RowChange): boolean {
    const known = this.#keysOf(before)
    const keys = this.#keysOf(after)
    if (!Array.isArray(known) || !Array.isArray(keys)) return known !== keys
    return known.length !== keys.length || known.some((key, i) => key !== keys[i])
  }

  /** Removes a row from the groups that it will leave, before it changes to another state with the same place. */
  leave(number: number, { before, after }: RowChange): void {
    const kept = groupKeys(this.#keysOf(after))
    for (const key of groupKeys(this.#keysOf(before))) {
      if (!kept.includes(key)) this.#removeFrom(key, number)
    }
  }

  /** Adds a row to its new groups, once it has changed. */
  enter(number: number, { before, after }: RowChange): void {
    const known = groupKeys(this.#keysOf(before))
    const keys = this.#keysOf(after)
    for (const key of groupKeys(keys)) {
      if (known.includes(key)) continue
      if (typeof keys === 'string') this.addTo(key, number)
      else this.#addToNamed(key, number)
    }
  }

  *#rowsOf(numbers: Iterable<number>): Generator<Stamped> {
    for (const number of numbers) {
      const row = this.#rows.get(number)
      if (row !== undefined) yield row
    }
  }

  #find(key: string): Group | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined ? undefined : this.#groupOf(entry)
  }

  #groupOf(entry: number): Group {
    if (entry > 0) return [entry]
    const group = this.#groups[-entry] ?? []
    return group instanceof NamedGroup ? group.group : group
  }

  #addToNamed(key: string, number: number): void {
    const entry = this.#entries.get(key)
    const group = entry === undefined ? [] : this.#groupOf(entry)
    const grown = this.#withRow(group, number)
    if (grown === group) return
    const named = new NamedGroup(key, grown)
    if (entry !== undefined && entry < 0) this.#groups[-entry] = named
    else this.#entries.set(key, this.#place(named))
  }

  #removeFrom(key: string, number: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    const group = this.#groupOf(entry)
    const isEmptied =
      sizeOf(group) === 1 && (group instanceof OrderedRows ? group.first : group[0]) === number
    if (isEmptied) {
      // While the rows are unchanged: the key of a group is derived from them.
      this.#entries.delete(key)
      if (entry < 0) this.#free(entry)
    } else if (group instanceof OrderedRows) group.delete(number)
    else if (entry < 0)
      this.#setArray(key, { entry, numbers: group.filter(each => each !== number) })
  }

  /** Replaces the rows of a group by fewer. */
  #setArray(
    key: string,
    { entry, numbers }: { readonly entry: number; readonly numbers: readonly number[] },
  ): void {
    const [first = 0] = numbers
    if (this.#groups[-entry] instanceof NamedGroup) {
      this.#groups[-entry] = new NamedGroup(key, numbers)
    } else if (numbers.length === 1) {
      this.#entries.set(key, first)
      this.#free(entry)
    } else this.#groups[-entry] = numbers
  }

  /** Gives a group a place; returns its entry. */
  #place(group: readonly number[] | NamedGroup): number {
    const place = this.#freePlaces.pop() ?? this.#groups.length
    this.#groups[place] = group
    return -place
  }

  #free(entry: number): void {
    this.#lastNamed = undefined
    this.#groups[-entry] = undefined
    this.#freePlaces.push(-entry)
  }

  #keyOfEntry(entry: number): string | undefined {
    const group = entry < 0 ? this.#groups[-entry] : undefined
    if (group instanceof NamedGroup) return group.key
    const row = this.#rows.headOf(group?.[0] ?? entry)
    const keys = row === undefined ? undefined : this.#keysOf(row)
    return typeof keys === 'string' ? keys : undefined
  }

  #withRow(group: Group, number: number): Group {
    if (group instanceof OrderedRows) {
      group.add(number)
      return group
    }
    if (group.includes(number)) return group
    const at = group.findIndex(each => this.#placed.compare(each, number) > 0)
    // Spreading into an array would leave room in it for as much again.
    return this.#groupWith(at < 0 ? group.concat(number) : group.toSpliced(at, 0, number))
  }

  /** @param numbers in order */
  #groupWith(numbers: readonly number[]): Group {
    if (numbers.length <= maxArray) return numbers
    const ordered = new OrderedRows(this.#placed)
    ordered.addAll(Int32Array.from(numbers))
    return ordered
  }
}

/** A row before and after a change that leaves it its place. */
export type RowChange = { readonly before: Stamped; readonly after: Stamped }

function isArray(group: Group): group is readonly number[] {
  return Array.isArray(group)
}

function sizeOf(group: Group): number {
  return group instanceof OrderedRows ? group.size : group.length
}

/** Rows whose places are the rows themselves. */
function rowsInOrder(rows: RowHeap, order: Order): PlacedRows {
  const rowAt = (number: number): Stamped => {
    const row = rows.get(number)
    if (row === undefined) throw new Error(`no row has the number ${number}`)
    return row
  }
  return {
    get: number => rows.get(number),
    comparePlace: (number, place) => order(rowAt(number), place),
    compare: (left, right) => order(rowAt(left), rowAt(right)),
  }
}
