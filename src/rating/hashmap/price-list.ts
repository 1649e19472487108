import type { HashmapMapping } from '../../model/rating.ts'
import { updatedRow } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { refuseValue } from '../body-values.ts'
import { meteredMetrics } from '../metrics.ts'
import { enableModule } from '../module-settings.ts'
import { defaultPriceModel, type PriceRule } from './price-model.ts'
import { ensureParents, isInPlaceOf, isSamePrice } from './price-models.ts'
import { amountText, requireSoundRule } from './rule-checks.ts'

/** The prices that apply to all projects at all times, in the group of the default model. */
export type PriceList = {
  readonly rules: readonly PriceRule[]
  /** The number of other mappings and thresholds: in other groups, for one project, or for a limited time. */
  readonly otherRuleCount: number
}

const { group } = defaultPriceModel

/** The price list as it is now, by service, field and value. */
export function priceList(reader: StoreReader): PriceList {
  const listed = [...listedMappings(reader)]
  const rules = listed.flatMap(mapping => ruleOf(reader, mapping)).sort(compareRules)
  const ruleCount =
    reader.count('hashmapMappings', 'all', everything) +
    reader.count('hashmapThresholds', 'all', everything)
  return { rules, otherRuleCount: ruleCount - rules.length }
}

/** Replaces the price list in one transaction and enables the hashmap. Prices that are the same in both stay unchanged. The
 *  list takes effect from the next rated period on.
 *  @throws ApiError invalid_object a value is missing, two rules are for the same thing, or nothing can have the price; conflict
 *    with a rule for a limited time */
export function replacePriceList(
  store: Store,
  rules: readonly PriceRule[],
  { by }: { readonly by: string },
): Promise<PriceList> {
  const sound = soundRules(rules)
  return store.commit(tx => {
    enableModule(tx, 'hashmap')
    const wanted = ensureParents(tx, { group, rules: sound })
    const present = [...listedMappings(tx)]
    for (const row of present)
      if (!wanted.some(mapping => isInPlaceOf(row, mapping))) tx.delete('hashmapMappings', row.id)
    for (const mapping of wanted) {
      const known = present.find(row => isInPlaceOf(row, mapping))
      if (known === undefined) putMapping(tx, { ...mapping, createdBy: by })
      else if (!isSamePrice(known, mapping) || known.description !== mapping.description) {
        const { type, cost, description } = mapping
        putMapping(tx, updatedRow(tx, known, { type, cost, description, updatedBy: by }))
      }
    }
    return priceList(tx)
  })
}

/** The rules with their costs as they are stored.
 *  @throws ApiError invalid_object with the path of the first invalid rule: also one of what is not metered */
export function soundRules(rules: readonly PriceRule[]): readonly PriceRule[] {
  const places = new Set<string>()
  return rules.map((rule, i) => {
    const { service, field, value } = rule
    requireMetered(rule, i)
    if (field === undefined && value !== undefined)
      refuseValue(['rules', i, 'value'], 'expected a field that has this value')
    if (field !== undefined && value === undefined)
      refuseValue(
        ['rules', i, 'value'],
        'expected the value of the field that this is the price of',
      )
    const place = JSON.stringify([service, field, value])
    if (places.has(place)) refuseValue(['rules', i], 'expected one price for the same thing')
    places.add(place)
    return { ...rule, cost: amountText('cost', rule.cost) }
  })
}

/** Only names below `dns.` are known: frames that are pushed from outside may have any other.
 *  @throws ApiError invalid_object nothing can have the price */
function requireMetered({ service, field }: PriceRule, i: number): void {
  if (!service.startsWith('dns.')) return
  const metric = meteredMetrics.find(({ name }) => name === service)
  if (metric === undefined)
    refuseValue(
      ['rules', i, 'service'],
      `expected one of ${meteredMetrics.map(({ name }) => name).join(', ')}`,
    )
  const fields = [...metric.groupby, ...metric.metadata]
  if (field !== undefined && !fields.includes(field))
    refuseValue(['rules', i, 'field'], `expected one of ${fields.join(', ')}`)
}

function putMapping(tx: Transaction, mapping: HashmapMapping): void {
  const parent = mapping.serviceId ?? mapping.fieldId ?? ''
  requireSoundRule(tx, mapping, tx.list('hashmapMappings', 'byParent', parent))
  tx.put('hashmapMappings', mapping)
}

function listedMappings(reader: StoreReader): readonly HashmapMapping[] {
  const groupId = reader.find('hashmapGroups', 'byName', group)?.id
  if (groupId === undefined) return []
  return [...reader.list('hashmapMappings', 'byGroup', groupId)].filter(
    ({ tenantId, start, end }) => tenantId === null && start === null && end === null,
  )
}

function ruleOf(reader: StoreReader, mapping: HashmapMapping): readonly PriceRule[] {
  const field = mapping.fieldId === null ? undefined : reader.get('hashmapFields', mapping.fieldId)
  const service = reader.get('hashmapServices', mapping.serviceId ?? field?.serviceId ?? '')
  if (service === undefined) return []
  const { value, type, cost } = mapping
  return [
    {
      service: service.name,
      ...(field !== undefined && { field: field.name, value: value ?? '' }),
      type,
      cost,
      description: mapping.description ?? '',
    },
  ]
}

function compareRules(a: PriceRule, b: PriceRule): number {
  const [one, other] = [a, b].map(({ service, field = '', value = '' }) =>
    JSON.stringify([service, field, value]),
  )
  return (one ?? '') < (other ?? '') ? -1 : 1
}
