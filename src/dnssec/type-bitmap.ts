import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import type { Rrset } from '../zone/rrset.ts'

/** The NSEC RRset of a name (RFC 4034 section 4). `ownTypes` are those that its zone is authoritative for; the name also has NSEC
 *  and RRSIG. */
export function nsecRrset(next: Name, ownTypes: readonly number[], ttlSeconds: number): Rrset {
  const bitmap = typeBitmap([...ownTypes, types.NSEC, types.RRSIG])
  const rdata = Buffer.concat([Buffer.from(next, 'latin1'), bitmap])
  return { type: types.NSEC, ttlSeconds, rdatas: [new Uint8Array(rdata)] }
}

/** RFC 4034 section 4.1.2. */
export function typeBitmap(list: readonly number[]): Buffer {
  const byWindow = Map.groupBy(new Set(list), type => type >>> 8)
  const windows = [...byWindow].sort(([one], [other]) => one - other)
  return Buffer.concat(
    windows.map(([window, ofWindow]) => {
      const octets = Buffer.alloc(1 + (Math.max(...ofWindow.map(type => type & 0xff)) >> 3))
      for (const type of ofWindow) {
        const at = (type & 0xff) >> 3
        octets[at] = (octets[at] as number) | (0x80 >> (type & 7))
      }
      return Buffer.from([window, octets.length, ...octets])
    }),
  )
}
