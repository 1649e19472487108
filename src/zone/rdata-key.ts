import { types } from '../dns/codes.ts'
import { lowerCaseName, type Name } from '../dns/name.ts'
import { targetOffset } from '../dns/rdata/index.ts'

const typesOfNames: ReadonlySet<number> = new Set([
  types.NS,
  types.CNAME,
  types.PTR,
  types.MX,
  types.SRV,
  types.DNAME,
])

/** A key that two records of a type share exactly if they are the same record: names in data compare without regard to
 *  case (RFC 2136 section 1.1.1). */
export function rdataKey(type: number, rdata: Uint8Array): string {
  const octets = Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('latin1')
  const nameAt = typesOfNames.has(type) ? targetOffset(type) : undefined
  if (nameAt === undefined) return octets
  return octets.slice(0, nameAt) + lowerCaseName(octets.slice(nameAt) as Name)
}
