import { isDeepStrictEqual } from 'node:util'
import type { CollectionName, Collections } from '../model/collections.ts'
import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import {
  countOf,
  type PlacedRecordset,
  type RecordsetRun,
  RunWriter,
  recordsetsOf,
  rowOrNone,
} from '../model/recordset-run.ts'
import type { Steps } from '../time-slice.ts'
import type { StoredRecordset } from './commit-entry.ts'
import { groupKeys } from './group-index.ts'
import { hasIdHash, idHash } from './id-hash.ts'
import { comparePlaces, isBehind, type Order } from './ordered-rows.ts'
import { indexesOf, type RowIndexes } from './row-indexes.ts'
import {
  type Change,
  type Commit,
  type ListOptions,
  type StoreReader,
  UniqueViolation,
} from './store.ts'
import { SumIndex } from './sum-index.ts'
import type { Row } from './table.ts'

// Changes that are not visible yet, over a reader that does not know of them: a transaction over the batch
// it belongs to, the batch over the durable state. A lookup asks the changes first, so layers can be stacked,
// and giving up a layer undoes all it held.

/** A collection's pending changes, from the base to how it is in this layer. Groups and sums are computed on first use, since
 *  most transactions that write much never need them, and maintained from then on. */
type PendingTable = {
  readonly changes: Map<string, RowChange>
  /** New recordsets that came packed. They become ordinary changes when a read needs more than their number in a zone. */
  runs: RecordsetRun[]
  /** How many of those there are, by zone. */
  packedCounts?: Map<string, number>
  /** By unique index, in declaration order; `null` marks a free key. */
  readonly rowByKey: readonly Map<string, Row | null>[]
  groups?: Map<string, Map<string, PendingGroup>>
  /** How much sums have grown. */
  sums?: Map<string, SumIndex>
}

/** A change of a row of any collection. */
type RowChange = {
  readonly collection: CollectionName
  readonly id: string
  readonly before: Row | undefined
  readonly after: Row | undefined
  readonly packedBefore?: PlacedRecordset | undefined
  readonly packedAfter?: PlacedRecordset | undefined
}

/** The changes in a group, and by how many rows they make it larger. `null` marks a removed row. */
type PendingGroup = { readonly rows: Map<string, Row | null>; growth: number }

/** Indexes of recordsets whose keys begin with that of the zone. */
const indexesByZone: ReadonlySet<string> = new Set([
  'byZone',
  'byOwner',
  'byNameAndType',
  'recordsOfZone',
  'managedRecordsOfZone',
])

/** A layer of pending changes; reads as if they had happened. */
export class Overlay implements StoreReader {
  readonly #base: StoreReader
  readonly #pending: Map<CollectionName, PendingTable>

  constructor(base: StoreReader, pending = new Map<CollectionName, PendingTable>()) {
    this.#base = base
    this.#pending = pending
  }

