import type { NamedBy } from './outbound-address.ts'
import type { Stamped } from './stamped.ts'
import type { UpdateRule } from './update-policy.ts'

export type ZoneType = 'PRIMARY' | 'SECONDARY'

/** What is being done to a resource; NONE when its targets serve it as stored (facts of the real service:
 *  CREATE, UPDATE and DELETE are shown beside status PENDING or ERROR). */
export type Action = 'CREATE' | 'UPDATE' | 'DELETE' | 'NONE'

/** Derived, never stored: what the pool's targets really serve, compared with the store. A deleted resource has no
 *  status: it no longer exists. */
export type Status = 'ACTIVE' | 'PENDING' | 'ERROR'

/** Progress of a SECONDARY zone's copy of its master; absent on PRIMARY. Times in microseconds. */
export type TransferState = {
  /** When the copy last agreed with a master, by transfer or by an equal serial. Null before the first. */
  readonly refreshedAt: number | null
  /** When to query a master next: SOA refresh after a success, SOA retry after a failure. */
  readonly nextRefreshAt: number
  /** How long the copy is valid after `refreshedAt`, if its master said so (EXPIRE, RFC 7314); bounded by its SOA. */
  readonly expireSeconds?: number
  /** Consecutive failures since the last success. */
  readonly failureCount: number
  /** What failed at the masters at the last attempt, for operators; null: nothing. After a success (`failureCount` 0)
   *  one of them has answered. */
  readonly failure: string | null
  /** The same for the zone's project, without details of connections. */
  readonly told?: string
  /** The last attempt failed because the zone exceeds the project's quota. */
  readonly isOverQuota?: boolean
  /** Until then no NOTIFY triggers a query to the masters, since they have wasted time. */
  readonly heldUntil?: number
  /** No master was in contact for SOA expire (RFC 1034 section 4.3.5): the copy must not be served. */
  readonly isExpired: boolean
  /** A large copy is being written in several commits: until it is complete the stored recordsets are a mix of two
   *  versions, and the former version must continue to be served. */
  readonly isReplacing: boolean
}

/** The state of a SECONDARY zone with new masters: a refresh is due at once. */
export function newTransferState(atMicros: number): TransferState {
  return {
    refreshedAt: null,
    nextRefreshAt: atMicros,
    failureCount: 0,
    failure: null,
    isExpired: false,
    isReplacing: false,
  }
}

/** A zone as stored. Names are presentation form, absolute, case as given at creation. */
export type Zone = Stamped & {
  readonly projectId: string
  readonly poolId: string
  readonly name: string
  readonly type: ZoneType
  /** Null for SECONDARY. */
  readonly email: string | null
  /** Default TTL; null for SECONDARY. */
  readonly ttlSeconds: number | null
  readonly serial: number
  /** The serial that it was given when states of it that had been served were lost. Serials before it may stand for two contents, so no
   *  difference begins there. */
  readonly raisedTo?: number
  readonly description: string | null
  /** `host` or `host:port`; empty for PRIMARY. */
  readonly masters: readonly string[]
  /** Whether an administrator has set them, who may name any address. */
  readonly hasTrustedMasters?: boolean
  readonly attributes: Readonly<Record<string, string>>
  /** Of a PRIMARY zone: chosen once at creation. Of a SECONDARY: those of the SOA last transferred, and
   *  meaningless before. */
  readonly soaTimers: SoaTimers
  /** Set while the zone is being withdrawn from its targets; writes are refused, and it is deleted next. */
  readonly isDeleting: boolean
  /** Set while a file is being written into the zone in several commits: until it is complete it is neither served nor
   *  changed by others. */
  readonly isImporting?: true
  /** The node that writes the import; absent where there is only one. */
  readonly importNode?: string
  /** Set once the zone is abandoned: it has no owner any more. Its last version stays served, without refreshing or
   *  expiring, until a new zone takes its name there or an administrator withdraws it. */
  readonly isAbandoned?: true
  readonly transferredAt: number | null
  readonly transfer?: TransferState
  /** Of a PRIMARY zone: it comes from a file that was signed elsewhere. Its content is that of the file, including SOA and
   *  name servers, and only another file changes it. */
  readonly isPresigned?: true
  /** Of a consumed catalog: what could not be applied. */
  readonly catalogProblem?: string
  /** The catalog zone that lists it, and under which label. */
  readonly member?: { readonly catalogId: string; readonly label: string }
  /** Of a zone that is signed here, or will be. */
  readonly dnssec?: ZoneDnssec
  /** Who may change the zone by dynamic update; no client if absent. */
  readonly updateRules?: readonly UpdateRule[]
}

/** Whether a zone is still a resource. A zone that is being deleted or is abandoned is not: nothing changes, refreshes
 *  or meters it. */
export function isInUse({ isDeleting, isAbandoned }: Zone): boolean {
  return !isDeleting && isAbandoned !== true
}

/** Whether a zone has no data because its first transfer is pending. */
export function isAwaited(zone: Zone): boolean {
  return zone.type === 'SECONDARY' && zone.transferredAt === null && isInUse(zone)
}

/** Whether all content of a zone comes from elsewhere, including SOA and name servers. */
export function isWrittenElsewhere({ type, isPresigned }: Zone): boolean {
  return type === 'SECONDARY' || isPresigned === true
}

/** Whether a zone is answered with signatures made here. */
export function isSignedHere({ dnssec }: Zone): boolean {
  return dnssec !== undefined && dnssec.signedAt !== null
}

/** Who has set the masters of a zone. */
export function namerOf({ hasTrustedMasters }: Zone): NamedBy {
  return hasTrustedMasters === true ? 'operator' : 'project'
}

/** Whether the stored recordsets are a complete zone, so that it can be answered from them. A zone from a file is
 *  complete once all of it is written. A SECONDARY zone has no data before its first transfer is complete, and none to
 *  start from while a copy is half written. */
export function isComplete(zone: Zone): boolean {
  if (zone.type === 'PRIMARY') return zone.isImporting !== true
  return zone.transferredAt !== null && zone.transfer?.isReplacing !== true
}

/** How a zone is signed here. */
export type ZoneDnssec = {
  /** Id of its policy. */
  readonly policy: string
  /** Since when the zone is answered with signatures, in microseconds; null while they are being made. */
  readonly signedAt: number | null
  /** Set while the zone goes insecure: its DS must be removed first. */
  readonly isLeaving?: true
  /** Servers to query for its DS, instead of those that the parent zone names. */
  readonly parentServers?: { readonly hosts: readonly string[]; readonly namedBy: NamedBy }
  /** Whether the zone publishes signals (RFC 9615) to the parents of zones whose name servers are named in it. */
  readonly signalsChildren?: true
  /** How often keys were rolled manually, or the policy changed, on a day, counted in days since 1970. */
  readonly rolls?: { readonly day: number; readonly count: number }
}

export type SoaTimers = {
  readonly refreshSeconds: number
  readonly retrySeconds: number
  readonly expireSeconds: number
  readonly minimumSeconds: number
}
