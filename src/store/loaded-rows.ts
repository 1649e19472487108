import type { CollectionName, Collections } from '../model/collections.ts'
import type { Change } from './store.ts'
import type { Duplicate } from './table.ts'
import { collectionNames, Tables } from './tables.ts'

/** Rows as documents and journal have them, before there are indexes: those are built once, when all rows are
 *  known. */
export class LoadedRows {
  readonly #tables = new Tables()

  get<C extends CollectionName>(collection: C, id: string): Collections[C] | undefined {
    return this.#tables.get(collection, id)
  }

  put<C extends CollectionName>(collection: C, row: Collections[C]): void {
    this.#tables.table(collection).load(row)
  }

  apply(changes: readonly Change[]): void {
    for (const { collection, id, after } of changes) {
      if (after === undefined) this.#tables.table(collection).unload(id)
      else this.put(collection, after)
    }
  }

  /** Builds the indexes and gives the rows away. Of two rows that claim one key, the later is left out and told
   *  of. */
  index(
    onDuplicate: (duplicate: Duplicate & { readonly collection: CollectionName }) => void,
  ): Tables {
    for (const collection of collectionNames) {
      for (const duplicate of this.#tables.table(collection).indexLoaded()) {
        onDuplicate({ collection, ...duplicate })
      }
    }
    return this.#tables
  }
}
