import { isNewerSerial } from '../dns/serial.ts'
import type { Action, Status, Zone } from './zone.ts'

/** What one target of a zone's pool serves of it. */
export type TargetReport = {
  readonly target: string
  /** Undefined: it does not answer for the zone, or that is not known. */
  readonly serial: number | undefined
  /** It has not said yet what it serves: a server elsewhere that has to be asked. */
  readonly isUnheard?: boolean
  /** Why it cannot serve all that is stored; undefined while it does. */
  readonly problem: string | undefined
}

/** A resource's state as clients see it. Derived at every look, never stored. */
export type ResourceState = {
  readonly status: Status
  /** What is being done about it; NONE when it is done. */
  readonly action: Action
  /** What is wrong, or missing, for people; null where nothing is. */
  readonly reason: string | null
}

/** Who sees a state. Operators see exactly what masters were like; a project chooses the addresses itself,
 *  and would learn of networks that are not its own. */
export type Audience = 'project' | 'operator'

/** Derives a zone's state from what its targets say: ACTIVE when each serves the stored serial, whole. */
export function zoneState(
  zone: Zone,
  reports: readonly TargetReport[],
  audience: Audience = 'project',
): ResourceState {
  const problem = overQuotaProblem(zone, audience) ?? targetProblem(reports)
  const state = servedState(zone, reports, transferProblem(zone, audience) ?? problem)
  if (state.status !== 'ACTIVE') return state
  return { ...state, reason: mastersWarning(zone, audience) ?? zone.catalogProblem ?? null }
}

/** Derives a recordset's state. One that cannot be served is in ERROR itself; the others of its zone are not,
 *  as they are answered. */
export function recordsetState(
  zone: Zone,
  reports: readonly TargetReport[],
  problem: string | undefined,
): ResourceState {
  return servedState(zone, reports, transferProblem(zone, 'project') ?? problem)
}

function servedState(
  zone: Zone,
  reports: readonly TargetReport[],
  reason: string | undefined,
): ResourceState {
  if (zone.isDeleting) return removalState(reports)
  const action = zone.updatedAt === null ? 'CREATE' : 'UPDATE'
  if (reason !== undefined) return { status: 'ERROR', action, reason }
  const isServed =
    reports.length > 0 && reports.every(report => isCurrent(report.serial, zone.serial))
  return isServed
    ? { status: 'ACTIVE', action: 'NONE', reason: null }
    : { status: 'PENDING', action, reason: hasNoMasters(zone) ? noMastersReason : null }
}

const noMastersReason = 'The zone has no masters: it is transferred in once they are set'

function hasNoMasters({ type, masters }: Zone): boolean {
  return type === 'SECONDARY' && masters.length === 0
}

/** Deleting waits for every target; one that does not let go, or does not say, is not waited for in silence. */
function removalState(reports: readonly TargetReport[]): ResourceState {
  const holding = reports.filter(holdsZone).find(({ problem }) => problem !== undefined)
  return holding === undefined
    ? { status: 'PENDING', action: 'DELETE', reason: null }
    : { status: 'ERROR', action: 'DELETE', reason: `${holding.target}: ${holding.problem}` }
}

/** Whether a target serves a zone, as far as is known. */
export function holdsZone({ serial, isUnheard }: TargetReport): boolean {
  return serial !== undefined || isUnheard === true
}

/** A row may be looked at a moment after its target has gone on to the next serial. */
function isCurrent(served: number | undefined, stored: number): boolean {
  return served !== undefined && !isNewerSerial(stored, served)
}

function transferProblem(zone: Zone, audience: Audience): string | undefined {
  const failure = failureOf(zone, audience)
  if (zone.transfer?.isExpired) return `The copy has expired: ${failure ?? 'no master answers'}`
  // A copy stays good while its masters are silent, until it expires.
  return zone.transferredAt === null ? failure : undefined
}

/** What is wrong at masters while their zone is served. */
function mastersWarning(zone: Zone, audience: Audience): string | null {
  const failure = failureOf(zone, audience)
  if (failure === undefined) return null
  return zone.transfer?.failureCount === 0
    ? failure
    : `The copy is served until it expires, as no master gives a newer one: ${failure}`
}

/** The copy before is served, but it will not follow its master any more. */
function overQuotaProblem(zone: Zone, audience: Audience): string | undefined {
  return zone.transfer?.isOverQuota ? failureOf(zone, audience) : undefined
}

function failureOf({ transfer }: Zone, audience: Audience): string | undefined {
  const { failure = null, told = 'The masters give no zone' } = transfer ?? {}
  if (failure === null) return undefined
  return audience === 'operator' ? failure : told
}

function targetProblem(reports: readonly TargetReport[]): string | undefined {
  if (reports.length === 0) return 'The pool has no targets'
  const failing = reports.find(report => report.problem !== undefined)
  return failing && `${failing.target}: ${failing.problem}`
}
