import type { Stamped } from '../model/stamped.ts'

/** What is added up, with the row's type taken off. */
export type SumDeclaration<R> = {
  readonly keyOf: (row: R) => string
  readonly amountOf: (row: R) => number
}

/** Sums of a number over groups of rows, kept with every change: none is ever counted out. */
export class SumIndex {
  readonly #declaration: SumDeclaration<Stamped>
  readonly #sums = new Map<string, number>()
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

  /** Takes a row out, puts one in, or both. */
  replace(before: Stamped | undefined, after: Stamped | undefined): void {
    if (before !== undefined) this.#add(before, -1)
    if (after !== undefined) this.#add(after, 1)
  }

  #add(row: Stamped, sign: 1 | -1): void {
    const amount = this.#declaration.amountOf(row)
    if (amount === 0) return
    this.#total += sign * amount
    const key = this.#declaration.keyOf(row)
    const sum = this.get(key) + sign * amount
    if (sum === 0) this.#sums.delete(key)
    else this.#sums.set(key, sum)
  }
}
