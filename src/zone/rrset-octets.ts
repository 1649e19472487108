import type { Name } from '../dns/name.ts'
import { type RrsetOctets, rdataEnd, rdataLengthOctets } from '../dns/rrset-octets.ts'
import type { Rrset } from './rrset.ts'

/** Most RRsets fit into it; a larger one gets memory of its own. */
const scratch = new Uint8Array(2 ** 12)

/** An RRset as octets, to be used before the next call. */
export function octetsOfRrset(owner: Name, { type, ttlSeconds, rdatas }: Rrset): RrsetOctets {
  let length = owner.length
  for (const rdata of rdatas) length += rdataLengthOctets + rdata.length
  const octets = length <= scratch.length ? scratch : new Uint8Array(length)
  for (let i = 0; i < owner.length; i += 1) octets[i] = owner.charCodeAt(i)
  let at = owner.length
  for (const rdata of rdatas) {
    octets[at] = rdata.length >>> 8
    octets[at + 1] = rdata.length
    octets.set(rdata, at + rdataLengthOctets)
    at += rdataLengthOctets + rdata.length
  }
  const places = { ownerAt: 0, rdatasAt: owner.length, rdatasEnd: at }
  return { octets, type, ttlSeconds, recordCount: rdatas.length, ...places }
}

/** An RRset as a value, of copies. */
export function rrsetOfOctets(from: Omit<RrsetOctets, 'ownerAt' | 'rdatasEnd'>): Rrset {
  const { octets, type, ttlSeconds, recordCount } = from
  const rdatas: Uint8Array[] = []
  let at = from.rdatasAt
  for (let left = recordCount; left > 0; left -= 1) {
    const end = rdataEnd(octets, at)
    rdatas.push(new Uint8Array(octets.subarray(at + rdataLengthOctets, end)))
    at = end
  }
  return { type, ttlSeconds, rdatas }
}