  /** The same changes over another reader that does not know of them. */
  over(base: StoreReader): Overlay {
    return new Overlay(base, this.#pending)
  }

  get<C extends CollectionName>(collection: C, id: string): Collections[C] | undefined {
    if (this.#mayBePacked(collection, id)) this.#unpack(collection)
    const change = this.#pending.get(collection)?.changes.get(id)
    if (change === undefined) return this.#base.get(collection, id)
    return change.after as Collections[C] | undefined
  }

  find<C extends CollectionName>(
    collection: C,
    index: string,
    key: string,
  ): Collections[C] | undefined {
    this.#unpackFor(collection, index, key)
    const table = this.#pending.get(collection)
    const row = table?.rowByKey[uniqueNumber(collection, index)]?.get(key)
    if (row === undefined) return this.#base.find(collection, index as never, key)
    return (row ?? undefined) as Collections[C] | undefined
  }

  /** Walks the group as it is now, regardless of changes during the walk. */
  list<C extends CollectionName>(
    collection: C,
    index: string,
    key: string,
    options: ListOptions = {},
  ): Iterable<Collections[C]> {
    this.#unpackFor(collection, index, key)
    const below = this.#base.list(collection, index as never, key, options)
    const group = this.#group(collection, index, key)
    if (group === undefined) return below
    const order = declaredGroup(collection, index)?.order ?? comparePlaces
    const changed = new Map(group.rows)
    return merged(below, { changed, order }, options) as Iterable<Collections[C]>
  }

  count<C extends CollectionName>(collection: C, index: string, key: string): number {
    if (index !== 'byZone') this.#unpackFor(collection, index, key)
    const packedCount = this.#pending.get(collection)?.packedCounts?.get(key) ?? 0
    const growth = this.#group(collection, index, key)?.growth ?? 0
    return this.#base.count(collection, index as never, key) + packedCount + growth
  }

  sum<C extends CollectionName>(collection: C, index: string, key: string): number {
    this.#unpackFor(collection, index, key)
    const growth = this.#sum(collection, index)?.get(key)
    return this.#base.sum(collection, index as never, key) + (growth ?? 0)
  }

  put<C extends CollectionName>(collection: C, row: Collections[C]): Collections[C] {
    const { id } = row
    const before = this.get(collection, id)
    const keys = indexesOf(collection).unique.map(({ name, keyOf }) => {
      const key = keyOf(row)
      if (key === undefined || (before !== undefined && keyOf(before) === key)) return key
      const holder = this.find(collection, name, key)
      if (holder !== undefined && holder.id !== id) {
        throw new UniqueViolation(`${collection} ${id}: ${name} is taken by ${holder.id}`)
      }
      return key
    })
    this.change({ collection, id, before, after: row }, keys)
    return row
  }

  insertRecordsets(run: RecordsetRun): void {
    const [first] = recordsetsOf(run)
    if (first === undefined) return
    const table = this.#pendingTable('recordsets')
    table.runs.push(run)
    table.packedCounts ??= new Map()
    const zoneId = recordsetUnpacker.zoneIdOf(first)
    table.packedCounts.set(zoneId, (table.packedCounts.get(zoneId) ?? 0) + countOf(run))
  }

  delete(collection: CollectionName, id: string): void {
    const before = this.get(collection, id)
    if (before !== undefined) this.change({ collection, id, before, after: undefined }, [])
  }

  /** Takes over the recordset changes of another layer, which is not used afterwards. This layer has changed none so far,
   *  and both have the same base state. */
  takeRecordsets(layer: Overlay): void {
    const table = layer.#pending.get('recordsets')
    if (table !== undefined) this.#pending.set('recordsets', table)
  }

  /** What `StagedTransaction.packRecordsets` says. */
  protected *pack(stored: StoredRecordset): Steps<RecordsetRun> {
    const table = this.#pendingTable('recordsets')
    const made = new RunWriter()
    const writer = new RunWriter()
    for (const change of table.changes.values()) {
      const before = change.before as Recordset | undefined
      const after = change.after as Recordset | undefined
      if (before === undefined && after !== undefined && after.shareId === undefined) {
        made.add(after)
        this.#takeOut(table, after)
      } else {
        writer.addOne(before, before && stored(before))
        writer.addOne(after)
      }
      yield
    }
    // What has come in and gone is in none of them any more.
    table.groups?.clear()
    table.sums?.clear()
    const rows = recordsetsOf(writer.take())
    for (const change of table.changes.values()) {
      const packedBefore = rowOrNone(rows.next().value)
      const packedAfter = rowOrNone(rows.next().value)
      table.changes.set(change.id, { ...change, packedBefore, packedAfter })
      yield
    }
    return made.take()
  }

  /** Removes a row that this layer has inserted. */
  #takeOut(table: PendingTable, row: Recordset): void {
    table.changes.delete(row.id)
    for (const [i, { keyOf }] of indexesOf('recordsets').unique.entries()) {
      const key = keyOf(row)
      if (key !== undefined) table.rowByKey[i]?.set(key, null)
    }
  }

  /** The changes of this layer to its base, except `added` and rows that were inserted and deleted again. */
  changes(): Change[] {
    const changes: Change[] = []
    for (const { changes: all } of this.#pending.values()) {
      for (const change of all.values()) {
        if (!isSame(change)) changes.push(change as Change)
      }
    }
    return changes
  }

  /** The recordsets that this layer adds packed. */
  added(): readonly RecordsetRun[] {
    return this.#pending.get('recordsets')?.runs ?? []
  }

  /** Takes the changes of a layer above into this one, which has not changed since. */
  absorb({ rowChanges, added }: Pick<Commit, 'rowChanges' | 'added'>): void {
    for (const run of added) this.insertRecordsets(run)
    for (const { collection, id, before, after } of rowChanges as readonly RowChange[])
      this.change({ collection, id, before, after }, keysOf(collection, after))
  }

  /** Restores a row to its state before a change that the base has. */
  takeBack(change: Change): void {
    const { collection, id, before, after } = change as RowChange
    this.change({ collection, id, before: after, after: before }, keysOf(collection, before))
  }

  /** Whether a packed recordset has an id; very rarely true if none has. */
  #mayBePacked(collection: CollectionName, id: string): boolean {
    const { runs = [], changes } = this.#pending.get(collection) ?? {}
    // One that was deleted may have come back packed.
    if (runs.length === 0 || changes?.get(id)?.after !== undefined) return false
    const hash = idHash(id)
    return runs.some(run => hasIdHash(run, hash))
  }

