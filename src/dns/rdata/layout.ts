import { types } from '../codes.ts'
import { nameFromOctets } from '../name.ts'
import type { Writer } from '../writer.ts'
import type { CompressionLayout } from './define-rdata.ts'

/** Writes an rdata whose names may be compressed, straight from its octets. */
export function writeCompressed(
  writer: Writer,
  rdata: Uint8Array,
  { prefixOctets, nameCount }: CompressionLayout,
): void {
  if (prefixOctets > 0) writer.octets(rdata.subarray(0, prefixOctets))
  let at = prefixOctets
  for (let i = 0; i < nameCount; i += 1) {
    const name = nameFromOctets(rdata, at)
    writer.compressedName(name)
    at += name.length
  }
  if (at < rdata.length) writer.octets(rdata.subarray(at))
}

/** Octets in front of the name that a record points at. The root means "none" in MX and SRV, and the owner itself in SVCB
 *  and HTTPS. */
const targetOffsets = new Map<number, number>([
  [types.NS, 0],
  [types.CNAME, 0],
  [types.DNAME, 0],
  [types.PTR, 0],
  [types.MX, 2],
  [types.SVCB, 2],
  [types.HTTPS, 2],
  [types.SRV, 6],
])

/** Returns how many octets of the rdata are in front of the name it points at; undefined for types without one. */
export function targetOffset(type: number): number | undefined {
  return targetOffsets.get(type)
}
