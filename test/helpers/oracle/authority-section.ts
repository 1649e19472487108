import type { Response } from './response.ts'
import type { Lookup } from './served-zone.ts'

/** Puts the authority section. A positive answer has none: the NS of a zone whose servers the client is
 *  just talking to are not worth their octets. */
export function putAuthority(found: Lookup, response: Response): void {
  switch (found.kind) {
    case 'referral':
      response.putRequired('authority', found.ns.owner, found.ns)
      return
    case 'nodata':
    case 'nxdomain':
      // RFC 2308 section 3: without the SOA a negative answer cannot be cached.
      response.putRequired('authority', found.soa.owner, found.soa)
      return
    case 'hit':
    case 'cname':
    case 'dname':
      return
    default:
      found satisfies never
  }
}
