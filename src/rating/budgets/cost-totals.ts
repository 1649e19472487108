import type { Instant } from '../../model/rating.ts'
import type { Steps } from '../../time-slice.ts'
import { attributeOf } from '../attributes.ts'
import { describedBy } from '../data-point.ts'
import { compare, type Decimal } from '../decimal.ts'
import { ExactSum } from '../exact-sum.ts'
import { getOrPut } from '../get-or-put.ts'
import type { Removal } from '../segments/removals.ts'
import type { Series } from '../segments/series.ts'

/** The cost of a zone. */
export type ZoneCost = { readonly id: string; readonly name: string; readonly cost: Decimal }

type ZoneSum = { readonly name: string; readonly cost: ExactSum }

/** Adds up the cost of a project's month, in total and by zone. */
export class CostTotals {
  readonly #cost = new ExactSum()
  readonly #zones = new Map<string, ZoneSum>()
  /** Zones of what was added as a whole that are not among its own yet: there may be a hundred thousand. */
  readonly #unmerged: Iterator<[string, ZoneSum]>[] = []
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

  /** Adds what another has, which is not changed any more. */
  addAll(other: CostTotals): void {
    this.#cost.add(other.cost())
    this.#unmerged.push(other.#zones.entries(), ...other.#unmerged)
    for (const [origin, begin] of other.#lastBegins) this.#noteBegin(origin, begin)
  }

  cost(): Decimal {
    return this.#cost.total()
  }

  /** Frees what was added as a whole, in small steps. Several callers may do so at the same time. */
  *merge(): Steps<void> {
    for (;;) {
      const zones = this.#unmerged[0]
      if (zones === undefined) return
      const { done, value } = zones.next()
      if (done === true) this.#unmerged.shift()
      else this.#zone(value[0], value[1].name).add(value[1].cost.total())
      yield
    }
  }

  /** The zones that cost most, dearest first; found in small steps. */
  *dearestZones(count: number): Steps<readonly ZoneCost[]> {
    yield* this.merge()
    const dearest: ZoneCost[] = []
    for (const [id, { name, cost }] of this.#zones) {
      dearest.push({ id, name, cost: cost.total() })
      dearest.sort((a, b) => compare(b.cost, a.cost) || (a.name < b.name ? -1 : 1))
      if (dearest.length > count) dearest.pop()
      yield
    }
    return dearest
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
