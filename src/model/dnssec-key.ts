import { type GoalKey, recordsOf } from '../dnssec/key-goals.ts'
import { hidden, introduced } from '../dnssec/presence.ts'
import type { Stamped } from './stamped.ts'

/** The context that a sealed key is bound to. */
export function boundOf({ id, zoneId }: Pick<DnssecKey, 'id' | 'zoneId'>): string {
  return `${zoneId} ${id}`
}

/** A key that a zone is signed with. */
export type DnssecKey = Stamped &
  GoalKey & {
    readonly zoneId: string
    readonly tag: number
    /** PKCS#8 as `dnssec/sealed-key.ts` seals it; shown only on export. */
    readonly privateKey: string
  }

/** A key as stored: the first versions had one key per zone, without states. */
export type StoredDnssecKey = Omit<DnssecKey, KeyState> & Partial<Pick<DnssecKey, KeyState>>
type KeyState = 'role' | 'goal' | 'dnskey' | 'zoneSignatures' | 'ds'

export function dnssecKeyOf(row: StoredDnssecKey): DnssecKey {
  const { role, goal = 'OMNIPRESENT', dnskey, zoneSignatures, ds } = row
  if (
    role !== undefined &&
    dnskey !== undefined &&
    zoneSignatures !== undefined &&
    ds !== undefined
  ) {
    return { ...row, role, goal, dnskey, zoneSignatures, ds }
  }
  return { ...row, goal, role: 'CSK', ...recordsOf('CSK', introduced(row.createdAt)), ds: hidden }
}
