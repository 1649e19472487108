import { newTransferState, type SoaTimers, type TransferState, type Zone } from './zone.ts'

// When a SECONDARY zone queries its masters (RFC 1034 section 4.3.5): after SOA refresh, or SOA retry while they
// fail; and until when its copy may be served: SOA expire. Pure: time and randomness are arguments, and all state
// is in the row, so a restart changes nothing.

/** Why a zone could not be refreshed. */
export type RefreshFailure = {
  /** The reason as operators see it. */
  readonly reason: string
  /** The reason as the zone's project sees it. */
  readonly told: string
  readonly isOverQuota: boolean
  /** Whether a master kept this server busy without a result. */
  readonly hasWastedTime: boolean
}

const day = 86_400

/** Bounds on a SOA's timers, in seconds. With a refresh of 0 the master would be queried without pause, with one of
 *  years never again. */
export const defaultRefreshBounds = {
  minRefreshSeconds: 60,
  maxRefreshSeconds: 28 * day,
  minRetrySeconds: 30,
  maxRetrySeconds: day,
  /** Before the first copy there is no SOA: the wait doubles from the first to the last. */
  firstRetrySeconds: 15,
  lastRetrySeconds: 900,
  /** After a master has wasted time, NOTIFY or not: the wait doubles from the first to the last. */
  firstHoldSeconds: 30,
  lastHoldSeconds: 3600,
}

export type RefreshBounds = Readonly<typeof defaultRefreshBounds>

/** Waits are shortened by up to this fraction, so that zones created together are not refreshed together. */
const jitter = 0.1
const startSpread = 0.75

/** The time, randomness and bounds that a rule is given. */
export type Moment = {
  readonly atMicros: number
  /** In [0, 1). */
  readonly random: number
  readonly bounds: RefreshBounds
}

/** Whether a master should be queried now. */
export function isRefreshDue(zone: Zone, { atMicros, bounds }: Omit<Moment, 'random'>): boolean {
  if (zone.type !== 'SECONDARY' || zone.isDeleting || zone.masters.length === 0) return false
  const { nextRefreshAt } = transferStateOf(zone)
  // A time beyond the longest wait was set before the clock was set back.
  const latestAt = atMicros + bounds.maxRefreshSeconds * 1e6
  return nextRefreshAt <= atMicros || nextRefreshAt > latestAt
}

/** When the masters of a copy are asked after a start, even if it is not due: a NOTIFY may have been sent in vain before. Within
 *  SOA retry, as in BIND, and spread over most of it, since all zones of a server start together. */
export function firstRefreshAt({ soaTimers }: Zone, { atMicros, random, bounds }: Moment): number {
  return atMicros + Math.floor(retryWait(soaTimers, bounds) * (1 - startSpread * random) * 1e6)
}

/** Whether the copy has become too old to be served and is not marked as expired yet. */
export function isExpiryDue(zone: Zone, { atMicros, bounds }: Omit<Moment, 'random'>): boolean {
  const expiresAt = expiresAtOf(zone, bounds)
  return expiresAt !== undefined && !transferStateOf(zone).isExpired && atMicros >= expiresAt
}

/** Until when a copy is served without contact, in microseconds; undefined for a zone that is not a copy. */
export function expiresAtOf(
  zone: Zone,
  bounds: RefreshBounds = defaultRefreshBounds,
): number | undefined {
  if (zone.type !== 'SECONDARY' || zone.transferredAt === null) return undefined
  const { soaTimers } = zone
  const { refreshedAt, expireSeconds = soaTimers.expireSeconds } = transferStateOf(zone)
  if (refreshedAt === null) return undefined
  // What is missing from a whole EXPIRE is how long the master has been without contact (RFC 7314).
  const masterSeconds = Math.max(soaTimers.expireSeconds - expireSeconds, 0)
  return refreshedAt + (lifeSeconds(soaTimers, bounds) - masterSeconds) * 1e6
}

/** How long a copy is served without contact. RFC 1912 section 2.2: with an expire below refresh and retry a zone would
 *  expire between two good responses. The bounded waits count here, not those of the SOA, and one of two retries may
 *  fail. BIND raises expire to bounded refresh and retry in the same way. */
function lifeSeconds(timers: SoaTimers, bounds: RefreshBounds): number {
  const waits = refreshWait(timers, bounds) + 2 * retryWait(timers, bounds)
  return Math.max(timers.expireSeconds, waits)
}

function refreshWait({ refreshSeconds }: SoaTimers, bounds: RefreshBounds): number {
  return clamp(refreshSeconds, bounds.minRefreshSeconds, bounds.maxRefreshSeconds)
}

