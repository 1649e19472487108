import { types } from '../../../src/dns/codes.ts'
import { labelsOf, type Name } from '../../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'

/** Splits all RRSIGs of a name by the types that they cover. */
export function byCoveredType({ ttlSeconds, rdatas }: Rrset): Map<number, Rrset> {
  const groups = Map.groupBy(rdatas, rdata => Buffer.from(rdata).readUInt16BE(0))
  return new Map(
    [...groups].map(([type, ofType]) => [type, { type: types.RRSIG, ttlSeconds, rdatas: ofType }]),
  )
}

/** An NSEC3 of a zone: no name, and found by its owner only (RFC 5155 section 7.2.8). */
export type Nsec3 = OwnedRrset & { readonly signature: Rrset | undefined }

/** The hash that an NSEC3 is owned by. */
export function hashLabel({ owner }: OwnedRrset): string {
  return (labelsOf(owner)[0] ?? '').toLowerCase()
}

/** Whether an owner is such a hash. */
export function isHashOwner(owner: Name, apex: Name): boolean {
  const labels = labelsOf(owner)
  return labels.length === labelsOf(apex).length + 1 && /^[0-9a-v]{32}$/i.test(labels[0] ?? '')
}
