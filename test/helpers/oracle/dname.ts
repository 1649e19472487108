import { types } from '../../../src/dns/codes.ts'
import { maxNameOctets, type Name } from '../../../src/dns/name.ts'
import type { Rrset } from '../../../src/zone/rrset.ts'

/** Returns `qname` with its suffix `owner` replaced by `target`, or undefined where that is too long to be
 *  a name (the YXDOMAIN of RFC 6672 section 2.2). `qname` must be below `owner`. Case is kept. */
export function substituteDname(
  qname: Name,
  { owner, target }: { owner: Name; target: Name },
): Name | undefined {
  const keptOctets = qname.length - owner.length
  if (keptOctets + target.length > maxNameOctets) return undefined
  return (qname.slice(0, keptOctets) + target) as Name
}

/** Returns the CNAME for resolvers that do not support DNAME. It has the TTL of the DNAME it
 *  came from (RFC 6672 section 3.1). */
export function synthesizeCname(target: Name, dname: Rrset): Rrset {
  const rdata = new Uint8Array(target.length)
  for (let i = 0; i < target.length; i += 1) rdata[i] = target.charCodeAt(i)
  return { type: types.CNAME, ttlSeconds: dname.ttlSeconds, rdatas: [rdata] }
}
