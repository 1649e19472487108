import type { HashmapMapping } from '../../model/rating.ts'
import { newStamp } from '../../model/stamped.ts'
import { everything, keyOf } from '../../store/indexes.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { compare, getDecimal } from '../decimal.ts'
import { enableModule } from '../module-settings.ts'
import { defaultPriceModel, mappingOf, type PriceModel } from './price-model.ts'

/** The built-in price models, by name. */
export const priceModels: ReadonlyMap<string, PriceModel> = new Map([
  ['default', defaultPriceModel],
])

/** The outcome of applying a price model. */
type AppliedPrices = {
  /** Rules that were missing. */
  readonly addedCount: number
  /** Rules that existed as in the model. */
  readonly presentCount: number
  /** Rules of the model that have been given another price, which stays. */
  readonly kept: readonly string[]
}

/** Adds a price model to the hashmap and enables the hashmap. Applying it again changes nothing, and prices that were
 *  changed meanwhile stay unchanged. The model takes effect from the next rated period on. */
export function applyPriceModel(store: Store, model: PriceModel): Promise<AppliedPrices> {
  return store.commit(tx => {
    enableModule(tx, 'hashmap')
    return applyMappings(tx, ensureParents(tx, model))
  })
}

/** Creates the missing group, services and fields of a model, and returns its mappings with references to them. */
export function ensureParents(tx: Transaction, model: PriceModel): readonly HashmapMapping[] {
  const groupId = ensureNamed(tx, 'hashmapGroups', model.group)
  return model.rules.map(rule => {
    const serviceId = ensureNamed(tx, 'hashmapServices', rule.service)
    const parent =
      rule.field === undefined
        ? { serviceId, fieldId: null }
        : { serviceId: null, fieldId: ensureField(tx, serviceId, rule.field) }
    return mappingOf(rule, newStamp(tx), { ...parent, groupId })
  })
}

/** Returns the id of the row of this name. */
function ensureNamed(
  tx: Transaction,
  collection: 'hashmapGroups' | 'hashmapServices',
  name: string,
): string {
  const known = tx.find(collection, 'byName', name)
  if (known !== undefined) return known.id
  const row = { ...newStamp(tx), name }
  tx.put(collection, row)
  return row.id
}

function ensureField(tx: Transaction, serviceId: string, name: string): string {
  const known = tx.find('hashmapFields', 'byName', keyOf(serviceId, name))
  if (known !== undefined) return known.id
  const row = { ...newStamp(tx), serviceId, name }
  return tx.put('hashmapFields', row).id
}

function applyMappings(tx: Transaction, mappings: readonly HashmapMapping[]): AppliedPrices {
  const kept: string[] = []
  let addedCount = 0
  const present = [...tx.list('hashmapMappings', 'all', everything)]
  for (const mapping of mappings) {
    const known = present.filter(row => isInPlaceOf(row, mapping))
    if (known.length === 0) {
      tx.put('hashmapMappings', mapping)
      addedCount += 1
    } else if (!known.some(row => isSamePrice(row, mapping))) {
      kept.push(mapping.description ?? mapping.id)
    }
  }
  return { addedCount, presentCount: mappings.length - addedCount - kept.length, kept }
}

/** Whether a rule applies to the same points as another, whatever its price and its time. */
export function isInPlaceOf(row: HashmapMapping, mapping: HashmapMapping): boolean {
  return (
    row.serviceId === mapping.serviceId &&
    row.fieldId === mapping.fieldId &&
    row.groupId === mapping.groupId &&
    row.tenantId === null &&
    row.value === mapping.value
  )
}

export function isSamePrice(row: HashmapMapping, mapping: HashmapMapping): boolean {
  return (
    row.type === mapping.type &&
    compare(getDecimal(row.cost), getDecimal(mapping.cost)) === 0 &&
    row.start === null &&
    row.end === null
  )
}
