import type { HashmapGroup } from '../../model/rating.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { NamedRows, requireName } from '../named-rows.ts'
import { deleteRulesOf } from './rules.ts'

/** The groups of rules that are computed together. */
export class HashmapGroups extends NamedRows<'hashmapGroups'> {
  constructor(store: Store) {
    super(store, 'hashmapGroups')
  }

  /** @throws ApiError bad_request, conflict the name is taken */
  create(name: string): Promise<HashmapGroup> {
    requireName(name)
    return this.store.commit(tx => this.put(tx, { ...newStamp(tx), name }))
  }

  /** Deletes a group, and either deletes its rules or leaves them without a group.
   *  @throws ApiError not_found */
  delete(id: string, { rules }: { readonly rules: 'delete' | 'release' }): Promise<void> {
    return this.store.commit(tx => {
      this.getFrom(tx, id)
      if (rules === 'delete') deleteRulesOf(tx, { index: 'byGroup', key: id })
      else releaseRulesOf(tx, id)
      tx.delete('hashmapGroups', id)
    })
  }
}

function releaseRulesOf(tx: Transaction, groupId: string): void {
  for (const collection of ['hashmapMappings', 'hashmapThresholds'] as const)
    for (const row of [...tx.list(collection, 'byGroup', groupId)])
      tx.put(collection, updatedRow(tx, row, { groupId: null }))
}
