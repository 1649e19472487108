import type { OwnedRrset } from '../../../src/zone/rrset.ts'
import { soaNumbers } from '../../../src/zone/soa.ts'

/** Returns the SOA as negative answers carry it: its TTL is how long "no" may be cached, the smaller of
 *  its own TTL and MINIMUM (RFC 2308 section 5). */
export function negativeSoa(soa: OwnedRrset): OwnedRrset {
  const ttlSeconds = Math.min(soa.ttlSeconds, soaNumbers(soa).minimumSeconds)
  return { owner: soa.owner, type: soa.type, ttlSeconds, rdatas: soa.rdatas }
}
