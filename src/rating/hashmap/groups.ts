import { ApiError } from '../../errors.ts'
import type { HashmapGroup } from '../../model/rating.ts'
import { newStamp } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { requireName } from '../row-name.ts'
import { deleteRulesOf, releaseRulesOf } from './rule-rows.ts'

/** The groups of rules that are computed together. */
export class HashmapGroups {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list(): readonly HashmapGroup[] {
    return [...this.#store.list('hashmapGroups', 'all', everything)]
  }

  /** @throws ApiError not_found */
  get(id: string): HashmapGroup {
    return getGroup(this.#store, id)
  }

  /** @throws ApiError bad_request, conflict the name is taken */
  create(name: string): Promise<HashmapGroup> {
    requireName(name)
    return this.#store.commit(tx => {
      const existing = tx.find('hashmapGroups', 'byName', name)
      if (existing !== undefined)
        throw new ApiError('conflict', `Group ${name} already exists (UUID: ${existing.id})`)
      const group = { ...newStamp(tx), name }
      tx.put('hashmapGroups', group)
      return group
    })
  }

  /** Deletes a group, and either deletes its rules or leaves them without a group.
   *  @throws ApiError not_found */
  delete(id: string, { rules }: { readonly rules: 'delete' | 'release' }): Promise<void> {
    return this.#store.commit(tx => {
      getGroup(tx, id)
      if (rules === 'delete') deleteRulesOf(tx, { index: 'byGroup', key: id })
      else releaseRulesOf(tx, id)
      tx.delete('hashmapGroups', id)
    })
  }
}

function getGroup(reader: StoreReader, id: string): HashmapGroup {
  const group = reader.get('hashmapGroups', id)
  if (group === undefined) throw new ApiError('not_found', `No such group: ${id}`)
  return group
}
