import type { CollectionName, Collections } from '../model/collections.ts'
import type { Recordset } from '../model/recordset.ts'
import type { KeyTable } from './key-table.ts'
import { comparePlaces } from './ordered-rows.ts'
import type { Change } from './store.ts'
import { type Duplicate, newRows, type Row } from './table.ts'
import { collectionNames, Tables } from './tables.ts'

type LoadedCollection = {
  readonly rowsById: KeyTable<Row>
  /** Every row that ever came with a new id, in the order they came. It is nearly that of creation, so sorting
   *  them is cheap; what has been replaced or deleted since is looked up by id. */
  readonly arrivals: Row[]
}

/** Rows as documents and journal have them, before there are indexes: those are built once, when all rows are
 *  known. */
export class LoadedRows {
  readonly #collections = new Map<CollectionName, LoadedCollection>(
    collectionNames.map(name => [name, { rowsById: newRows(), arrivals: [] }]),
  )

  get<C extends CollectionName>(collection: C, id: string): Collections[C] | undefined {
    return this.#collection(collection).rowsById.get(id) as Collections[C] | undefined
  }

  put<C extends CollectionName>(collection: C, row: Collections[C]): void {
    if (collection === 'recordsets') this.#shareZoneId(row as Recordset)
    const { rowsById, arrivals } = this.#collection(collection)
    if (rowsById.add(row.id, row) === undefined) arrivals.push(row)
    else rowsById.set(row.id, row)
  }

  apply(changes: readonly Change[]): void {
    for (const { collection, id, after } of changes) {
      if (after === undefined) this.#collection(collection).rowsById.delete(id)
      else this.put(collection, after)
    }
  }

  /** Builds the indexes and gives the rows away. Of two rows that claim one key, the later is left out and told
   *  of. */
  index(
    onDuplicate: (duplicate: Duplicate & { readonly collection: CollectionName }) => void,
  ): Tables {
    const tables = new Tables()
    for (const [collection, { rowsById, arrivals }] of this.#collections) {
      const rows: Row[] = []
      for (const { id } of arrivals) {
        const row = rowsById.get(id)
        if (row !== undefined) rows.push(row)
      }
      rows.sort(comparePlaces)
      // A row that was deleted and came back has arrived twice.
      const inOrder = rows.filter((row, i) => row !== rows[i - 1])
      for (const duplicate of tables.table(collection).take(rowsById, inOrder)) {
        onDuplicate({ collection, ...duplicate })
      }
    }
    this.#collections.clear()
    return tables
  }

  /** Every row has come with a string of its own for its zone; one for all of them is enough. */
  #shareZoneId(row: { zoneId: string }): void {
    row.zoneId = this.get('zones', row.zoneId)?.id ?? row.zoneId
  }

  #collection(name: CollectionName): LoadedCollection {
    const collection = this.#collections.get(name)
    if (collection === undefined) throw new Error(`no collection ${name}`)
    return collection
  }
}
