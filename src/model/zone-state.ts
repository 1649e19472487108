import { isNewerSerial } from '../dns/serial.ts'
import { expiresAtOf } from './refresh.ts'
import type { Action, Status, Zone } from './zone.ts'

/** What one target of a zone's pool serves of the zone. */
export type TargetReport = {
  readonly target: string
  /** Undefined: the target does not answer for the zone, or that is not known. */
  readonly serial: number | undefined
  /** The target, a server elsewhere that has to be queried, has not reported yet. */
  readonly isUnheard?: boolean
  /** Why the target cannot serve all that is stored; undefined while it does. */
  readonly problem: string | undefined
}

/** A resource's state as clients see it. Derived at every read, never stored. */
export type ResourceState = {
  readonly status: Status
  /** The action in progress; NONE when it is done. */
  readonly action: Action
  /** What is wrong or missing, in words; null: nothing. */
  readonly reason: string | null
}

/** Who sees a state. Operators see exactly how masters failed; a project does not, since it chooses the addresses and
 *  would learn about networks that are not its own. */
export type Audience = 'project' | 'operator'

/** Derives a zone's state from the reports of its targets: ACTIVE when each serves the stored serial completely. */
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

/** Derives a recordset's state. A recordset that cannot be served is in ERROR; the others of its zone are not,
 *  since they are answered. */
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

/** Deletion waits for every target; one with a problem that still serves the zone, or has not reported, shows as ERROR. */
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

/** A target may already serve the next serial when an older row is compared, so a newer serial counts as current. */
function isCurrent(served: number | undefined, stored: number): boolean {
  return served !== undefined && !isNewerSerial(stored, served)
}

function transferProblem(zone: Zone, audience: Audience): string | undefined {
  const failure = failureOf(zone, audience)
  if (zone.transfer?.isExpired) return `The copy has expired: ${failure ?? 'no master answers'}`
  // A copy stays valid while its masters do not answer, until it expires.
  return zone.transferredAt === null ? failure : undefined
}

/** The failure of masters while their zone is still served. */
function mastersWarning(zone: Zone, audience: Audience): string | null {
  const failure = failureOf(zone, audience)
  if (failure === undefined) return null
  if (zone.transfer?.failureCount === 0) return failure
  const expiresAt = expiresAtOf(zone)
  const until = expiresAt === undefined ? 'it expires' : secondText(expiresAt)
  return `The copy is served until ${until}, as no master gives a newer one: ${failure}`
}

/** The former copy is served, but no longer updated from its master. */
function overQuotaProblem(zone: Zone, audience: Audience): string | undefined {
  return zone.transfer?.isOverQuota ? failureOf(zone, audience) : undefined
}

function failureOf({ transfer }: Zone, audience: Audience): string | undefined {
  const { failure = null, told = 'The masters give no zone', heldUntil = 0 } = transfer ?? {}
  if (failure === null) return undefined
  const reason = audience === 'operator' ? failure : told
  return heldUntil === 0 ? reason : `${reason}; NOTIFY is ignored until ${secondText(heldUntil)}`
}

function secondText(micros: number): string {
  return `${new Date(micros / 1000).toISOString().slice(0, 19)}Z`
}

function targetProblem(reports: readonly TargetReport[]): string | undefined {
  if (reports.length === 0) return 'The pool has no targets'
  const failing = reports.find(report => report.problem !== undefined)
  return failing && `${failing.target}: ${failing.problem}`
}
