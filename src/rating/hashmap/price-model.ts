import type { HashmapMapping, HashmapRuleType } from '../../model/rating.ts'
import type { Stamped } from '../../model/stamped.ts'

/** A price in readable form: of a service, or of a service's points whose field has a value. */
export type PriceRule = {
  readonly service: string
  readonly field?: string
  readonly value?: string
  readonly type: HashmapRuleType
  readonly cost: string
  readonly description: string
}

export type PriceModel = { readonly group: string; readonly rules: readonly PriceRule[] }

/** A market price list to start from, applied only on request: until then everything is free. A month is 730
 *  hours. A rate changes the flat price of its own group, hence the single group. */
export const defaultPriceModel: PriceModel = {
  group: 'dns',
  rules: [
    {
      service: 'dns.zone',
      type: 'flat',
      cost: '0.000684931506849',
      description: '0.50 a zone and month, by the zone-hour',
    },
    {
      service: 'dns.queries',
      type: 'flat',
      cost: '0.4',
      description: '0.40 a million answered queries',
    },
    {
      service: 'dns.queries',
      field: 'tier',
      value: '1',
      type: 'rate',
      cost: '0.5',
      description: 'half price above a billion queries a month',
    },
    {
      service: 'dns.queries',
      field: 'rcode',
      value: 'NXDOMAIN',
      type: 'rate',
      cost: '0',
      description: 'names that do not exist are free: nobody pays for a flood of them',
    },
  ],
}

/** Quantities in a month, in the metric's unit, after which the next tier begins, for the metrics that have tiers. */
export const defaultTierBoundaries: Readonly<Record<string, readonly string[]>> = {
  'dns.queries': ['1000'],
}

type Parents = Pick<HashmapMapping, 'serviceId' | 'fieldId' | 'groupId'>

/** Returns a price as a row of the hashmap. */
export function mappingOf(rule: PriceRule, stamp: Stamped, parents: Parents): HashmapMapping {
  return {
    ...stamp,
    ...parents,
    tenantId: null,
    value: rule.value ?? null,
    type: rule.type,
    cost: rule.cost,
    name: null,
    description: rule.description,
    start: null,
    end: null,
    createdBy: null,
    updatedBy: null,
  }
}
