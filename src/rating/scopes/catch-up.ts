import type { Instant, ScopeState } from '../../model/rating.ts'
import { alignDown, hourSeconds, monthOf, monthPeriod, type Period } from '../period.ts'

export type RatingSchedule = {
  readonly periodSeconds: number
  /** Periods to wait from a period's begin before it is rated: usage from late in the period must have arrived. */
  readonly waitPeriods: number
}

/** An hour is rated one hour after it ends. */
export const defaultSchedule: RatingSchedule = { periodSeconds: hourSeconds, waitPeriods: 2 }

/** When to rate, and where there is anything to rate: periods known to have no usage are skipped, so that after a scope,
 *  or a clock, was set to another century, the centuries in between need not be rated. */
export type RatingTimes = RatingSchedule & {
  /** The instant from which on there may be usage; between `from` and that there is none. */
  readonly usedFrom?: (from: Instant) => Instant
}

/** A scope and a period to rate it in. */
type DuePeriod = { readonly state: ScopeState; readonly period: Period }

/** The period a scope is to be rated in next, if it is due. A scope that was never rated begins with the month
 *  it appeared in. No period is rated twice when the clock is set back: only the state decides. */
export function nextPeriod(
  state: ScopeState,
  now: Instant,
  times: RatingTimes,
): Period | undefined {
  const begin = nextBegin(state, now, times)
  return state.isActive && isDue(begin, now, times) ? periodAt(begin, times) : undefined
}

/** The due periods, oldest first and within one period in order of the scopes' names; at most `limit`, so that
 *  after a long pause the work is done in parts. Each scope's periods come in order, without a gap. */
export function planCatchUp(
  states: readonly ScopeState[],
  now: Instant,
  { limit, ...times }: RatingTimes & { readonly limit: number },
): readonly DuePeriod[] {
  const waiting = states
    .filter(state => nextPeriod(state, now, times) !== undefined)
    .map(state => ({ state, begin: nextBegin(state, now, times), name: nameOf(state) }))
    .sort((a, b) => b.begin - a.begin)
  const started: typeof waiting = []
  const plan: DuePeriod[] = []
  let begin = waiting.at(-1)?.begin ?? now
  for (; plan.length < limit && isDue(begin, now, times); begin += times.periodSeconds) {
    const starting = waiting.splice(waiting.findLastIndex(scope => scope.begin > begin) + 1)
    if (starting.length > 0) {
      started.push(...starting)
      started.sort((a, b) => (a.name < b.name ? -1 : 1))
    }
    const period = periodAt(begin, times)
    for (const { state } of started.slice(0, limit - plan.length)) plan.push({ state, period })
  }
  return plan
}

/** The instant at which rating of a scope continues: everything before it is rated. */
export function ratedUntil(
  state: ScopeState,
  { periodSeconds }: Pick<RatingSchedule, 'periodSeconds'>,
): Instant {
  const { lastProcessed, resumeFrom, createdAt } = state
  if (resumeFrom !== null) return resumeFrom
  if (lastProcessed !== null) return alignDown(lastProcessed, periodSeconds) + periodSeconds
  const month = monthPeriod(monthOf(Math.floor(createdAt / 1e6)))
  return alignDown(month.begin, periodSeconds)
}

/** Skips periods without usage, but not the last due one: a project without usage is rated as well, and its state shows
 *  that. */
function nextBegin(state: ScopeState, now: Instant, times: RatingTimes): Instant {
  const { periodSeconds, waitPeriods, usedFrom = from => from } = times
  const begin = ratedUntil(state, times)
  const lastDue = alignDown(now - 1, periodSeconds) - waitPeriods * periodSeconds
  return Math.max(begin, Math.min(alignDown(usedFrom(begin), periodSeconds), lastDue))
}

function isDue(
  begin: Instant,
  now: Instant,
  { periodSeconds, waitPeriods }: RatingSchedule,
): boolean {
  return begin + waitPeriods * periodSeconds < now
}

function periodAt(begin: Instant, { periodSeconds }: RatingSchedule): Period {
  return { begin, end: begin + periodSeconds }
}

function nameOf({ scopeId, scopeKey, collector, fetcher }: ScopeState): string {
  return JSON.stringify([scopeId, scopeKey, collector, fetcher])
}
