import type { Instant } from '../../model/rating.ts'
import { hourMillis } from './tally.ts'

/** A clock is corrected by less all the time. */
const noticedMillis = 60_000
/** How long a clock that is behind must have run before it is believed. A clock that was set by mistake, or that a machine
 *  lost while it was off, is corrected sooner. */
const patienceMillis = hourMillis
/** A clock that is behind by no more than this is waited for, and the time it runs on counts as passed. */
const waitedForMillis = hourMillis
/** A longer stretch that passes at once, after a long stop or a jump of the clock, is not billed. */
const maxGapMillis = 31 * 24 * hourMillis

/** The result of a look at the clock. */
type ClockLook =
  | { readonly kind: 'right' }
  /** It is behind the time that was reached, and by how much; `isNew` at the first look that shows it. */
  | { readonly kind: 'behind'; readonly millis: number; readonly isNew: boolean }
  /** It has been far behind for so long, since it showed `sinceMillis`, that it is taken to be right and the time that was
   *  reached to be wrong. */
  | { readonly kind: 'believed'; readonly sinceMillis: number }

/** Distinguishes a clock that is wrong for a while from one that has been corrected. */
export class ClockWatch {
  /** What the clock showed when it was found behind, or has jumped to since. */
  #sinceMillis: number | undefined
  #lastMillis = 0

  /** @param reachedMillis the time that was reached */
  look(clockMillis: number, reachedMillis: number): ClockLook {
    const millis = reachedMillis - clockMillis
    const isNew = this.#sinceMillis === undefined
    const stepMillis = clockMillis - this.#lastMillis
    this.#lastMillis = clockMillis
    if (millis < noticedMillis) {
      this.#sinceMillis = undefined
      return { kind: 'right' }
    }
    if (this.#sinceMillis === undefined || stepMillis < 0 || stepMillis > patienceMillis)
      this.#sinceMillis = clockMillis
    const isSteady = clockMillis - this.#sinceMillis >= patienceMillis
    if (!isSteady || millis <= waitedForMillis) return { kind: 'behind', millis, isNew }
    const sinceMillis = this.#sinceMillis
    this.#sinceMillis = undefined
    return { kind: 'believed', sinceMillis }
  }
}

/** Whether a time that has passed at once is to be left out: it is too long to be believed, or it ends what a wrong
 *  clock was believed for, which was metered before that.
 *  @param usedUntil the end of what is metered */
export function isGap(
  { fromMillis, toMillis }: { readonly fromMillis: number; readonly toMillis: number },
  usedUntil: () => Instant | undefined,
): boolean {
  const millis = toMillis - fromMillis
  if (millis <= waitedForMillis) return false
  const meteredMillis = (usedUntil() ?? 0) * 1000
  return millis > maxGapMillis || (fromMillis < meteredMillis && meteredMillis <= toMillis)
}
