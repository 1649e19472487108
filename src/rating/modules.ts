import type { DataPoint } from './data-point.ts'
import { add, roundDecimal } from './decimal.ts'
import { priceByHashmap } from './hashmap/price.ts'
import type { RuleBook } from './hashmap/rule-book.ts'

export type ModuleName = 'noop' | 'hashmap' | 'pyscripts'

/** A rating module with its default setting. */
export type ModuleDescriptor = {
  readonly name: ModuleName
  readonly description: string
  /** Whether its rules can be changed while the service runs. */
  readonly hasHotConfig: boolean
  readonly isEnabledAtFirst: boolean
  /** Whether it can be enabled at all: scripts are kept as text and never run. */
  readonly canBeEnabled: boolean
}

export const ratingModules: readonly ModuleDescriptor[] = [
  {
    name: 'hashmap',
    description: 'HashMap rating module.',
    hasHotConfig: true,
    isEnabledAtFirst: false,
    canBeEnabled: true,
  },
  {
    name: 'noop',
    description: 'Dummy test module.',
    hasHotConfig: false,
    isEnabledAtFirst: true,
    canBeEnabled: true,
  },
  {
    name: 'pyscripts',
    description: 'PyScripts rating module.',
    hasHotConfig: true,
    isEnabledAtFirst: false,
    canBeEnabled: false,
  },
]

/** The rules of the enabled modules. Their prices are added, so their priorities have no effect here. */
export type Rules = { readonly hashmap?: RuleBook }

/** Returns the point with the charges of the modules added to its price. */
export function ratePoint(point: DataPoint, rules: Rules): DataPoint {
  if (rules.hashmap === undefined) return point
  const price = add(point.price, priceByHashmap(rules.hashmap, point))
  return { ...point, price: roundDecimal(price) }
}
