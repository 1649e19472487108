import { LruMap } from './lru-map.ts'

/** How many failures a key may have at once, and how fast they are forgiven. */
export type FailureLimit = { readonly burst: number; readonly secondsPerFailure: number }

/** Keys remembered at most; the one untouched for longest is forgotten first, so memory stays bounded
 *  whatever addresses and names an attacker makes up. */
const maxKeys = 10_000

/** How many servers count for themselves what one limit is for. */
export type Sharers = () => number

/** Counts failures by key, as a leaky bucket. An attempt is charged before it is made and refunded when it
 *  succeeds, so that attempts made side by side cannot overrun the limit. */
export class FailureLimiter {
  readonly #ownMillis: number
  readonly #fullMillis: number
  readonly #sharers: Sharers
  // When all of a key's failures will be forgiven.
  readonly #forgivenAtMillis = new LruMap<string, number>(maxKeys)

  /** @param sharers each has an equal part of the limit, but one attempt at least */
  constructor({ burst, secondsPerFailure }: FailureLimit, sharers: Sharers = () => 1) {
    this.#ownMillis = secondsPerFailure * 1000
    this.#fullMillis = burst * this.#ownMillis
    this.#sharers = sharers
  }

  get #failureMillis(): number {
    return Math.min(this.#fullMillis, this.#ownMillis * this.#sharers())
  }

  /** Charges one attempt. Returns 0, or the seconds to wait when the key has no attempt left. */
  charge(key: string, nowMillis: number): number {
    const owedMillis = this.#owedMillis(key, nowMillis) + this.#failureMillis
    const excessMillis = owedMillis - this.#fullMillis
    if (excessMillis > 0) return Math.ceil(excessMillis / 1000)
    this.#forgivenAtMillis.set(key, nowMillis + owedMillis)
    return 0
  }

  /** Whether failures of a key are not forgiven yet. */
  hasFailures(key: string, nowMillis: number): boolean {
    return this.#owedMillis(key, nowMillis) > 0
  }

  /** Gives one attempt back. */
  refund(key: string, nowMillis: number): void {
    const owedMillis = this.#owedMillis(key, nowMillis) - this.#failureMillis
    if (owedMillis <= 0) this.#forgivenAtMillis.delete(key)
    else this.#forgivenAtMillis.set(key, nowMillis + owedMillis)
  }

  /** Never more than a full bucket, so that a clock that steps back locks nobody out for long. */
  #owedMillis(key: string, nowMillis: number): number {
    const forgivenAtMillis = this.#forgivenAtMillis.get(key) ?? 0
    return Math.min(this.#fullMillis, Math.max(0, forgivenAtMillis - nowMillis))
  }
}
