import { type Name, nameFromOctets } from '../../../src/dns/name.ts'
import { targetOffset } from '../../../src/dns/rdata/index.ts'

/** Returns the name that NS, CNAME, DNAME, PTR, MX, SRV, SVCB and HTTPS point at, case as given; undefined
 *  for other types. The root means "none" in MX and SRV, and the owner itself in SVCB and HTTPS. */
export function targetName(type: number, rdata: Uint8Array): Name | undefined {
  const offset = targetOffset(type)
  return offset === undefined ? undefined : nameFromOctets(rdata, offset)
}
