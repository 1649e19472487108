import { isNewerSerial } from '../../dns/serial.ts'
import { compareSerial, type SerialVerdict } from '../../zone/transfer-response.ts'
import type { MasterFailure } from './refresh-failure.ts'

/** One master's answer to the query for its serial. */
type MasterFinding = { readonly master: string; readonly verdict: SerialVerdict }

/** The serials of all masters of a zone, compared with the stored copy. */
export type MasterComparison = {
  /** Masters with a newer zone, the newest first (RFC 1982); in the given order where serials are equal. */
  readonly newer: readonly string[]
  /** Whether one of them has the same serial as the stored copy. */
  readonly isCurrent: boolean
  /** The longest EXPIRE that masters with the same serial report, where all of them do. */
  readonly expireSeconds?: number
  /** Masters that give no serial, or an older one. */
  readonly failures: MasterFailure[]
}

const unlimited = Number.POSITIVE_INFINITY

/** Compares the serials of all masters with that of the stored copy, undefined where there is none. */
export function compareMasters(
  known: number | undefined,
  findings: readonly MasterFinding[],
): MasterComparison {
  const newer: { readonly master: string; readonly serial: number }[] = []
  const failures: MasterFailure[] = []
  let isCurrent = false
  let expireSeconds = 0
  for (const { master, verdict } of findings) {
    if (verdict.kind === 'failed') {
      failures.push({ master, failure: verdict.failure })
      continue
    }
    const compared = compareSerial(verdict.serial, known)
    if (compared === undefined) newer.push({ master, serial: verdict.serial })
    else if (compared.kind === 'failed') failures.push({ master, failure: compared.failure })
    else {
      isCurrent = true
      expireSeconds = Math.max(expireSeconds, verdict.expireSeconds ?? unlimited)
    }
  }
  newer.sort(
    (a, b) => Number(isNewerSerial(b.serial, a.serial)) - Number(isNewerSerial(a.serial, b.serial)),
  )
  const expiry = isCurrent && expireSeconds < unlimited && { expireSeconds }
  return { newer: newer.map(({ master }) => master), isCurrent, ...expiry, failures }
}
