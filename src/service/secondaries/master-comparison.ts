import { isNewerSerial } from '../../dns/serial.ts'
import { compareSerial, type SerialVerdict } from '../../zone/transfer-response.ts'
import type { MasterFailure } from './refresh-failure.ts'

/** What one master says of its serial. */
export type MasterFinding = { readonly master: string; readonly verdict: SerialVerdict }

/** What all masters of a zone say, against the copy at hand. */
export type MasterComparison = {
  /** Those that have a newer zone, the newest first (RFC 1982); in the order given where they have the same. */
  readonly newer: readonly string[]
  /** Whether one of them has the copy at hand. */
  readonly isCurrent: boolean
  /** For how long these say that it is good at most, where all do. */
  readonly expireSeconds?: number
  /** Those that give no serial, or an older one. */
  readonly failures: MasterFailure[]
}

const unlimited = Number.POSITIVE_INFINITY

/** Compares the serials of all masters with that of the copy at hand, undefined where there is none. */
export function compareMasters(
  known: number | undefined,
  findings: readonly MasterFinding[],
): MasterComparison {
  const newer: { readonly master: string; readonly serial: number }[] = []
  const failures: MasterFailure[] = []
  let isCurrent = false
  let expireSeconds = 0
  for (const { master, verdict } of findings) {
    const judged = verdict.kind === 'failed' ? verdict : compareSerial(verdict.serial, known)
    if (judged?.kind === 'failed') failures.push({ master, failure: judged.failure })
    else if (verdict.kind === 'failed') continue
    else if (judged?.kind === 'current') {
      isCurrent = true
      expireSeconds = Math.max(expireSeconds, verdict.expireSeconds ?? unlimited)
    } else newer.push({ master, serial: verdict.serial })
  }
  newer.sort(
    (a, b) => Number(isNewerSerial(b.serial, a.serial)) - Number(isNewerSerial(a.serial, b.serial)),
  )
  const expiry = isCurrent && expireSeconds < unlimited && { expireSeconds }
  return { newer: newer.map(({ master }) => master), isCurrent, ...expiry, failures }
}
