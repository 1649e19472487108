import type { NamedBy } from './outbound-address.ts'
import type { Stamped } from './stamped.ts'
import type { UpdateRule } from './update-policy.ts'

export type ZoneType = 'PRIMARY' | 'SECONDARY'

/** What is being done to a resource; NONE when its targets serve it as stored (facts of the real service:
 *  CREATE, UPDATE and DELETE are shown beside status PENDING or ERROR). */
export type Action = 'CREATE' | 'UPDATE' | 'DELETE' | 'NONE'

/** Derived, never stored: what the pool's targets really serve, against what the store holds. What is deleted has
 *  none any more: it is gone. */
export type Status = 'ACTIVE' | 'PENDING' | 'ERROR'

/** Progress of a SECONDARY zone's copy of its master; absent on PRIMARY. Times in microseconds. */
export type TransferState = {
  /** When the copy last agreed with a master, by transfer or by an equal serial. Null before the first. */
  readonly refreshedAt: number | null
  /** When to ask a master next: SOA refresh after a success, SOA retry after a failure. */
  readonly nextRefreshAt: number
  /** For how long the copy is good after that, where its master has said so (EXPIRE, RFC 7314); its SOA has the most. */
  readonly expireSeconds?: number
  /** Consecutive failures since the last success. */
  readonly failureCount: number
  /** What was wrong at the masters at the last attempt, for operators; null where nothing was. After a success
   *  (`failureCount` 0) one of them has answered. */
  readonly failure: string | null
  /** The same for the zone's project, which does not see what a connection met. */
  readonly told?: string
  /** The last attempt failed because the project may not have as much. */
  readonly isOverQuota?: boolean
  /** Until then no NOTIFY has the masters asked: they have wasted time. */
  readonly heldUntil?: number
  /** No master was in contact for SOA expire (RFC 1034 section 4.3.5): the copy must not be served. */
  readonly isExpired: boolean
  /** A large copy is being written, in several commits: until it is whole the stored recordsets are a mix of
   *  two, and what was served before must go on being served. */
  readonly isReplacing: boolean
}

/** The state of a SECONDARY zone that has new masters to ask: due at once. */
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
  readonly description: string | null
  /** `host` or `host:port`; empty for PRIMARY. */
  readonly masters: readonly string[]
  /** Whether an administrator has set them, who may name any. */
  readonly hasTrustedMasters?: boolean
  readonly attributes: Readonly<Record<string, string>>
  /** Of a PRIMARY zone: chosen once at creation. Of a SECONDARY: those of the SOA last transferred, and
   *  without meaning before. */
  readonly soaTimers: SoaTimers
  /** Set while the zone is being withdrawn from its targets; it is refused to writers and goes away next. */
  readonly isDeleting: boolean
  /** Set while a file is being written into it, in several commits: until it is whole it is neither served nor
   *  changed by anybody else. */
  readonly isImporting?: true
  /** The node that writes it meanwhile; absent where there is only one. */
  readonly importNode?: string
  /** Set once the zone is abandoned: it is nobody's any more, and what was last served of it stays served, without
   *  refreshing or expiring, until a zone takes its name there or an administrator withdraws it. */
  readonly isAbandoned?: true
  readonly transferredAt: number | null
  readonly transfer?: TransferState
  /** Of a PRIMARY zone: it is of a file that was signed elsewhere. Its content is that file's, SOA and name servers
   *  included, and nothing changes it but another file. */
  readonly isPresigned?: true
  /** Of a catalog that is consumed: what of it could not be done. */
  readonly catalogProblem?: string
  /** The catalog zone that lists it, and under which label. */
  readonly member?: { readonly catalogId: string; readonly label: string }
  /** Of a zone that is signed here, or is about to be. */
  readonly dnssec?: ZoneDnssec
  /** Who may change it by dynamic update; nobody when not given. */
  readonly updateRules?: readonly UpdateRule[]
}

/** Whether a zone is still a resource. One that is being deleted or is abandoned is on its way out, or no longer
 *  managed: nothing changes, refreshes or meters it. */
export function isInUse({ isDeleting, isAbandoned }: Zone): boolean {
  return !isDeleting && isAbandoned !== true
}

/** Whether a zone has no data to be answered from before its first transfer. */
export function isAwaited(zone: Zone): boolean {
  return zone.type === 'SECONDARY' && zone.transferredAt === null && isInUse(zone)
}

/** Whether all content of a zone comes from elsewhere, SOA and name servers included. */
export function isWrittenElsewhere({ type, isPresigned }: Zone): boolean {
  return type === 'SECONDARY' || isPresigned === true
}

/** Whether a zone is answered with signatures that are made here. */
export function isSignedHere({ dnssec }: Zone): boolean {
  return dnssec !== undefined && dnssec.signedAt !== null
}

/** Who has set the masters of a zone. */
export function namerOf({ hasTrustedMasters }: Zone): NamedBy {
  return hasTrustedMasters === true ? 'operator' : 'project'
}

/** Whether the stored recordsets are all of a zone, so that it can be answered from them. A zone of a file is none
 *  before the last of it is there; a SECONDARY zone has no data before its first transfer is complete, and none to
 *  begin with while a copy is half written. */
export function isComplete(zone: Zone): boolean {
  if (zone.type === 'PRIMARY') return zone.isImporting !== true
  return zone.transferredAt !== null && zone.transfer?.isReplacing !== true
}

/** How a zone is signed here. */
export type ZoneDnssec = {
  /** Id of its policy. */
  readonly policy: string
  /** Since when it is answered with signatures, in microseconds; null while they are being made. */
  readonly signedAt: number | null
  /** Set while it goes insecure: its DS are to go first. */
  readonly isLeaving?: true
  /** Servers to ask for its DS, instead of those that the parent zone names. */
  readonly parentServers?: { readonly hosts: readonly string[]; readonly namedBy: NamedBy }
  /** Whether zones whose name servers have their names in it are signalled in it to their parents (RFC 9615). */
  readonly signalsChildren?: true
  /** How often keys were rolled by hand, or the policy changed, on a day since 1970. */
  readonly rolls?: { readonly day: number; readonly count: number }
}

export type SoaTimers = {
  readonly refreshSeconds: number
  readonly retrySeconds: number
  readonly expireSeconds: number
  readonly minimumSeconds: number
}