function retryWait({ retrySeconds }: SoaTimers, bounds: RefreshBounds): number {
  return clamp(retrySeconds, bounds.minRetrySeconds, bounds.maxRetrySeconds)
}

/** What masters returned besides the zone. */
export type RefreshOutcome = {
  /** The failure of other masters. */
  readonly elsewhere?: RefreshFailure | undefined
  /** How long the copy is valid, if its master says so (EXPIRE, RFC 7314). */
  readonly expireSeconds?: number | undefined
}

/** The state after a master has sent the zone, or confirmed that the local copy is current. */
export function afterRefresh(
  timers: SoaTimers,
  moment: Moment,
  { elsewhere, expireSeconds }: RefreshOutcome = {},
): TransferState {
  return {
    refreshedAt: moment.atMicros,
    nextRefreshAt: later(moment, refreshWait(timers, moment.bounds)),
    ...(expireSeconds !== undefined && { expireSeconds }),
    failureCount: 0,
    failure: elsewhere?.reason ?? null,
    ...(elsewhere && { told: elsewhere.told }),
    isExpired: false,
    isReplacing: false,
  }
}

/** How long a copy is valid after its master confirmed it and sent EXPIRE: no shorter than before (RFC 7314 section
 *  4). */
export function longerLife(
  zone: Zone,
  expireSeconds: number | undefined,
  atMicros: number,
): number | undefined {
  if (expireSeconds === undefined) return undefined
  const leftMicros = (expiresAtOf(zone) ?? atMicros) - atMicros
  return Math.max(expireSeconds, Math.floor(leftMicros / 1e6))
}

/** The state while a copy is written in several commits. If interrupted, a refresh is due at once. */
export function whileReplacing(zone: Zone, atMicros: number): TransferState {
  return { ...transferStateOf(zone), nextRefreshAt: atMicros, isReplacing: true }
}

/** The state after all masters have failed, or all that have a newer zone. */
export function afterFailure(zone: Zone, failure: RefreshFailure, moment: Moment): TransferState {
  const state = transferStateOf(zone)
  const { reason, told, isOverQuota, hasWastedTime } = failure
  const { firstHoldSeconds, lastHoldSeconds } = moment.bounds
  const holdSeconds = Math.min(firstHoldSeconds * 2 ** state.failureCount, lastHoldSeconds)
  const heldUntil = hasWastedTime ? moment.atMicros + holdSeconds * 1e6 : 0
  const retryAt = later(moment, retrySeconds(zone, state.failureCount, moment.bounds))
  return {
    ...state,
    nextRefreshAt: Math.max(retryAt, heldUntil),
    failureCount: state.failureCount + 1,
    failure: reason,
    told,
    isOverQuota,
    heldUntil,
  }
}

/** Whether a master that has wasted time must wait, even if it announces a change. */
export function isHeldBack(zone: Zone, { atMicros, bounds }: Omit<Moment, 'random'>): boolean {
  const { heldUntil = 0 } = transferStateOf(zone)
  // As with refreshes: a time beyond the longest wait was set before the clock was set back.
  return atMicros < heldUntil && heldUntil <= atMicros + bounds.lastHoldSeconds * 1e6
}

/** The state when there is a reason to query at once, such as other masters; the validity of the copy is kept. */
export function dueAtOnce(state: TransferState | undefined, atMicros: number): TransferState {
  const { refreshedAt, expireSeconds, isExpired, isReplacing } = state ?? newTransferState(atMicros)
  return {
    ...newTransferState(atMicros),
    refreshedAt,
    ...(expireSeconds !== undefined && { expireSeconds }),
    isExpired,
    isReplacing,
  }
}

/** The serial of the local copy; undefined where there is none, or only an incomplete one. */
export function knownSerial(zone: Zone): number | undefined {
  const isWhole = zone.transferredAt !== null && !transferStateOf(zone).isReplacing
  return isWhole ? zone.serial : undefined
}

function transferStateOf(zone: Zone): TransferState {
  return zone.transfer ?? newTransferState(zone.createdAt)
}

function retrySeconds(zone: Zone, failureCount: number, bounds: RefreshBounds): number {
  if (zone.transferredAt !== null) return retryWait(zone.soaTimers, bounds)
  return Math.min(bounds.firstRetrySeconds * 2 ** failureCount, bounds.lastRetrySeconds)
}

function later({ atMicros, random }: Moment, seconds: number): number {
  return atMicros + Math.floor(seconds * (1 - jitter * random) * 1e6)
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
