import { ApiError } from '../../errors.ts'
import type { HashmapField } from '../../model/rating.ts'
import { newStamp } from '../../model/stamped.ts'
import { keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { requireName } from '../row-name.ts'
import { deleteRulesOf } from './rule-rows.ts'

/** The attributes of services that prices depend on. */
export class HashmapFields {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** The fields of a service; none where there is no such service. */
  list(serviceId: string): readonly HashmapField[] {
    return [...this.#store.list('hashmapFields', 'byService', serviceId)]
  }

  /** @throws ApiError not_found */
  get(id: string): HashmapField {
    return getField(this.#store, id)
  }

  /** @throws ApiError bad_request there is no such service, conflict the name is taken */
  create({ serviceId, name }: Pick<HashmapField, 'serviceId' | 'name'>): Promise<HashmapField> {
    requireName(name)
    return this.#store.commit(tx => {
      if (tx.get('hashmapServices', serviceId) === undefined)
        throw new ApiError('bad_request', `No such service: None (UUID: ${serviceId})`)
      const existing = tx.find('hashmapFields', 'byServiceAndName', keyOf(serviceId, name))
      if (existing !== undefined)
        throw new ApiError('conflict', `Field ${name} already exists (UUID: ${existing.id})`)
      const field = { ...newStamp(tx), serviceId, name }
      tx.put('hashmapFields', field)
      return field
    })
  }

  /** Deletes a field with its rules.
   *  @throws ApiError not_found */
  delete(id: string): Promise<void> {
    return this.#store.commit(tx => {
      getField(tx, id)
      deleteField(tx, id)
    })
  }
}

/** Deletes a field that exists, with its rules. */
export function deleteField(tx: Transaction, id: string): void {
  deleteRulesOf(tx, { index: 'byParent', key: id })
  tx.delete('hashmapFields', id)
}

function getField(reader: StoreReader, id: string): HashmapField {
  const field = reader.get('hashmapFields', id)
  if (field === undefined) throw new ApiError('not_found', `No such field: ${id}`)
  return field
}
