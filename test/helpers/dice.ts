import { seededRandom } from './random.ts'

/** Reproducible random choices: the same sequence for the same seed on every machine. */
export class Dice {
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  /** Returns a whole number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.#random() * below)
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
}
