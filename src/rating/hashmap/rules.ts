import { ApiError } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import type { Collections } from '../../model/collections.ts'
import type { HashmapGroup } from '../../model/rating.ts'
import { newStamp, type Stamped, updatedRow } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { requireSoundRule } from './rule-checks.ts'

export type RuleCollection = 'hashmapMappings' | 'hashmapThresholds'

/** The fields of a new rule. */
export type RuleDraft<C extends RuleCollection> = Omit<
  Collections[C],
  keyof Stamped | 'createdBy' | 'updatedBy'
>

/** The fields of a rule that can be changed: all but its parent. */
export type RuleChanges<C extends RuleCollection> = Changes<
  Omit<RuleDraft<C>, 'serviceId' | 'fieldId'>
>

/** A selection of rules. A selector that is left out selects all; of several, all must match. */
export type RuleFilter = {
  readonly serviceId?: string | undefined
  readonly fieldId?: string | undefined
  /** Null: rules in no group. */
  readonly groupId?: string | null | undefined
  /** Null: rules for all projects. */
  readonly tenantId?: string | null | undefined
}

const names = { hashmapMappings: 'Mapping', hashmapThresholds: 'Threshold' } as const

/** The mappings or the thresholds, which set the costs. */
export class HashmapRules<C extends RuleCollection> {
  readonly #store: Store
  readonly #collection: C

  constructor(store: Store, collection: C) {
    this.#store = store
    this.#collection = collection
  }

  list(filter: RuleFilter): readonly Collections[C][] {
    const { serviceId, fieldId, groupId, tenantId } = filter
    return [...this.#narrowest(filter)].filter(
      rule =>
        (serviceId === undefined || rule.serviceId === serviceId) &&
        (fieldId === undefined || rule.fieldId === fieldId) &&
        (groupId === undefined || rule.groupId === groupId) &&
        (tenantId === undefined || rule.tenantId === tenantId),
    )
  }

  /** @throws ApiError not_found */
  get(id: string): Collections[C] {
    return this.#get(this.#store, id)
  }

  /** The group of a rule.
   *  @throws ApiError not_found there is no such rule, or it is in no group */
  groupOf(id: string): HashmapGroup {
    const { groupId } = this.get(id)
    const group = groupId === null ? undefined : this.#store.get('hashmapGroups', groupId)
    if (group === undefined)
      throw new ApiError('not_found', `${names[this.#collection]} has no group (UUID: ${id})`)
    return group
  }

  /** @throws ApiError bad_request, conflict */
  create(draft: RuleDraft<C>, { by }: { readonly by: string }): Promise<Collections[C]> {
    return this.#store.commit(tx => {
      const rule = { ...draft, ...newStamp(tx), createdBy: by, updatedBy: null }
      return this.#put(tx, rule as Collections[C])
    })
  }

  /** @throws ApiError not_found, bad_request, conflict */
  update(
    id: string,
    changes: RuleChanges<C>,
    { by }: { readonly by: string },
  ): Promise<Collections[C]> {
    return this.#store.commit(tx => {
      const before = this.#get(tx, id)
      const after = updatedRow(tx, before, changes as Partial<Collections[C]>)
      return after === before ? before : this.#put(tx, { ...after, updatedBy: by })
    })
  }

  /** @throws ApiError not_found */
  delete(id: string): Promise<void> {
    return this.#store.commit(tx => tx.delete(this.#collection, this.#get(tx, id).id))
  }

  #put(tx: Transaction, rule: Collections[C]): Collections[C] {
    const parent = rule.serviceId ?? rule.fieldId ?? ''
    requireSoundRule(tx, rule, tx.list(this.#collection, 'byParent', parent))
    tx.put(this.#collection, rule)
    return rule
  }

  #get(reader: StoreReader, id: string): Collections[C] {
    const rule = reader.get(this.#collection, id)
    if (rule !== undefined) return rule
    throw new ApiError('not_found', `No such ${names[this.#collection].toLowerCase()}: ${id}`)
  }

  /** Lists by the most selective index for the filter. */
  #narrowest({ serviceId, fieldId, groupId, tenantId }: RuleFilter): Iterable<Collections[C]> {
    const collection = this.#collection
    const parent = serviceId ?? fieldId
    if (parent !== undefined) return this.#store.list(collection, 'byParent', parent)
    if (typeof groupId === 'string') return this.#store.list(collection, 'byGroup', groupId)
    if (typeof tenantId === 'string') return this.#store.list(collection, 'byTenant', tenantId)
    return this.#store.list(collection, 'all', everything)
  }
}

/** Deletes the mappings and thresholds of a parent or a group. */
export function deleteRulesOf(
  tx: Transaction,
  { index, key }: { readonly index: 'byParent' | 'byGroup'; readonly key: string },
): void {
  for (const collection of ['hashmapMappings', 'hashmapThresholds'] as const)
    for (const { id } of [...tx.list(collection, index, key)]) tx.delete(collection, id)
}
