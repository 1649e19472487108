import type { Instant } from '../model/rating.ts'
import { compare, type Decimal, decimal, divideByCount, zero } from './decimal.ts'
import { ExactSum } from './exact-sum.ts'
import { addAmounts, amountAt, type Range } from './segments/amounts.ts'
import type { Chunk } from './segments/chunk.ts'
import type { Columns } from './segments/columns.ts'

/** `forecast` is the expected sum at the end of a period. */
export type AggregateName = 'sum' | 'count' | 'mean' | 'min' | 'max' | 'first' | 'last' | 'forecast'

/** A column of a summary. */
export type SummaryField = {
  readonly aggregate: AggregateName
  readonly column: 'qty' | 'price'
  readonly alias: string
}

/** Whether a column is an amount of money. */
export function isMoney({ aggregate, column }: SummaryField): boolean {
  return column === 'price' && aggregate !== 'count'
}

/** The columns of a summary by default. */
export const defaultFields: readonly SummaryField[] = [
  { aggregate: 'sum', column: 'qty', alias: 'qty' },
  { aggregate: 'sum', column: 'price', alias: 'rate' },
]

/** Aggregates one field of one row. Exact, and independent of the order of the points; among points with the same
 *  first or last begin the largest amount counts. */
export class Aggregate {
  readonly #field: SummaryField
  readonly #sum = new ExactSum()
  #count = 0
  #chosen: { readonly begin: Instant; readonly amount: Decimal } | undefined

  constructor(field: SummaryField) {
    this.#field = field
  }

  /** Whether `value` is only the sum so far, from which the forecast is computed. */
  get isForecast(): boolean {
    return this.#field.aggregate === 'forecast'
  }

  /** Adds a whole chunk, from its sums where they suffice. */
  addChunk(chunk: Chunk): void {
    const { aggregate, column } = this.#field
    if (isOfPoints(aggregate)) {
      this.addRange(chunk.columns(), { from: 0, to: chunk.count })
      return
    }
    this.#count += chunk.count
    const { value, scale } = column === 'qty' ? chunk.qtySum : chunk.priceSum
    this.#sum.addScaled(value, scale)
  }

  addRange(columns: Columns, range: Range): void {
    const { aggregate, column } = this.#field
    if (!isOfPoints(aggregate)) {
      this.#count += range.to - range.from
      addAmounts(this.#sum, columns[column], range)
      return
    }
    for (let i = range.from; i < range.to; i++) {
      this.#choose(columns.begins[i] ?? 0, amountAt(columns[column], i))
    }
  }

  value(): Decimal {
    const { aggregate } = this.#field
    if (isOfPoints(aggregate)) return this.#chosen?.amount ?? zero
    if (aggregate === 'count') return decimal(BigInt(this.#count), 0)
    const total = this.#sum.total()
    return aggregate !== 'mean' || this.#count === 0 ? total : divideByCount(total, this.#count)
  }

  #choose(begin: Instant, amount: Decimal): void {
    if (this.#chosen === undefined || this.#isBetter({ begin, amount }, this.#chosen)) {
      this.#chosen = { begin, amount }
    }
  }

  #isBetter(
    { begin, amount }: { readonly begin: Instant; readonly amount: Decimal },
    than: { readonly begin: Instant; readonly amount: Decimal },
  ): boolean {
    const byAmount = compare(amount, than.amount)
    switch (this.#field.aggregate) {
      case 'min':
        return byAmount < 0
      case 'first':
        return begin < than.begin || (begin === than.begin && byAmount > 0)
      case 'last':
        return begin > than.begin || (begin === than.begin && byAmount > 0)
      default:
        return byAmount > 0
    }
  }
}

function isOfPoints(aggregate: AggregateName): boolean {
  return ['min', 'max', 'first', 'last'].includes(aggregate)
}
