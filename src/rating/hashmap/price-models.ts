import { randomUUID } from 'node:crypto'
import type { HashmapGroup, HashmapMapping } from '../../model/rating.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { compare, getDecimal } from '../decimal.ts'
import { enableModule } from '../module-settings.ts'
import { defaultPriceModel, type PriceModel, rowsOfPriceModel } from './price-model.ts'

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
  const stamps = { atMicros: tx.atMicros, newId: () => randomUUID() }
  const rows = rowsOfPriceModel(model, stamps)
  const [wanted] = rows.groups
  if (wanted === undefined) throw new RangeError('a price model has a group')
  const groupId = ensureGroup(tx, wanted)
  // The ids of the model's rows in the store, by the ids they would have in an empty store.
  const ids = new Map<string | null, string>([[wanted.id, groupId]])
  for (const service of rows.services) {
    const known = tx.find('hashmapServices', 'byName', service.name)
    if (known === undefined) tx.put('hashmapServices', service)
    ids.set(service.id, known?.id ?? service.id)
  }
  for (const field of rows.fields) {
    const serviceId = ids.get(field.serviceId) ?? field.serviceId
    const fields = [...tx.list('hashmapFields', 'byService', serviceId)]
    const known = fields.find(({ name }) => name === field.name)
    if (known === undefined) tx.put('hashmapFields', { ...field, serviceId })
    ids.set(field.id, known?.id ?? field.id)
  }
  return rows.mappings.map(mapping => ({
    ...mapping,
    groupId,
    serviceId: ids.get(mapping.serviceId) ?? null,
    fieldId: ids.get(mapping.fieldId) ?? null,
  }))
}

function ensureGroup(tx: Transaction, wanted: HashmapGroup): string {
  const known = tx.find('hashmapGroups', 'byName', wanted.name)
  if (known === undefined) tx.put('hashmapGroups', wanted)
  return known?.id ?? wanted.id
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
