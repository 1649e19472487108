import type { CollectionName, Collections } from '../model/collections.ts'
import type { PlacedRecordset } from '../model/recordset-run.ts'
import { atOnce, type Steps } from '../time-slice.ts'
import type { Change } from './store.ts'
import type { Duplicate } from './table.ts'
import { collectionNames, Tables } from './tables.ts'

/** Rows as documents, segments and log have them, before there are indexes: those are built when all rows are known. */
export class LoadedRows {
  readonly #tables = new Tables()
  readonly recordsets = this.#tables.recordsets

  get<C extends CollectionName>(collection: C, id: string): Collections[C] | undefined {
    return this.#tables.get(collection, id)
  }

  put<C extends CollectionName>(collection: C, row: Collections[C]): void {
    this.#tables.table(collection).load(row)
  }

  /** Puts record sets as a segment has them; returns how many. */
  putStored(records: Iterable<PlacedRecordset>): number {
    const numbers: number[] = []
    for (const record of records) numbers.push(this.recordsets.addStored(record))
    this.#tables.table('recordsets').loadAllKept(Int32Array.from(numbers))
    return numbers.length
  }

  /** Gives up the record sets that were put: the segments they are from turn out to be damaged. */
  dropRecordsets(): void {
    const table = this.#tables.table('recordsets')
    for (const number of this.recordsets.numbers()) table.unload(this.recordsets.idOf(number) ?? '')
    this.recordsets.changed.take()
  }

  /** Deletes a record set because a segment says so. */
  deleteStored(id: string): void {
    this.#tables.table('recordsets').unload(id)
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      const table = this.#tables.table(change.collection)
      const { packedAfter } = change
      if (packedAfter !== undefined) table.loadKept(this.recordsets.addPacked(packedAfter))
      else if (change.after === undefined) table.unload(change.id)
      else table.load(change.after)
    }
  }

  /** Builds all indexes and hands over the rows. */
  index(onDuplicate: OnDuplicate): Tables {
    const tables = this.indexSmall(onDuplicate)
    atOnce(this.indexZones(onDuplicate))
    atOnce(this.groupRecordsets())
    atOnce(this.indexRecordsets(onDuplicate))
    return tables
  }

  /** Gives the rows away with the indexes of all collections but zones and recordsets, of which none may be changed or found
   *  other than by id yet. */
  indexSmall(onDuplicate: OnDuplicate): Tables {
    for (const collection of collectionNames) {
      const table = this.#tables.table(collection)
      if (collection === 'zones' || collection === 'recordsets') table.beginLoading()
      else reportDuplicates(collection, atOnce(table.indexLoaded()), onDuplicate)
    }
    return this.#tables
  }

  /** Builds the indexes of zones, which may be changed from then on. */
  *indexZones(onDuplicate: OnDuplicate): Steps<void> {
    reportDuplicates('zones', yield* this.#tables.table('zones').indexLoaded(), onDuplicate)
  }

  /** From then on record sets are found by their zone. */
  *groupRecordsets(): Steps<void> {
    const groups = yield* this.recordsets.byZone()
    yield* this.#tables.table('recordsets').groupLoaded('byZone', groups)
  }

  /** Builds the other indexes of record sets, none of which may be changed or found before. */
  *indexRecordsets(onDuplicate: OnDuplicate): Steps<void> {
    const duplicates = yield* this.#tables.table('recordsets').indexLoaded()
    reportDuplicates('recordsets', duplicates, onDuplicate)
  }
}

/** Called with each row that claims a key of another: it is left out. */
export type OnDuplicate = (duplicate: Duplicate & { readonly collection: CollectionName }) => void

function reportDuplicates(
  collection: CollectionName,
  duplicates: readonly Duplicate[],
  onDuplicate: OnDuplicate,
): void {
  for (const duplicate of duplicates) onDuplicate({ collection, ...duplicate })
}
