import { ApiError } from '../../errors.ts'
import type { HashmapService } from '../../model/rating.ts'
import { newStamp } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { requireName } from '../row-name.ts'
import { deleteField } from './fields.ts'
import { deleteRulesOf } from './rule-rows.ts'

/** The metrics that the hashmap prices, by the metric names of their points. */
export class HashmapServices {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list(): readonly HashmapService[] {
    return [...this.#store.list('hashmapServices', 'all', everything)]
  }

  /** @throws ApiError not_found */
  get(id: string): HashmapService {
    return getService(this.#store, id)
  }

  /** @throws ApiError bad_request, conflict the name is taken */
  create(name: string): Promise<HashmapService> {
    requireName(name)
    return this.#store.commit(tx => {
      const existing = tx.find('hashmapServices', 'byName', name)
      if (existing !== undefined)
        throw new ApiError('conflict', `Service ${name} already exists (UUID: ${existing.id})`)
      const service = { ...newStamp(tx), name }
      tx.put('hashmapServices', service)
      return service
    })
  }

  /** Deletes a service with its fields and all their rules.
   *  @throws ApiError not_found */
  delete(id: string): Promise<void> {
    return this.#store.commit(tx => {
      getService(tx, id)
      for (const field of [...tx.list('hashmapFields', 'byService', id)]) deleteField(tx, field.id)
      deleteRulesOf(tx, { index: 'byParent', key: id })
      tx.delete('hashmapServices', id)
    })
  }
}

/** @throws ApiError not_found */
function getService(reader: StoreReader, id: string): HashmapService {
  const service = reader.get('hashmapServices', id)
  if (service === undefined) throw new ApiError('not_found', `No such service: None (UUID: ${id})`)
  return service
}
