import type { Stamped } from '../model/stamped.ts'
import { KeyTable } from './key-table.ts'
import { comparePlaces, isBehind, OrderedRows, type WalkOptions } from './ordered-rows.ts'

// Rows by a key that several share, each group in creation order. Most groups of some indexes are a row or two
// (the record sets of one owner), so a lone row stands for its group itself, a few are a plain array, and only
// many are worth a structure of their own.

/** What an index function yields for a row: its group, its groups (distinct), or none. */
export type GroupKeys = string | readonly string[] | undefined

const none: readonly string[] = []

/** The keys of a row in a group index, as a list. */
export function groupKeys(keys: GroupKeys): readonly string[] {
  if (keys === undefined) return none
  return typeof keys === 'string' ? [keys] : keys
}

/** Arrays are sorted, never changed once made, and only as long as they need to be. */
type Group<Row> = Row | readonly Row[] | OrderedRows<Row & Stamped>

/** A group whose rows are in other groups of the index too, so that they cannot tell its key. */
class NamedGroup<Row> {
  readonly key: string
  readonly group: Group<Row>

  constructor(key: string, group: Group<Row>) {
    this.key = key
    this.group = group
  }
}

type Entry<Row> = Group<Row> | NamedGroup<Row>

/** A group that is not what the rows make it. */
export type GroupDefect<Row> =
  | { readonly problem: 'miscounted'; readonly key: string }
  /** A row that is gone or has changed, or belongs to other groups; one that stands at a wrong place. */
  | { readonly problem: 'stale' | 'disordered'; readonly key: string; readonly row: Row }

const maxArray = 16

/** One group index of a collection. */
export class GroupIndex<Row extends Stamped> {
  readonly #keysOf: (row: Row) => GroupKeys
  readonly #entries: KeyTable<Entry<Row> & object>

  constructor(keysOf: (row: Row) => GroupKeys) {
    this.#keysOf = keysOf
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

  /** Walks a group. A walk that is under way while rows come and go sees a change to what lies ahead of it
   *  or not, and never a row twice. */
  walk(key: string, options: WalkOptions = {}): Iterable<Row> {
    const group = this.#find(key)
    if (group === undefined) return []
    if (group instanceof OrderedRows) return group.walk(options)
    const rows = (isArray(group) ? group : [group]).filter(row => isBehind(row, options))
    return options.isDescending === true ? rows.reverse() : rows
  }

  /** Whether a row is in all of its groups. */
  has(row: Row): boolean {
    return groupKeys(this.#keysOf(row)).every(key => {
      const group = this.#find(key)
      if (group instanceof OrderedRows) return group.has(row)
      return isArray(group) ? group.includes(row) : group === row
    })
  }

  /** The keys of all groups, one by one. While they change, what `KeyTable.values` says. */
  *keys(): Generator<string> {
    for (const entry of this.#entries.values()) {
      const key = this.#keyOfEntry(entry)
      if (key !== undefined) yield key
    }
  }

