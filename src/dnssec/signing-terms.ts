import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import type { Rrset } from '../zone/rrset.ts'
import type { Denial } from './denial.ts'
import { apexKeyTypes, type DsDigest, type ZoneKey } from './key.ts'
import { dnskeyTtlSeconds } from './policy.ts'
import { isPending, isServed } from './presence.ts'
import { type KeyRecords, wantsDs } from './views.ts'

/** The keys and settings that a zone is signed with, and the time. */
export type SigningTerms = {
  /** The RRsets of the types that the server makes at the apex. */
  readonly apexRrsets: readonly Rrset[]
  /** Sign those RRsets. */
  readonly keySigners: readonly ZoneKey[]
  /** Sign all others. */
  readonly zoneSigners: readonly ZoneKey[]
  /** For a zone that is signed as a whole; later it keeps its kind. */
  readonly denial: Denial
  readonly nowSeconds: number
}

/** RFC 8078 section 4: no DS is wanted any more. */
const deletion = {
  cds: new Uint8Array([0, 0, 0, 0, 0]),
  cdnskey: new Uint8Array([0, 0, 3, 0, 0]),
}

/** Returns the signing terms that follow from the states of a zone's keys. CDS and CDNSKEY are published while the
 *  parent has something to change (RFC 7344 section 4). */
export function termsOf(
  keys: readonly (KeyRecords & { readonly key: ZoneKey })[],
  {
    apex,
    digests,
    denial,
    nowSeconds,
  }: {
    readonly apex: Name
    readonly digests: readonly DsDigest[]
    readonly denial: Denial
    readonly nowSeconds: number
  },
): SigningTerms {
  const published = keys.filter(({ dnskey }) => isServed(dnskey))
  const signing = keys.filter(({ zoneSignatures: it }) => it !== null && isServed(it))
  const apexRrsets = [
    rrsetOf(
      types.DNSKEY,
      published.map(({ key }) => key.dnskey),
    ),
  ]
  if (keys.some(({ ds }) => ds !== null && isPending(ds))) {
    const wanted = keys.filter(wantsDs).map(({ key }) => key)
    const cds = wanted.flatMap(key => digests.map(digest => key.ds(apex, digest)))
    const cdnskeys = wanted.map(({ dnskey }) => dnskey)
    apexRrsets.push(rrsetOf(types.CDS, cds.length === 0 ? [deletion.cds] : cds))
    apexRrsets.push(rrsetOf(types.CDNSKEY, cdnskeys.length === 0 ? [deletion.cdnskey] : cdnskeys))
  }
  return {
    apexRrsets,
    keySigners: published.filter(({ ds }) => ds !== null).map(({ key }) => key),
    zoneSigners: signing.map(({ key }) => key),
    denial,
    nowSeconds,
  }
}

function rrsetOf(type: number, rdatas: readonly Uint8Array[]): Rrset {
  return { type, ttlSeconds: dnskeyTtlSeconds, rdatas: [...rdatas] }
}

/** The keys that sign RRsets of a type. */
export function signersOf(
  terms: Pick<SigningTerms, 'keySigners' | 'zoneSigners'>,
  type: number,
): readonly ZoneKey[] {
  return apexKeyTypes.has(type) ? terms.keySigners : terms.zoneSigners
}