  /** As `#unpack`, if a key of an index may be that of a packed recordset. */
  #unpackFor(collection: CollectionName, index: string, key: string): void {
    const table = this.#pending.get(collection)
    if (table === undefined || table.runs.length === 0) return
    const zoneId = indexesByZone.has(index) ? key.split('\n', 1)[0] : undefined
    if (zoneId === undefined || table.packedCounts?.has(zoneId)) this.#unpack(collection)
  }

  /** Turns the recordsets that came packed into ordinary changes. */
  #unpack(collection: CollectionName): void {
    const table = this.#pending.get(collection)
    if (table === undefined || table.runs.length === 0) return
    const { runs } = table
    table.runs = []
    table.packedCounts?.clear()
    for (const record of runs.flatMap(run => [...recordsetsOf(run)])) {
      const after = recordsetUnpacker.unpack(record)
      const { id } = after
      this.change({ collection, id, before: undefined, after }, keysOf(collection, after))
    }
  }

  /** Notes a change to the present state of this layer, with the keys of the row after it. */
  protected change(change: RowChange, keys: readonly (string | undefined)[]): void {
    const { collection, id, before, after } = change
    const table = this.#pendingTable(collection)
    const { unique } = indexesOf(collection)
    for (const [i, { keyOf }] of unique.entries()) {
      const rowByKey = table.rowByKey[i] as Map<string, Row | null>
      const keyBefore = before && keyOf(before)
      const key = keys[i]
      // Another row of this layer may have taken it over already.
      if (keyBefore !== undefined && keyBefore !== key) {
        const holder = rowByKey.get(keyBefore)
        if (holder === undefined || holder?.id === id) rowByKey.set(keyBefore, null)
      }
      if (key !== undefined && after !== undefined) rowByKey.set(key, after)
    }
    for (const [name, groups] of table.groups ?? [])
      changeGroups(groups, groupKeyOf(collection, name), change)
    for (const sum of table.sums?.values() ?? []) sum.replace(before, after)
    const first = table.changes.get(id)
    table.changes.set(id, first === undefined ? change : { ...change, before: first.before })
  }

  #group(collection: CollectionName, index: string, key: string): PendingGroup | undefined {
    const table = this.#pending.get(collection)
    if (table === undefined) return undefined
    table.groups ??= new Map()
    let groups = table.groups.get(index)
    if (groups === undefined) {
      groups = new Map()
      const keyOf = groupKeyOf(collection, index)
      for (const change of table.changes.values()) changeGroups(groups, keyOf, change)
      table.groups.set(index, groups)
    }
    return groups.get(key)
  }

  #sum(collection: CollectionName, index: string): SumIndex | undefined {
    const table = this.#pending.get(collection)
    const known = table?.sums?.get(index)
    const declared = indexesOf(collection).sums.find(({ name }) => name === index)
    if (table === undefined || known !== undefined || declared === undefined) return known
    const sum = new SumIndex(declared)
    for (const { before, after } of table.changes.values()) sum.replace(before, after)
    table.sums ??= new Map()
    table.sums.set(index, sum)
    return sum
  }

  #pendingTable(collection: CollectionName): PendingTable {
    let table = this.#pending.get(collection)
    if (table === undefined) {
      const rowByKey = indexesOf(collection).unique.map(() => new Map<string, Row | null>())
      table = { changes: new Map(), runs: [], rowByKey }
      this.#pending.set(collection, table)
    }
    return table
  }
}

/** The keys of a row in the unique indexes, in their order. */
function keysOf(collection: CollectionName, row: Row | undefined): readonly (string | undefined)[] {
  return row === undefined ? [] : indexesOf(collection).unique.map(({ keyOf }) => keyOf(row))
}

/** A linear search of so few is as fast as hashing the name. */
function uniqueNumber(collection: CollectionName, index: string): number {
  return indexesOf(collection).unique.findIndex(({ name }) => name === index)
}

type KeyOf = RowIndexes['groups'][number]['keyOf']

function groupKeyOf(collection: CollectionName, index: string): KeyOf {
  return declaredGroup(collection, index)?.keyOf ?? (() => undefined)
}

function declaredGroup(collection: CollectionName, index: string) {
  return indexesOf(collection).groups.find(({ name }) => name === index)
}

/** Notes a change in the groups of an index. */
function changeGroups(
  groups: Map<string, PendingGroup>,
  keyOf: KeyOf,
  { id, before, after }: RowChange,
): void {
  for (const key of groupKeys(before && keyOf(before))) changeGroup(groups, key, { id, row: null })
  for (const key of groupKeys(after && keyOf(after)))
    changeGroup(groups, key, { id, row: after ?? null })
}

/** Whether a row is unchanged. A reader may build a row on each access, so one that was read and written back may be another
 *  object; its version is then the same. */
function isSame({ before, after }: RowChange): boolean {
  return (
    before === after || (before?.version === after?.version && isDeepStrictEqual(before, after))
  )
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

/** The rows of the base in order, with changed rows in their present state. */
function* merged(
  below: Iterable<Row>,
  { changed, order }: { readonly changed: ReadonlyMap<string, Row | null>; readonly order: Order },
  options: ListOptions,
): Generator<Row> {
  const sign = options.isDescending === true ? -1 : 1
  const isPassed = (row: Row | null) => row !== null && isBehind(row, options, order)
  const own = [...changed.values()].filter(isPassed) as Row[]
  own.sort((left, right) => sign * order(left, right))
  let next = 0
  for (const row of below) {
    if (changed.has(row.id)) continue
    for (; next < own.length && sign * order(own[next] as Row, row) < 0; next += 1) {
      yield own[next] as Row
    }
    yield row
  }
  yield* own.slice(next)
}
