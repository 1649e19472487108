import type { HashmapField, HashmapService } from '../model/rating.ts'
import { newStamp, type Stamped } from '../model/stamped.ts'
import { compare, type Decimal, decimal, subtract, zero } from './decimal.ts'
import { ExactSum } from './exact-sum.ts'
import { getOrPut } from './get-or-put.ts'
import { priceByHashmap } from './hashmap/price.ts'
import { mappingOf, type PriceRule } from './hashmap/price-model.ts'
import { compileRuleBook, type RuleBook } from './hashmap/rule-book.ts'
import type { Period } from './period.ts'
import { dnsCollector } from './scopes/scope-state.ts'
import { decimalOf } from './segments/amounts.ts'
import type { PointStore } from './segments/point-store.ts'
import { compareKeys } from './sort-steps.ts'

/** An actual cost, and what it would have been by other prices. */
export type PreviewedSum = { readonly cost: Decimal; readonly preview: Decimal }

type PreviewedMetric = PreviewedSum & {
  readonly metric: string
  readonly unit: string
  readonly quantity: Decimal
}

export type PricePreview = PreviewedSum & {
  readonly metrics: readonly PreviewedMetric[]
  /** The projects whose cost would have changed most, at most 100. */
  readonly projects: readonly (PreviewedSum & { readonly projectId: string })[]
}

const maxProjects = 100

/** The cost of a period by a price list and no other rules. Such prices depend on quantities only, so the points of one
 *  series are priced together; points that others have pushed keep their price.
 *  @param rules sound ones */
export async function previewPrices(
  points: Pick<PointStore, 'snapshot'>,
  period: Period,
  rules: readonly PriceRule[],
): Promise<PricePreview> {
  const book = ruleBookOf(rules)
  const metrics = new Map<string, PreviewSum>()
  const projects = new Map<string, PreviewSum>()
  await using snapshot = points.snapshot(period)
  for await (const chunks of snapshot.scan()) {
    for (const { series, qtySum, priceSum } of chunks) {
      const [qty, cost] = [decimalOf(qtySum), decimalOf(priceSum)]
      const point = { ...series, ...period, qty, price: zero }
      const preview = series.origin === dnsCollector ? priceByHashmap(book, point) : cost
      getOrPut(metrics, series.metric, () => new PreviewSum(series.unit)).add(qty, cost, preview)
      getOrPut(projects, series.projectId, () => new PreviewSum('')).add(qty, cost, preview)
    }
  }
  const byMetric = [...metrics].sort(compareKeys)
  const byProject = [...projects].map(([projectId, sum]) => ({ projectId, ...sum.total() }))
  const total = new PreviewSum('')
  for (const { quantity, cost, preview } of byProject) total.add(quantity, cost, preview)
  return {
    ...total.total(),
    metrics: byMetric.map(([metric, sum]) => ({ metric, ...sum.total() })),
    projects: byProject.sort((a, b) => compare(change(b), change(a))).slice(0, maxProjects),
  }
}

/** The rule book of a price list alone, whose services and fields have their names for ids. */
export function ruleBookOf(rules: readonly PriceRule[]): RuleBook {
  const services = new Map<string, HashmapService>()
  const fields = new Map<string, HashmapField>()
  const mappings = rules.map((rule, i) => {
    const { service: name, field } = rule
    services.set(name, { ...stamp(name), name })
    if (field === undefined)
      return mappingOf(rule, stamp(`${i}`), { serviceId: name, fieldId: null, groupId: '' })
    const fieldId = JSON.stringify([name, field])
    fields.set(fieldId, { ...stamp(fieldId), serviceId: name, name: field })
    return mappingOf(rule, stamp(`${i}`), { serviceId: null, fieldId, groupId: '' })
  })
  return compileRuleBook({
    services: services.values(),
    fields: fields.values(),
    mappings,
    thresholds: [],
  })
}

function stamp(id: string): Stamped {
  return newStamp({ atMicros: 0 }, id)
}

class PreviewSum {
  readonly #unit: string
  readonly #quantity = new ExactSum()
  readonly #cost = new ExactSum()
  readonly #preview = new ExactSum()

  constructor(unit: string) {
    this.#unit = unit
  }

  add(quantity: Decimal, cost: Decimal, preview: Decimal): void {
    this.#quantity.add(quantity)
    this.#cost.add(cost)
    this.#preview.add(preview)
  }

  total() {
    return {
      unit: this.#unit,
      quantity: this.#quantity.total(),
      cost: this.#cost.total(),
      preview: this.#preview.total(),
    }
  }
}

/** The absolute value of the change of a sum. */
function change({ cost, preview }: PreviewedSum): Decimal {
  const { coefficient, scale } = subtract(preview, cost)
  return decimal(coefficient < 0n ? -coefficient : coefficient, scale)
}
