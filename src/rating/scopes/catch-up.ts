import type { Instant, ScopeState } from '../../model/rating.ts'
import { hourBegin, hourSeconds, monthOf, monthPeriod, type Period } from '../period.ts'

/** An hour is rated one hour after it ends: usage from late in it must have arrived. */
const waitSeconds = 2 * hourSeconds

/** The instant from which on there may be usage; between `from` and that there is none. Hours known to have no usage are
 *  skipped, so that after a scope, or a clock, was set to another century, the centuries in between need not be rated. */
export type UsedFrom = (from: Instant) => Instant

/** A scope and a period to rate it in. */
type DuePeriod = { readonly state: ScopeState; readonly period: Period }

/** The period a scope is to be rated in next, if it is due. A scope that was never rated begins with the month
 *  it appeared in. No period is rated twice when the clock is set back: only the state decides. */
export function nextPeriod(
  state: ScopeState,
  now: Instant,
  usedFrom?: UsedFrom,
): Period | undefined {
  const begin = nextBegin(state, now, usedFrom)
  return state.isActive && isDue(begin, now) ? hourAt(begin) : undefined
}

/** The due periods, oldest first and within one period in order of the scopes' names; at most `limit`, so that
 *  after a long pause the work is done in parts. Each scope's periods come in order, without a gap. */
export function planCatchUp(
  states: readonly ScopeState[],
  now: Instant,
  { limit, usedFrom }: { readonly limit: number; readonly usedFrom?: UsedFrom },
): readonly DuePeriod[] {
  const waiting = states
    .filter(state => nextPeriod(state, now, usedFrom) !== undefined)
    .map(state => ({ state, begin: nextBegin(state, now, usedFrom), name: nameOf(state) }))
    .sort((a, b) => b.begin - a.begin)
  const started: typeof waiting = []
  const plan: DuePeriod[] = []
  let begin = waiting.at(-1)?.begin ?? now
  for (; plan.length < limit && isDue(begin, now); begin += hourSeconds) {
    const starting = waiting.splice(waiting.findLastIndex(scope => scope.begin > begin) + 1)
    if (starting.length > 0) {
      started.push(...starting)
      started.sort((a, b) => (a.name < b.name ? -1 : 1))
    }
    const period = hourAt(begin)
    for (const { state } of started.slice(0, limit - plan.length)) plan.push({ state, period })
  }
  return plan
}

/** The instant at which rating of a scope continues: everything before it is rated. */
export function ratedUntil({ lastProcessed, resumeFrom, createdAt }: ScopeState): Instant {
  if (resumeFrom !== null) return resumeFrom
  if (lastProcessed !== null) return hourBegin(lastProcessed) + hourSeconds
  return monthPeriod(monthOf(Math.floor(createdAt / 1e6))).begin
}

/** Skips periods without usage, but not the last due one: a project without usage is rated as well, and its state shows
 *  that. */
function nextBegin(state: ScopeState, now: Instant, usedFrom: UsedFrom = from => from): Instant {
  const begin = ratedUntil(state)
  const lastDue = hourBegin(now - 1) - waitSeconds
  return Math.max(begin, Math.min(hourBegin(usedFrom(begin)), lastDue))
}

function isDue(begin: Instant, now: Instant): boolean {
  return begin + waitSeconds < now
}

function hourAt(begin: Instant): Period {
  return { begin, end: begin + hourSeconds }
}

function nameOf({ scopeId, scopeKey, collector, fetcher }: ScopeState): string {
  return JSON.stringify([scopeId, scopeKey, collector, fetcher])
}
