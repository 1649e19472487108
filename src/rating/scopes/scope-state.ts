import type { Instant, ScopeState } from '../../model/rating.ts'
import { allTime, hourBegin, type Period } from '../period.ts'
import type { Removal } from '../segments/removals.ts'

/** The names that identify a scope; unique together. */
export type ScopeIdentity = Pick<ScopeState, 'scopeId' | 'scopeKey' | 'collector' | 'fetcher'>

/** The names of our own meter and of our own list of projects, as collector and fetcher of their scopes. */
export const dnsCollector = 'dns'
export const dnsFetcher = 'dns'

/** The maximum number of characters of each name. */
export const maxScopeLengths: Readonly<Record<keyof ScopeIdentity, number>> = {
  scopeId: 256,
  scopeKey: 40,
  collector: 40,
  fetcher: 40,
}

/** A selection of scopes. A field that is left out, or is an empty list, selects all. */
export type ScopeFilter = {
  readonly scopeIds?: readonly string[]
  readonly scopeKeys?: readonly string[]
  readonly collectors?: readonly string[]
  readonly fetchers?: readonly string[]
  readonly isActive?: readonly boolean[]
}

export function matchesScope(state: ScopeState, filter: ScopeFilter): boolean {
  return (
    isChosen(state.scopeId, filter.scopeIds) &&
    isChosen(state.scopeKey, filter.scopeKeys) &&
    isChosen(state.collector, filter.collectors) &&
    isChosen(state.fetcher, filter.fetchers) &&
    isChosen(state.isActive, filter.isActive)
  )
}

type Changes = Partial<
  Pick<ScopeState, 'lastProcessed' | 'resumeFrom' | 'isActive' | 'activationToggled'>
>

/** What resetting a scope to an instant does. */
export type ScopeReset = {
  readonly changes: Changes
  /** The points to remove first; rating makes them again. */
  readonly removal: Removal
}

/** Sets a scope back, or forward, to an instant. The state shows the instant as given. Rating continues with the
 *  period that contains it, so no points from there on are kept: part of a period cannot be rated. Only points of the
 *  scope's own collector are removed; points that were pushed from outside could not be made again. */
export function resetScope(state: ScopeState, instant: Instant): ScopeReset {
  const resumeFrom = hourBegin(instant)
  return {
    changes: { lastProcessed: instant, resumeFrom },
    removal: removalFrom(state, { begin: resumeFrom, end: allTime.end }),
  }
}

/** The removal that accompanies storing a scope's points of a period, so that rating it again replaces them. */
export function removalFrom(
  { scopeId, collector }: Pick<ScopeIdentity, 'scopeId' | 'collector'>,
  period: Period,
): Removal {
  return { projectId: scopeId, origin: collector, period }
}

/** The changes of a state when a period has been rated. */
export function advanceScope(period: Period): Changes {
  return { lastProcessed: period.begin, resumeFrom: null }
}

/** Switches a scope on or off; changes nothing where it is so already. */
export function setScopeActive(
  state: ScopeState,
  isActive: ScopeState['isActive'],
  now: Instant,
): Changes {
  return state.isActive === isActive ? {} : { isActive, activationToggled: now }
}

function isChosen<T>(value: T, chosen: readonly T[] = []): boolean {
  return chosen.length === 0 || chosen.includes(value)
}
