import type { Instant, ScopeState } from '../../model/rating.ts'
import { alignDown, hourSeconds, monthOf, monthPeriod, type Period } from '../period.ts'

export type RatingSchedule = {
  readonly periodSeconds: number
  /** Periods to wait from a period's begin before it is rated: what was used late in it must have arrived. */
  readonly waitPeriods: number
}

/** An hour is rated one hour after it ends. */
export const defaultSchedule: RatingSchedule = { periodSeconds: hourSeconds, waitPeriods: 2 }

/** When to rate, and where there is anything to rate: periods without any usage are passed over where that is known,
 *  so that nobody waits for centuries to be rated after setting a scope, or a clock, to another one. */
export type RatingTimes = RatingSchedule & {
  /** From which instant on something may have been used, and nothing between the one given and that. */
  readonly usedFrom?: (from: Instant) => Instant
}

/** A scope and a period to rate it in. */
export type DuePeriod = { readonly state: ScopeState; readonly period: Period }

/** The period a scope is to be rated in next, if it is time. A scope that was never rated begins with the month
 *  it appeared in. A clock that is set back brings no period a second time: only the state decides. */
export function nextPeriod(
  state: ScopeState,
  now: Instant,
  times: RatingTimes,
): Period | undefined {
  const begin = nextBegin(state, now, times)
  return state.isActive && isDue(begin, now, times) ? periodAt(begin, times) : undefined
}

/** All that is due, oldest first, and of one period in order of the scopes' names; `limit` of it at most, so that
 *  after a long rest the work is done a part at a time. Each scope's periods come in order, without a gap. */
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

/** Where rating of a scope goes on: everything before it is rated. */
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

/** Passes over what has no usage, but not over the last period that is due: who has used nothing is rated all the
 *  same, and the state tells so. */
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
