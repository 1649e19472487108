import type { RefreshFailure } from '../../model/refresh.ts'
import type { TransferFailure, TransferFailureKind } from '../../zone/transfer-response.ts'

// How failures of masters are shown, and to whom. An operator sees exactly how a connection failed. A project chooses the
// addresses itself, so to a project open, closed and refused ports must look the same: otherwise this server would map
// networks for strangers. What a name server has answered to our query is shown to everybody.

/** The failure of one master. */
export type MasterFailure = { readonly master: string; readonly failure: TransferFailure }

/** Shown where the address may have something other than a name server, or nothing at all. */
export const uniformReason =
  'it gave no zone; it must be reachable from here and answer for the zone'

const uniformKinds: readonly TransferFailureKind[] = [
  'refused-address',
  'unreachable',
  'silent',
  'closed',
  'malformed',
  'mismatched',
]

const wastefulKinds: readonly TransferFailureKind[] = ['silent', 'too-large', 'over-quota']

/** Enough for the failures of several masters. */
const maxReasonCharacters = 1000

/** Combines the failures of all masters of a zone. */
export function refreshFailure(failures: readonly MasterFailure[]): RefreshFailure {
  return {
    reason: listed(failures, ({ reason }) => reason),
    told: listed(failures, publicReason),
    isOverQuota: failures.some(({ failure }) => failure.kind === 'over-quota'),
    hasWastedTime: failures.some(({ failure }) => wastefulKinds.includes(failure.kind)),
  }
}

/** A failure of this server itself. */
export function ownFailure(reason: string): RefreshFailure {
  return { reason, told: reason, isOverQuota: false, hasWastedTime: false }
}

function publicReason({ kind, reason }: TransferFailure): string {
  return uniformKinds.includes(kind) ? uniformReason : reason
}

function listed(
  failures: readonly MasterFailure[],
  reasonOf: (failure: TransferFailure) => string,
): string {
  const parts = failures.map(({ master, failure }) => `${master}: ${reasonOf(failure)}`)
  return parts.join('; ').slice(0, maxReasonCharacters)
}