  /** Walks a group as it is and as it changes, a step a row, and yields what is wrong with it; undefined after a
   *  step that found nothing. `isCurrent` knows the rows that there are. */
  *defectsOf(
    key: string,
    isCurrent: (row: Row) => boolean,
  ): Generator<GroupDefect<Row> | undefined> {
    const group = this.#find(key)
    if (group === undefined) return
    const judge = (row: Row, last: Row | undefined): GroupDefect<Row> | undefined => {
      const isOwn = isCurrent(row) && groupKeys(this.#keysOf(row)).includes(key)
      if (!isOwn) return { problem: 'stale', key, row }
      const isBehindLast = last === undefined || comparePlaces(last, row) < 0
      return isBehindLast ? undefined : { problem: 'disordered', key, row }
    }
    if (!(group instanceof OrderedRows)) {
      // Another array takes its place when it changes, so all of it is one step.
      const rows = isArray(group) ? group : [group]
      yield* rows.map((row, index) => judge(row, rows[index - 1]))
      return
    }
    if (!group.isCounted) yield { problem: 'miscounted', key }
    let last: Row | undefined
    for (const row of group.walk()) {
      if (this.#find(key) !== group) return
      yield judge(row, last)
      last = row
    }
  }

  /** Inserts a row that is not in here yet. */
  add(row: Row): void {
    this.#add(row, this.#keysOf(row))
  }

  remove(row: Row): void {
    for (const key of groupKeys(this.#keysOf(row))) this.#removeFrom(key, row)
  }

  /** Puts a row in the stead of an earlier state of it that has the same place. */
  replace(before: Row, after: Row): void {
    const keys = this.#keysOf(after)
    const kept = groupKeys(keys)
    for (const key of groupKeys(this.#keysOf(before))) {
      if (!kept.includes(key)) this.#removeFrom(key, before)
    }
    this.#add(after, keys)
  }

  #find(key: string): Group<Row> | undefined {
    const entry = this.#entries.get(key)
    return entry instanceof NamedGroup ? entry.group : entry
  }

  #add(row: Row, keys: GroupKeys): void {
    if (typeof keys === 'string') {
      const entry = this.#entries.add(keys, row)
      if (entry !== undefined) this.#grow(keys, entry, row)
      return
    }
    for (const key of keys ?? none) {
      this.#entries.set(key, new NamedGroup(key, withRow(this.#find(key), row)))
    }
  }

  #grow(key: string, entry: Entry<Row>, row: Row): void {
    const isNamed = entry instanceof NamedGroup
    const group = isNamed ? entry.group : entry
    const grown = withRow(group, row)
    if (grown !== group) this.#entries.set(key, isNamed ? new NamedGroup(key, grown) : grown)
  }

  #removeFrom(key: string, row: Row): void {
    const entry = this.#entries.get(key)
    const group = entry instanceof NamedGroup ? entry.group : entry
    if (group === undefined) return
    if (group instanceof OrderedRows && group.size > 1) {
      group.delete(row)
      return
    }
    const rest = isArray(group) ? withoutRow(group, row) : undefined
    // While the group is still whole: without rows it could not tell its key.
    if (rest === undefined) this.#entries.delete(key)
    else this.#entries.set(key, entry instanceof NamedGroup ? new NamedGroup(key, rest) : rest)
  }

  #keyOfEntry(entry: Entry<Row>): string | undefined {
    if (entry instanceof NamedGroup) return entry.key
    const first = firstOf(entry)
    const keys = first === undefined ? undefined : this.#keysOf(first)
    return typeof keys === 'string' ? keys : undefined
  }
}

function isArray<Row>(group: Group<Row>): group is readonly Row[] {
  return Array.isArray(group)
}

function sizeOf<Row>(group: Group<Row>): number {
  if (group instanceof OrderedRows) return group.size
  return isArray(group) ? group.length : 1
}

function firstOf<Row>(group: Group<Row>): Row | undefined {
  if (group instanceof OrderedRows) return group.first
  return isArray(group) ? group[0] : group
}

/** The group with a row inserted, or replaced where its place is taken. */
function withRow<Row extends Stamped>(group: Group<Row> | undefined, row: Row): Group<Row> {
  if (group === undefined) return row
  if (group instanceof OrderedRows) {
    group.put(row)
    return group
  }
  const rows = isArray(group) ? group : [group]
  const at = rows.findIndex(each => comparePlaces(each, row) >= 0)
  if (rows[at]?.id === row.id) return isArray(group) ? rows.with(at, row) : row
  const grown = at < 0 ? [...rows, row] : [...rows.slice(0, at), row, ...rows.slice(at)]
  if (grown.length <= maxArray) return grown
  const ordered = new OrderedRows<Row>()
  for (const each of grown) ordered.put(each)
  return ordered
}

function withoutRow<Row extends Stamped>(rows: readonly Row[], row: Row): Group<Row> | undefined {
  const rest = rows.filter(each => each.id !== row.id)
  return rest.length === 1 ? rest[0] : rest
}
