import { ApiError } from '../errors.ts'
import type { Collections } from '../model/collections.ts'
import { everything } from '../store/indexes.ts'
import { otherHolder, type Store, type StoreReader, type Transaction } from '../store/store.ts'

const kinds = {
  hashmapServices: { noun: 'service', isShownAsNone: true },
  hashmapFields: { noun: 'field', isShownAsNone: false },
  hashmapGroups: { noun: 'group', isShownAsNone: false },
  pyscripts: { noun: 'script', isShownAsNone: true },
} as const

type NamedCollection = keyof typeof kinds

/** What is said of a row that does not exist, in the words of CloudKitty. */
export function noSuchRow(collection: NamedCollection, id: string): string {
  const { noun, isShownAsNone } = kinds[collection]
  return `No such ${noun}: ${isShownAsNone ? `None (UUID: ${id})` : id}`
}

/** Rows that administrators name. */
export class NamedRows<C extends NamedCollection> {
  protected readonly store: Store
  readonly #collection: C

  constructor(store: Store, collection: C) {
    this.store = store
    this.#collection = collection
  }

  list(): readonly Collections[C][] {
    return [...this.store.list(this.#collection, 'all', everything)]
  }

  /** @throws ApiError not_found */
  get(id: string): Collections[C] {
    return this.getFrom(this.store, id)
  }

  /** @throws ApiError not_found */
  protected getFrom(reader: StoreReader, id: string): Collections[C] {
    const row = reader.get(this.#collection, id)
    if (row === undefined) throw new ApiError('not_found', noSuchRow(this.#collection, id))
    return row
  }

  /** @throws ApiError conflict another row has its name */
  protected put(tx: Transaction, row: Collections[C]): Collections[C] {
    const namesake = otherHolder<NamedCollection>(tx, this.#collection, 'byName', row)
    if (namesake !== undefined) {
      const { noun } = kinds[this.#collection]
      const title = noun.charAt(0).toUpperCase() + noun.slice(1)
      throw new ApiError('conflict', `${title} ${row.name} already exists (UUID: ${namesake.id})`)
    }
    return tx.put(this.#collection, row)
  }
}

const maxNameLength = 255

/** Checks the name of a service, field, group, script or collector. A name is a key of indexes, in which a newline would
 *  be a separator.
 *  @throws ApiError bad_request */
export function requireName(name: string): void {
  if (name === '') refuse('a name that is not empty')
  if (name.length > maxNameLength) refuse(`a name of at most ${maxNameLength} characters`)
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) refuse('a name without control characters')
}

function refuse(expected: string): never {
  throw new ApiError('bad_request', `Invalid input for field/attribute name. Expected ${expected}.`)
}
