import type { Stamped } from '../model/stamped.ts'
import { ShardedMap } from '../sharded-map.ts'

/** What is added up, with the row's type taken off. */
export type SumDeclaration<R> = {
  readonly keyOf: (row: R) => string
  readonly amountOf: (row: R) => number
}

/** Sums of a number over groups of rows, kept with every change: none is ever counted out. */
export class SumIndex {
  readonly #declaration: SumDeclaration<Stamped>
  readonly #sums = new ShardedMap<number>()
  #total = 0

  constructor(declaration: SumDeclaration<Stamped>) {
    this.#declaration = declaration
  }

  get(key: string): number {
    return this.#sums.get(key) ?? 0
  }

  /** The sum over all keys. */
  get total(): number {
    return this.#total
  }

  /** The keys of all sums that are not zero. */
  keys(): readonly string[] {
    return this.#sums.keys()
  }

  /** Takes a row out, puts one in, or both. */
  replace(before: Stamped | undefined, after: Stamped | undefined): void {
    if (before !== undefined) this.#add(before, -1)
    if (after !== undefined) this.#add(after, 1)
  }

  #add(row: Stamped, sign: 1 | -1): void {
    const amount = this.#declaration.amountOf(row)
    if (amount !== 0) this.add(this.#declaration.keyOf(row), sign * amount)
  }

  /** Adds an amount to a sum. */
  add(key: string, amount: number): void {
    if (amount === 0) return
    this.#total += amount
    const sums = this.#sums.shardOf(key)
    const sum = (sums.get(key) ?? 0) + amount
    if (sum === 0) sums.delete(key)
    else sums.set(key, sum)
  }
}

/** Recomputes sums from the rows while rows keep changing. */
export class SumAudit {
  readonly #sums: readonly SumIndex[]
  #isPassed: (id: string) => boolean = () => false

  constructor(sums: readonly SumIndex[]) {
    this.#sums = sums
  }

  /** Counts the next rows; `isPassed` tells from then on which rows have been counted. */
  count(rows: Iterable<Stamped>, isPassed: (id: string) => boolean): void {
    this.#isPassed = isPassed
    for (const row of rows) for (const sum of this.#sums) sum.replace(undefined, row)
  }

  /** Must be called with each change of a row: a counted row is recounted. */
  replace(before: Stamped | undefined, after: Stamped | undefined): void {
    const id = before?.id ?? after?.id
    if (id === undefined || !this.#isPassed(id)) return
    for (const sum of this.#sums) sum.replace(before, after)
  }
}
