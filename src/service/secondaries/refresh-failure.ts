import type { RefreshFailure } from '../../model/refresh.ts'
import type { TransferFailure, TransferFailureKind } from '../../zone/transfer-response.ts'

// What is said of masters that gave no zone, and to whom. An operator sees exactly what a connection met. A project
// chooses the addresses itself, so to it open, closed and refused ports must look the same: otherwise this server
// would map networks for strangers. What a name server has answered to our query is shown to everybody.

/** One master's part. */
export type MasterFailure = { readonly master: string; readonly failure: TransferFailure }

/** What is shown where something else than a name server may have been met, or nothing at all. */
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

/** Enough to say what is wrong with several masters. */
const maxReasonCharacters = 1000

/** Puts together what all masters of a zone had. */
export function refreshFailure(failures: readonly MasterFailure[]): RefreshFailure {
  return {
    reason: listed(failures, ({ reason }) => reason),
    told: listed(failures, toldReason),
    isOverQuota: failures.some(({ failure }) => failure.kind === 'over-quota'),
    hasWastedTime: failures.some(({ failure }) => wastefulKinds.includes(failure.kind)),
  }
}

/** The failure of this server itself. */
export function ownFailure(reason: string): RefreshFailure {
  return { reason, told: reason, isOverQuota: false, hasWastedTime: false }
}

function toldReason({ kind, reason }: TransferFailure): string {
  return uniformKinds.includes(kind) ? uniformReason : reason
}

function listed(
  failures: readonly MasterFailure[],
  reasonOf: (failure: TransferFailure) => string,
): string {
  const parts = failures.map(({ master, failure }) => `${master}: ${reasonOf(failure)}`)
  return parts.join('; ').slice(0, maxReasonCharacters)
}
