import { lowerCaseName, type Name, parentName } from '../../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'
import type { Response, Section } from './response.ts'
import type { Lookup, ZoneDnssec } from './served-zone.ts'

/** Puts the signature of an RRset that has been put (RFC 4035 section 3.1.1). `source` owns it in the zone, which for a
 *  wildcard is not the name that the answer gives it. */
export function putSignature(
  response: Response,
  section: Section,
  {
    owner,
    zone,
    rrset,
    source = owner,
  }: { owner: Name; source?: Name; zone: ZoneDnssec | undefined; rrset: Rrset },
): void {
  if (!response.isDnssecOk || zone === undefined) return
  const signature = zone.signatureOf(lowerCaseName(source), rrset)
  if (signature === undefined) return
  if (section === 'additional') response.putOptional(section, owner, signature)
  else response.putRequired(section, owner, signature)
}

/** The owner of the data found at a name: the name itself, or the wildcard that covers it (RFC 4592). */
export function sourceOf(zone: ZoneDnssec, name: Name): Name {
  const key = lowerCaseName(name)
  return zone.exists(key) ? key : wildcardBelow(closestEncloser(zone, key))
}

export function closestEncloser(zone: ZoneDnssec, name: Name): Name {
  for (let above = name; ; above = parentName(above)) if (zone.exists(above)) return above
}

export function wildcardBelow(name: Name): Name {
  return `\x01*${name}` as Name
}

/** Whether the answer has data that the name itself does not own. */
export function isExpanded(zone: ZoneDnssec, name: Name, found: Lookup): boolean {
  const isData = found.kind === 'hit' || found.kind === 'cname' || found.kind === 'nodata'
  return isData && !zone.exists(lowerCaseName(name))
}

/** An RRset of the authority section, with what signs it. */
export type Proof = OwnedRrset & { readonly zone: ZoneDnssec }

/** Puts proofs, each once. */
export function putProofs(response: Response, proofs: readonly Proof[]): void {
  const put = new Set<string>()
  for (const { owner, zone, ...rrset } of proofs) {
    const key = `${zone.apex} ${lowerCaseName(owner)}`
    if (put.has(key)) continue
    put.add(key)
    response.putRequired('authority', owner, rrset)
    putSignature(response, 'authority', { owner, zone, rrset })
  }
}
