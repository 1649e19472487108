import type { Name } from '../../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'

// The interface between answering and storing. The general answering code knows a zone only by these types, so any
// implementation of them can be served: the table in shared memory, or the reference that tests compare it with.

/** The result of a zone for one name and type (RFC 1034 section 4.3.2, one step). Each case carries only what
 *  its response needs; a new case is a compile error in every switch over `kind`. */
export type Lookup =
  /** Data of the type asked for, or for ANY one RRset of the name. Owned by the name that was looked up,
   *  wildcard or not. */
  | { readonly kind: 'hit'; readonly rrset: Rrset }
  /** The name is an alias: `rrset` is its CNAME, owned by the name that was looked up. */
  | { readonly kind: 'cname'; readonly rrset: Rrset }
  /** The name is below a DNAME, which renames it (RFC 6672). */
  | { readonly kind: 'dname'; readonly dname: OwnedRrset }
  /** The name is at or below a cut; `ns` is the NS RRset of the highest one. */
  | { readonly kind: 'referral'; readonly ns: OwnedRrset }
  /** The name exists, the type does not. `soa` already has the negative TTL (RFC 2308 section 3). */
  | { readonly kind: 'nodata'; readonly soa: OwnedRrset }
  /** The name does not exist and no wildcard stands in for it. */
  | { readonly kind: 'nxdomain'; readonly soa: OwnedRrset }

/** One zone, as the answering code sees it. All names that go in are lower-case. */
export type ServedZone = {
  /** Lower-case. */
  readonly apex: Name
  /** Whether this is a secondary whose data has outlived SOA EXPIRE: it must not be served. */
  readonly isExpired: boolean
  /** `qname` must be at or below the apex. O(labels of qname). */
  lookup(qname: Name, qtype: number): Lookup
  /** Returns the A and AAAA RRsets to offer for a name in an additional section, glue below cuts and
   *  wildcard expansions included; none for a name outside the zone. O(labels of name). */
  findAddresses(name: Name): readonly Rrset[]
  /** The signing data of a zone with signatures. */
  readonly dnssec?: ZoneDnssec | undefined
}

/** Signatures, and the NSEC or NSEC3 records that deny names. */
export type ZoneDnssec = {
  readonly apex: Name
  /** Whether the name exists, with data or only names below it. */
  exists(name: Name): boolean
  /** Whether a cut has a DS. */
  dsAt(cut: Name): Rrset | undefined
  /** The octets of NSEC3PARAM. */
  readonly nsec3Param: Uint8Array | undefined
  /** Returns the RRSIG that cover an RRset of exactly this owner, in lower case, with its TTL. */
  signatureOf(owner: Name, rrset: Rrset): Rrset | undefined
  /** All NSEC or NSEC3 records of the zone, in no order. */
  readonly nsecs: readonly OwnedRrset[]
  readonly nsec3s: readonly OwnedRrset[]
}

/** The zones of one target, as the answering code sees them. */
export type ServedZones = {
  /** Returns the zone with the longest apex that `qname` (lower-case) is at or below. */
  find(qname: Name): ServedZone | undefined
}
