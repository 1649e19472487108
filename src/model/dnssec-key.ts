import type { Stamped } from './stamped.ts'

/** What a sealed key belongs to. */
export function boundOf({ id, zoneId }: Pick<DnssecKey, 'id' | 'zoneId'>): string {
  return `${zoneId} ${id}`
}

/** A key that a zone is signed with. */
export type DnssecKey = Stamped & {
  readonly zoneId: string
  /** ECDSA with P-256 (RFC 6605). */
  readonly algorithm: 13
  readonly tag: number
  /** PKCS#8 as `dnssec/sealed-key.ts` seals it; never shown. */
  readonly privateKey: string
}
