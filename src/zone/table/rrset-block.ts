import { rdataLengthOctets as lengthOctets, type RrsetOctets } from '../../dns/rrset-octets.ts'
import type { Rrset } from '../rrset.ts'
import { rrsetOfOctets } from '../rrset-octets.ts'
import { countShift, list, listTag, rrset, typeMask } from './layout.ts'
import { offsetInWindow, type TableMemory } from './memory.ts'
import type { TableStore } from './table-store.ts'

// RRsets in the memory of a table, and the lists of a node that has several. Neither ever changes: what is new
// is a new block, and one word of the node makes it known, so a reader finds all of a name's RRsets as they
// were at one moment.

const maxRecords = 0xffff
/** More than any message can carry a thousand times over. */
const maxRrsetOctets = 2 ** 26
const maxLoopOctets = 64
/** Serial and timers of a SOA. */
const soaNumbersOctets = 20

/** Returns the octets of an RRset's block.
 *  @throws RangeError it has no record, or too many or too long ones. */
export function blockOctets({ recordCount, rdatasAt, rdatasEnd }: RrsetOctets): number {
  if (recordCount === 0) throw new RangeError('an RRset has at least one record')
  if (recordCount > maxRecords) throw new RangeError(`an RRset has at most ${maxRecords} records`)
  const octets = rrset.rdatas * 4 + rdatasEnd - rdatasAt
  if (octets > maxRrsetOctets) throw new RangeError('the RRset is too large to be served')
  return octets
}

/** Writes an RRset to a block of its own. */
export function writeRrset(store: TableStore, input: RrsetOctets): number {
  const ref = store.allocate((blockOctets(input) + 3) >> 2)
  fillRrset(store.memory, ref, input)
  return ref
}

/** Writes an RRset to where there is room for it. */
export function fillRrset(memory: TableMemory, ref: number, input: RrsetOctets): void {
  const { octets: source, rdatasAt, rdatasEnd } = input
  memory.words[ref + rrset.head] = input.type | (input.recordCount << countShift)
  memory.words[ref + rrset.ttlSeconds] = input.ttlSeconds
  const octets = memory.windowOf(ref)
  const at = offsetInWindow(ref + rrset.rdatas)
  // For the few octets of most RRsets that is quicker than a call of `set`.
  if (rdatasEnd - rdatasAt > maxLoopOctets) octets.set(source.subarray(rdatasAt, rdatasEnd), at)
  else for (let i = rdatasAt; i < rdatasEnd; i += 1) octets[at + i - rdatasAt] = source[i] as number
}

/** Returns a copy of an RRset. */
export function readRrset(memory: TableMemory, ref: number): Rrset {
  const head = memory.words[ref + rrset.head] as number
  const rdatasAt = offsetInWindow(ref + rrset.rdatas)
  return rrsetOfOctets({
    octets: memory.windowOf(ref),
    type: head & typeMask,
    ttlSeconds: (memory.words[ref + rrset.ttlSeconds] as number) >>> 0,
    recordCount: head >>> countShift,
    rdatasAt,
  })
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
