import type { Rrset } from '../rrset.ts'
import { countShift, list, listTag, rrset, typeMask } from './layout.ts'
import { offsetInWindow, type TableMemory } from './memory.ts'
import type { TableStore } from './table-store.ts'

// RRsets in the memory of a table, and the lists of a node that has several. Neither ever changes: what is new
// is a new block, and one word of the node makes it known, so a reader finds all of a name's RRsets as they
// were at one moment.

const maxRecords = 0xffff
/** More than any message can carry a thousand times over. */
const maxRrsetOctets = 2 ** 26
const lengthOctets = 2
/** Serial and timers of a SOA. */
const soaNumbersOctets = 20

/** Returns the octets of an RRset's block.
 *  @throws RangeError it has no record, or too many or too long ones. */
export function rrsetOctets({ rdatas }: Rrset): number {
  if (rdatas.length === 0) throw new RangeError('an RRset has at least one record')
  if (rdatas.length > maxRecords) throw new RangeError(`an RRset has at most ${maxRecords} records`)
  let octets = rrset.rdatas * 4
  for (const rdata of rdatas) octets += lengthOctets + rdata.length
  if (octets > maxRrsetOctets) throw new RangeError('the RRset is too large to be served')
  return octets
}

/** Writes an RRset to a block of its own. */
export function writeRrset(store: TableStore, input: Rrset): number {
  const ref = store.allocate((rrsetOctets(input) + 3) >> 2)
  fillRrset(store.memory, ref, input)
  return ref
}

/** Writes an RRset to where there is room for it. */
export function fillRrset(
  memory: TableMemory,
  ref: number,
  { type, ttlSeconds, rdatas }: Rrset,
): void {
  memory.words[ref + rrset.head] = type | (rdatas.length << countShift)
  memory.words[ref + rrset.ttlSeconds] = ttlSeconds
  const octets = memory.windowOf(ref)
  let at = offsetInWindow(ref + rrset.rdatas)
  for (const rdata of rdatas) {
    octets[at] = rdata.length >>> 8
    octets[at + 1] = rdata.length
    octets.set(rdata, at + lengthOctets)
    at += lengthOctets + rdata.length
  }
}

/** Returns a copy of an RRset. */
export function readRrset(memory: TableMemory, ref: number): Rrset {
  const head = memory.words[ref + rrset.head] as number
  const octets = memory.windowOf(ref)
  const rdatas: Uint8Array[] = []
  let at = offsetInWindow(ref + rrset.rdatas)
  for (let i = head >>> countShift; i > 0; i -= 1) {
    const end = at + lengthOctets + (((octets[at] as number) << 8) | (octets[at + 1] as number))
    rdatas.push(new Uint8Array(octets.subarray(at + lengthOctets, end)))
    at = end
  }
  const ttlSeconds = (memory.words[ref + rrset.ttlSeconds] as number) >>> 0
  return { type: head & typeMask, ttlSeconds, rdatas }
}

/** Returns the serial of a SOA: in front of the four timers that end its rdata (RFC 1035 section 3.3.13). */
export function soaSerialOf(memory: TableMemory, ref: number): number {
  const octets = memory.windowOf(ref)
  const at = offsetInWindow(ref + rrset.rdatas)
  const length = ((octets[at] as number) << 8) | (octets[at + 1] as number)
  const serialAt = at + lengthOctets + length - soaNumbersOctets
  let serial = 0
  for (let i = 0; i < 4; i += 1) serial = serial * 256 + (octets[serialAt + i] as number)
  return serial
}

/** Returns the type of an RRset. */
export function typeOf(words: Int32Array, ref: number): number {
  return (words[ref + rrset.head] as number) & typeMask
}

/** Returns how many records an RRset has. */
export function recordCountOf(words: Int32Array, ref: number): number {
  return (words[ref + rrset.head] as number) >>> countShift
}

/** Returns the RRset of a type among a node's data, or 0. */
export function findRrset(words: Int32Array, data: number, type: number): number {
  if (data === 0) return 0
  if ((data & listTag) === 0) return typeOf(words, data) === type ? data : 0
  const itemsAt = data - listTag + list.items
  const end = itemsAt + 2 * (words[data - listTag + list.count] as number)
  for (let at = itemsAt; at < end; at += 2) if (words[at] === type) return words[at + 1] as number
  return 0
}

/** Returns all RRsets of a node's data, ascending by type. */
export function rrsetsOf(words: Int32Array, data: number): number[] {
  if (data === 0) return []
  if ((data & listTag) === 0) return [data]
  const ref = data - listTag
  const count = words[ref + list.count] as number
  return Array.from({ length: count }, (_, i) => words[ref + list.items + 2 * i + 1] as number)
}

/** Returns node data of these RRsets, ascending by type: one word that says it all. */
export function writeData(store: TableStore, rrsets: readonly number[]): number {
  const [first = 0] = rrsets
  if (rrsets.length < 2) return first
  const { words } = store
  const ref = store.allocate(list.items + 2 * rrsets.length)
  words[ref + list.count] = rrsets.length
  rrsets.forEach((each, i) => {
    words[ref + list.items + 2 * i] = typeOf(words, each)
    words[ref + list.items + 2 * i + 1] = each
  })
  return ref + listTag
}

/** Gives back a list, but not what is listed. */
export function retireList(store: TableStore, data: number): void {
  if ((data & listTag) !== 0) store.retire(data - listTag)
}
