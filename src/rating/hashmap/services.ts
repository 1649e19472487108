import { ApiError } from '../../errors.ts'
import type { HashmapField, HashmapService } from '../../model/rating.ts'
import { newStamp } from '../../model/stamped.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { NamedRows, noSuchRow, requireName } from '../named-rows.ts'
import { deleteRulesOf } from './rules.ts'

/** The metrics that the hashmap prices, by the metric names of their points. */
export class HashmapServices extends NamedRows<'hashmapServices'> {
  constructor(store: Store) {
    super(store, 'hashmapServices')
  }

  /** @throws ApiError bad_request, conflict the name is taken */
  create(name: string): Promise<HashmapService> {
    requireName(name)
    return this.store.commit(tx => this.put(tx, { ...newStamp(tx), name }))
  }

  /** Deletes a service with its fields and all their rules.
   *  @throws ApiError not_found */
  delete(id: string): Promise<void> {
    return this.store.commit(tx => {
      this.getFrom(tx, id)
      for (const field of [...tx.list('hashmapFields', 'byService', id)]) deleteField(tx, field.id)
      deleteRulesOf(tx, { index: 'byParent', key: id })
      tx.delete('hashmapServices', id)
    })
  }
}

/** The attributes of services that prices depend on. */
export class HashmapFields extends NamedRows<'hashmapFields'> {
  constructor(store: Store) {
    super(store, 'hashmapFields')
  }

  /** The fields of a service; none where there is no such service. */
  listOf(serviceId: string): readonly HashmapField[] {
    return [...this.store.list('hashmapFields', 'byService', serviceId)]
  }

  /** @throws ApiError bad_request there is no such service, conflict the name is taken */
  create({ serviceId, name }: Pick<HashmapField, 'serviceId' | 'name'>): Promise<HashmapField> {
    requireName(name)
    return this.store.commit(tx => {
      if (tx.get('hashmapServices', serviceId) === undefined)
        throw new ApiError('bad_request', noSuchRow('hashmapServices', serviceId))
      return this.put(tx, { ...newStamp(tx), serviceId, name })
    })
  }

  /** Deletes a field with its rules.
   *  @throws ApiError not_found */
  delete(id: string): Promise<void> {
    return this.store.commit(tx => deleteField(tx, this.getFrom(tx, id).id))
  }
}

function deleteField(tx: Transaction, id: string): void {
  deleteRulesOf(tx, { index: 'byParent', key: id })
  tx.delete('hashmapFields', id)
}
