import { lowerCaseName, type Name } from '../../../src/dns/name.ts'
import type { ChainEnd } from './answer-section.ts'
import type { Response } from './response.ts'
import type { Lookup, ZoneDnssec } from './served-zone.ts'
import { putProofs, putSignature } from './signatures.ts'

/** Puts the authority section. A positive answer has none: the NS of a zone whose servers the client is
 *  just talking to are not worth their octets. */
export function putAuthority({ found, zone, proofs }: ChainEnd, response: Response): void {
  putOfKind(found, zone.dnssec, response)
  putProofs(response, proofs)
}

function putOfKind(found: Lookup, zone: ZoneDnssec | undefined, response: Response): void {
  switch (found.kind) {
    case 'referral':
      response.putRequired('authority', found.ns.owner, found.ns)
      putDs(zone, found.ns.owner, response)
      return
    case 'nodata':
    case 'nxdomain':
      // RFC 2308 section 3: without the SOA a negative answer cannot be cached.
      response.putRequired('authority', found.soa.owner, found.soa)
      putSignature(response, 'authority', { owner: found.soa.owner, zone, rrset: found.soa })
      return
    case 'hit':
    case 'cname':
    case 'dname':
      return
    default:
      found satisfies never
  }
}

/** RFC 4035 section 3.1.4. */
function putDs(zone: ZoneDnssec | undefined, cut: Name, response: Response): void {
  const rrset = response.isDnssecOk ? zone?.dsAt(lowerCaseName(cut)) : undefined
  if (rrset === undefined) return
  response.putRequired('authority', cut, rrset)
  putSignature(response, 'authority', { owner: cut, zone, rrset })
}
