import { types } from '../../../src/dns/codes.ts'
import { type Name, parentName, rootName } from '../../../src/dns/name.ts'
import type { ServedZone, ServedZones } from './served-zone.ts'

/** Returns the zone that speaks for a name (lower-case) and type: the one with the longest matching apex,
 *  but for DS at an apex the zone above it, where that one is ours too and knows the name (RFC 4035
 *  section 3.1.4.1). Where it does not know it, nothing delegates the child from here, and NXDOMAIN for the
 *  name of a zone we serve would cut that zone off in resolvers that follow RFC 8020. */
export function findZone(zones: ServedZones, qname: Name, qtype: number): ServedZone | undefined {
  const zone = zones.find(qname)
  if (qtype !== types.DS || zone === undefined || zone.apex !== qname || qname === rootName) {
    return zone
  }
  const parent = zones.find(parentName(qname))
  if (parent === undefined || parent.isExpired) return zone
  return parent.lookup(qname, qtype).kind === 'nxdomain' ? zone : parent
}
