import { LruMap } from '../lru-map.ts'

/** How many failures a key may have at a time, and how fast they expire. */
type FailureLimit = { readonly burst: number; readonly secondsPerFailure: number }

/** The most keys remembered; the least recently used is forgotten first, so memory stays bounded whatever addresses and names
 *  an attacker invents. */
const maxKeys = 10_000

/** The number of servers that share a limit and count separately. */
export type Sharers = () => number

/** Counts failures by key, as a leaky bucket. An attempt is charged before it is made and refunded when it succeeds, so that
 *  concurrent attempts cannot exceed the limit. */
export class FailureLimiter {
  readonly #ownMillis: number
  readonly #fullMillis: number
  readonly #sharers: Sharers
  // By key, when all its failures will have expired.
  readonly #forgivenAtMillis = new LruMap<string, number>(maxKeys)

  /** @param sharers each has an equal part of the limit, but at least one attempt */
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

  /** Whether a key has failures that have not expired yet. */
  hasFailures(key: string, nowMillis: number): boolean {
    return this.#owedMillis(key, nowMillis) > 0
  }

  /** Refunds one attempt. */
  refund(key: string, nowMillis: number): void {
    const owedMillis = this.#owedMillis(key, nowMillis) - this.#failureMillis
    if (owedMillis <= 0) this.#forgivenAtMillis.delete(key)
    else this.#forgivenAtMillis.set(key, nowMillis + owedMillis)
  }

  /** Never more than a full bucket, so that a clock that steps back locks no client out for long. */
  #owedMillis(key: string, nowMillis: number): number {
    const forgivenAtMillis = this.#forgivenAtMillis.get(key) ?? 0
    return Math.min(this.#fullMillis, Math.max(0, forgivenAtMillis - nowMillis))
  }
}
