import type { CollectionName, Collections } from '../model/collections.ts'
import { OperatorError } from '../operator-error.ts'
import { indexes } from './indexes.ts'
import { PackedRecordsets } from './packed-recordsets.ts'
import type { Commit, ListOptions, StoreReader } from './store.ts'
import { Table } from './table.ts'
import type { IndexDefect } from './table-audit.ts'

export const collectionNames = Object.keys(indexes) as readonly CollectionName[]

/** What is stored has a collection that this version does not know. */
export class NewerVersionError extends OperatorError {
  constructor(collection: string) {
    super(
      `a later version has stored "${collection}", which this version does not know: upgrade this server`,
    )
  }
}

/** The durable state: every collection in memory. */
export class Tables implements StoreReader {
  readonly #tables: ReadonlyMap<CollectionName, Table>
  /** The rows of the table of that name. */
  readonly recordsets: PackedRecordsets

  constructor(recordsets = new PackedRecordsets()) {
    const rowsOf = { recordsets } as { readonly [C in CollectionName]?: PackedRecordsets }
    this.#tables = new Map(collectionNames.map(name => [name, new Table(name, rowsOf[name])]))
    this.recordsets = recordsets
  }

  /** @throws NewerVersionError */
  table(collection: CollectionName): Table {
    const table = this.#tables.get(collection)
    if (table === undefined) throw new NewerVersionError(collection)
    return table
  }

  get<C extends CollectionName>(collection: C, id: string): Collections[C] | undefined {
    return this.table(collection).get(id) as Collections[C] | undefined
  }

  find<C extends CollectionName>(
    collection: C,
    index: string,
    key: string,
  ): Collections[C] | undefined {
    return this.table(collection).find(index, key) as Collections[C] | undefined
  }

  list<C extends CollectionName>(
    collection: C,
    index: string,
    key: string,
    options?: ListOptions,
  ): Iterable<Collections[C]> {
    return this.table(collection).list(index, key, options) as Iterable<Collections[C]>
  }

  count(collection: CollectionName, index: string, key: string): number {
    return this.table(collection).count(index, key)
  }

  sum(collection: CollectionName, index: string, key: string): number {
    return this.table(collection).sum(index, key)
  }

  /** What `Store.rows` says. */
  rows<C extends CollectionName>(collection: C): Iterable<Collections[C]> {
    return this.table(collection).values() as Iterable<Collections[C]>
  }

  /** What `Store.indexDefects` says. */
  *indexDefects(): Generator<IndexDefect | undefined> {
    for (const table of this.#tables.values()) yield* table.indexDefects()
  }

  apply({ rowChanges, added }: Pick<Commit, 'rowChanges' | 'added'>): void {
    for (const { collection, id, before, after, packedAfter } of rowChanges) {
      const table = this.table(collection)
      if (after === undefined) table.delete(id, before)
      else table.put(after, { before, packed: packedAfter })
    }
    for (const run of added) this.table('recordsets').insertRun(run)
  }
}
