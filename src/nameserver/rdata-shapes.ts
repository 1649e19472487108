import { rdataTypes, targetOffset } from '../dns/rdata/index.ts'

// The positions of names in rdata that an answer copies, by type: of the names that may be compressed, and of the name
// whose addresses the client will want. Small arrays, because they are read for each record.

/** Types above this one have neither. */
const typeCount = 256

const prefixOctets = new Uint8Array(typeCount)
const nameCounts = new Uint8Array(typeCount)
const targetOffsets = new Int8Array(typeCount).fill(-1)

for (let type = 0; type < typeCount; type += 1) {
  const compression = rdataTypes.get(type)?.compression
  if (compression !== undefined) {
    prefixOctets[type] = compression.prefixOctets
    nameCounts[type] = compression.nameCount
  }
  targetOffsets[type] = targetOffset(type) ?? -1
}

/** How many names of the rdata may be compressed. */
export function compressibleNames(type: number): number {
  return type < typeCount ? (nameCounts[type] as number) : 0
}

/** Octets in front of the first of them. */
export function octetsBeforeNames(type: number): number {
  return prefixOctets[type] as number
}

/** Octets in front of the name that the record points at; -1 for types without one. */
export function octetsBeforeTarget(type: number): number {
  return type < typeCount ? (targetOffsets[type] as number) : -1
}
