import type { CollectionName } from '../../src/model/collections.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import type { Commit, StoreReader } from '../../src/store/store.ts'
import type { Row } from '../../src/store/table.ts'

// The expected contents of a store, kept in the simplest way.

/** The collections that the tests of the store write to. */
const collections = ['zones', 'recordsets', 'pools', 'projects'] as const satisfies CollectionName[]

export class StoreModel {
  readonly #rowsByCollection = new Map<CollectionName, Map<string, Row>>()

  /** A model of what a store holds. */
  static of(store: StoreReader): StoreModel {
    const model = new StoreModel()
    const rowsOf = rowsByCollection(store)
    for (const collection of collections) {
      const rows = rowsOf[collection].map(row => [row.id, row] as const)
      model.#rowsByCollection.set(collection, new Map(rows))
    }
    return model
  }

  apply({ changes }: Pick<Commit, 'changes'>): void {
    for (const { collection, id, after } of changes) {
      const rows = this.#rowsByCollection.get(collection) ?? new Map<string, Row>()
      this.#rowsByCollection.set(collection, rows)
      if (after === undefined) rows.delete(id)
      else rows.set(id, after)
    }
  }

  /** All rows as one text, to be compared with a store's. */
  get text(): string {
    return textOf(collection => this.#rowsByCollection.get(collection)?.values() ?? [])
  }
}

/** All rows of a store as one text, read through its indexes.
 *  @throws Error the indexes do not agree with one another */
export function storeText(store: StoreReader): string {
  const rowsOf = rowsByCollection(store)
  for (const row of rowsOf.recordsets) {
    const key = keyOf(row.zoneId, row.name.toLowerCase(), row.type)
    if (store.find('recordsets', 'byNameAndType', key)?.id !== row.id)
      throw new Error(`not found: ${key}`)
  }
  return textOf(collection => rowsOf[collection])
}

function rowsByCollection(store: StoreReader) {
  const zones = [...store.list('zones', 'all', everything)]
  const recordsets = zones.flatMap(({ id }) => {
    const rows = [...store.list('recordsets', 'byZone', id)]
    if (store.count('recordsets', 'byZone', id) !== rows.length) throw new Error('a wrong count')
    return rows
  })
  return {
    zones,
    recordsets,
    pools: [...store.list('pools', 'all', everything)],
    projects: [...store.list('projects', 'all', everything)],
  }
}

function textOf(rowsOf: (collection: (typeof collections)[number]) => Iterable<Row>): string {
  return collections
    .flatMap(collection => [...rowsOf(collection)].map(row => `${collection} ${textOfRow(row)}\n`))
    .sort()
    .join('')
}

function textOfRow(row: Row): string {
  return JSON.stringify(Object.entries(row).sort(([left], [right]) => (left < right ? -1 : 1)))
}
