import { types } from '../codes.ts'
import { lowerCaseName, type Name } from '../name.ts'
import { latin1 } from './fields/strings.ts'
import { targetOffset } from './index.ts'

const typesOfNames: ReadonlySet<number> = new Set([
  types.NS,
  types.CNAME,
  types.PTR,
  types.MX,
  types.SRV,
  types.DNAME,
])

/** A key that two records of a type share exactly if they are the same record: names in data compare without regard to
 *  case (RFC 2136 section 1.1.1, RFC 4034 section 6.2). */
export function rdataKey(type: number, rdata: Uint8Array): string {
  const octets = latin1(rdata)
  const nameAt = mayDifferInCase(type) ? targetOffset(type) : undefined
  if (nameAt === undefined) return octets
  return octets.slice(0, nameAt) + lowerCaseName(octets.slice(nameAt) as Name)
}

/** Whether records of a type may be the same although their octets differ. */
export function mayDifferInCase(type: number): boolean {
  return typesOfNames.has(type)
}
