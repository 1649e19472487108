import { type FieldError, type Missing, requireFound } from '../../errors.ts'
import { type Changes, definedOf } from '../../model/changes.ts'
import type { Collections } from '../../model/collections.ts'
import { requireValid } from '../../model/field-rules.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { groupListing, type Page, type PageRequest, pageOf } from '../listing/listing.ts'

/** The collections that belong to no project: administrators maintain them for all projects. */
export type AdminCollection = 'blacklists' | 'tlds' | 'tsigKeys' | 'dnssecPolicies'

/** The specifics of one such collection. `D` is the draft of a new row. */
type AdminRules<C extends AdminCollection, D> = {
  readonly collection: C
  /** Its name in messages. */
  readonly resource: string
  readonly errorsOf: (changes: Changes<D>) => readonly (FieldError | undefined)[]
  /** Refuses a new or changed row that conflicts with other rows. */
  readonly check: (reader: StoreReader, row: Collections[C]) => void
  /** Refuses the removal of a row that others depend on. */
  readonly checkRemoval?: (reader: StoreReader, row: Collections[C]) => void
  readonly missing: Missing
}

/** The rows of one such collection. */
export class AdminRows<C extends AdminCollection, D> {
  readonly #store: Store
  readonly #rules: AdminRules<C, D>

  constructor(store: Store, rules: AdminRules<C, D>) {
    this.#store = store
    this.#rules = rules
  }

  /** @throws ApiError invalid_object, and what the collection's check refuses */
  async create(draft: D): Promise<Collections[C]> {
    const { errorsOf, resource } = this.#rules
    requireValid(resource, errorsOf(draft))
    return this.#store.commit(tx => this.#put(tx, { ...newStamp(tx), ...draft } as Collections[C]))
  }

  /** @throws ApiError the collection's not-found type */
  get(id: string): Collections[C] {
    return this.#get(this.#store, id)
  }

  /** @throws ApiError marker_not_found */
  list(request: PageRequest<Collections[C]>): Page<Collections[C]> {
    const all = { index: 'all', key: everything } as const
    return pageOf(groupListing(this.#store, this.#rules.collection, all), request)
  }

  /** @throws ApiError the collection's not-found type, invalid_object, and what its check refuses */
  async update(id: string, changes: Changes<D>): Promise<Collections[C]> {
    const { errorsOf, resource } = this.#rules
    return this.#store.commit(tx => {
      const before = this.#get(tx, id)
      requireValid(resource, errorsOf(changes))
      return this.#put(tx, changedRow(tx, before, definedOf(changes) as Partial<Collections[C]>))
    })
  }

  /** @throws ApiError the collection's not-found type, and what the check of its removal refuses */
  delete(id: string): Promise<void> {
    const { collection, checkRemoval } = this.#rules
    return this.#store.commit(tx => {
      const row = this.#get(tx, id)
      checkRemoval?.(tx, row)
      tx.delete(collection, row.id)
    })
  }

  #get(reader: StoreReader, id: string): Collections[C] {
    const { collection, missing } = this.#rules
    return requireFound(reader.get(collection, id), missing)
  }

  #put(tx: Transaction, row: Collections[C]): Collections[C] {
    this.#rules.check(tx, row)
    return tx.put(this.#rules.collection, row)
  }
}
