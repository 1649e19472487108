import { frameOctetsOf, partsOf, segmentHeaderLength } from '../../src/durable/log-segment.ts'

/** Where the room for later appends begins in a sound segment of a log. */
export function logEndOf(octets: Buffer = Buffer.alloc(0)): number {
  const last = [...partsOf(octets)].at(-1)
  return last?.kind === 'batch' ? last.at + frameOctetsOf(last.batch) : segmentHeaderLength
}

/** A sound segment of a log without its room. */
export function withoutRoom(octets: Buffer): Buffer {
  return octets.subarray(0, logEndOf(octets))
}
