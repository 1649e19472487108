import type { Instant } from '../../model/rating.ts'
import { attributeOf } from '../attributes.ts'
import { describedBy } from '../data-point.ts'
import { compare, type Decimal } from '../decimal.ts'
import { ExactSum } from '../exact-sum.ts'
import { getOrPut } from '../get-or-put.ts'
import type { Removal } from '../segments/removals.ts'
import type { Series } from '../segments/series.ts'

/** The cost of a zone. */
export type ZoneCost = { readonly id: string; readonly name: string; readonly cost: Decimal }

/** Adds up the cost of a project's month, in total and by zone. */
export class CostTotals {
  readonly #cost = new ExactSum()
  readonly #zones = new Map<string, { readonly name: string; readonly cost: ExactSum }>()
  /** The begin of the latest point of each origin. */
  readonly #lastBegins = new Map<string, Instant>()

  /** Adds a price, or a sum of prices, of one series. */
  add(series: Series, price: Decimal, lastBegin: Instant): void {
    this.#cost.add(price)
    this.#noteBegin(series.origin, lastBegin)
    // Usage of zones says so by naming the zone.
    const name = describedBy(series, 'zone_name')
    if (name !== undefined) this.#zone(attributeOf(series.groupby, 'id') ?? name, name).add(price)
  }

  addAll(other: CostTotals): void {
    this.#cost.add(other.cost())
    for (const [id, { name, cost }] of other.#zones) this.#zone(id, name).add(cost.total())
    for (const [origin, begin] of other.#lastBegins) this.#noteBegin(origin, begin)
  }

  cost(): Decimal {
    return this.#cost.total()
  }

  /** The zones that cost most, dearest first. */
  dearestZones(count: number): readonly ZoneCost[] {
    const zones = Array.from(this.#zones, ([id, { name, cost }]) => ({
      id,
      name,
      cost: cost.total(),
    }))
    zones.sort((a, b) => compare(b.cost, a.cost) || (a.name < b.name ? -1 : 1))
    return zones.slice(0, count)
  }

  /** Whether a removal may have taken away something that is in these sums. */
  isTouchedBy({ origin, period }: Removal): boolean {
    return [...this.#lastBegins].some(
      ([own, lastBegin]) => (origin === undefined || origin === own) && lastBegin >= period.begin,
    )
  }

  #zone(id: string, name: string): ExactSum {
    return getOrPut(this.#zones, id, () => ({ name, cost: new ExactSum() })).cost
  }

  #noteBegin(origin: string, begin: Instant): void {
    this.#lastBegins.set(origin, Math.max(begin, this.#lastBegins.get(origin) ?? begin))
  }
}
