import { type Decimal, decimal, powerOfTen } from './decimal.ts'

/** Adds up any number of amounts exactly, whatever their order. Uses whole numbers in a float while they stay below
 *  2^53, which is nearly always the case, and a bigint for whatever would exceed that. */
export class ExactSum {
  #scale = 0
  /** Whole, at #scale, |value| <= 2^53 - 1. */
  #small = 0
  /** At #scale. */
  #large = 0n

  /** Adds value × 10^-scale. A float must be a safe integer. */
  addScaled(value: number | bigint, scale: number): void {
    if (scale > this.#scale) this.#rescale(scale)
    const factor = scale === this.#scale ? 1 : 10 ** (this.#scale - scale)
    const aligned = typeof value === 'number' ? value * factor : Number.NaN
    const sum = this.#small + aligned
    if (Number.isSafeInteger(aligned) && Number.isSafeInteger(sum)) this.#small = sum
    else this.#large += BigInt(value) * powerOfTen(this.#scale - scale)
  }

  add({ coefficient, scale }: Decimal): void {
    this.addScaled(coefficient, scale)
  }

  /** The exact total, not rounded. */
  total(): Decimal {
    return decimal(this.#large + BigInt(this.#small), this.#scale)
  }

  #rescale(scale: number): void {
    this.#large = (this.#large + BigInt(this.#small)) * powerOfTen(scale - this.#scale)
    this.#small = 0
    this.#scale = scale
  }
}
