import { types } from '../../../src/dns/codes.ts'
import { isAtOrBelow, lowerCaseName, type Name } from '../../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'
import type { ChainEnd } from './answer-section.ts'
import type { Response } from './response.ts'
import type { ServedZone } from './served-zone.ts'
import { putSignature, sourceOf } from './signatures.ts'
import { targetName } from './target-name.ts'

/** The maximum number of names with additional addresses; an RRset with more is large enough without them. */
export const maxOptionalTargets = 32

/** Types whose addresses the client will want next. */
export const typesWithTargets: readonly number[] = [
  types.NS,
  types.MX,
  types.SRV,
  types.SVCB,
  types.HTTPS,
]

/** Puts the additional section: glue, which a referral is useless without, and addresses that merely save
 *  the client a query. Only from the zone that answered, which is not authoritative for others. */
export function putAdditionals({ zone, owner, found }: ChainEnd, response: Response): void {
  if (found.kind === 'referral') putGlue(zone, found.ns, response)
  else if (found.kind === 'hit' && typesWithTargets.includes(found.rrset.type)) {
    putOffers(zone, targetsOf(found.rrset, owner), response)
  }
}

function putGlue(zone: ServedZone, ns: OwnedRrset, response: Response): void {
  const cut = lowerCaseName(ns.owner)
  const others = new Map<Name, Name>()
  for (const [key, target] of targetsOf(ns, ns.owner)) {
    if (!isAtOrBelow(key, cut)) {
      others.set(key, target)
      continue
    }
    // RFC 9471 section 3.1: all glue for in-domain servers, or TC.
    for (const rrset of zone.findAddresses(key)) response.putRequired('additional', target, rrset)
    if (response.isTruncated) return
  }
  // RFC 9471 section 3.2: glue for sibling servers, and addresses we happen to have, as far as they fit.
  putOffers(zone, others, response)
}

function putOffers(zone: ServedZone, targets: ReadonlyMap<Name, Name>, response: Response): void {
  let offerCount = 0
  for (const [key, target] of targets) {
    offerCount += 1
    if (offerCount > maxOptionalTargets) return
    for (const rrset of zone.findAddresses(key)) {
      const isPut = response.putOptional('additional', target, rrset)
      if (!isPut || zone.dnssec === undefined) continue
      const source = sourceOf(zone.dnssec, key)
      const signed = { owner: target, source, zone: zone.dnssec, rrset }
      putSignature(response, 'additional', signed)
    }
  }
}

/** Returns the names an RRset points at, each once: lower-case to case as given. */
function targetsOf(rrset: Rrset, owner: Name): Map<Name, Name> {
  const targets = new Map<Name, Name>()
  for (const rdata of rrset.rdatas) {
    const named = targetName(rrset.type, rdata)
    const target = named?.length === 1 ? rootTarget(rrset.type, rdata, owner) : named
    if (target === undefined) continue
    if (!targets.has(lowerCaseName(target))) targets.set(lowerCaseName(target), target)
  }
  return targets
}

/** RFC 9460 section 2.5: in service mode the target `.` is the owner itself; elsewhere `.` is "no service". */
function rootTarget(type: number, rdata: Uint8Array, owner: Name): Name | undefined {
  const isServiceBinding = type === types.SVCB || type === types.HTTPS
  const isAliasMode = rdata[0] === 0 && rdata[1] === 0
  return isServiceBinding && !isAliasMode ? owner : undefined
}
