import { rdataLengthOctets as lengthOctets, type RrsetOctets } from '../../dns/rrset-octets.ts'
import type { Rrset } from '../rrset.ts'
import { rrsetOfOctets } from '../rrset-octets.ts'
import {
  countShift,
  list,
  listTag,
  plainItemWords,
  rrset,
  signedItemWords,
  typeMask,
} from './layout.ts'
import { offsetInWindow, type TableMemory } from './memory.ts'
import type { TableStore } from './table-store.ts'

// RRsets in the memory of a table, and the lists of a node that has several. Neither ever changes: a change writes a
// new block, and one word of the node publishes it, so a reader finds all of a name's RRsets as they were at one
// moment.

const maxRecords = 0xffff
/** A thousand times more than any message can carry. */
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
  // For the few octets of most RRsets this is quicker than a call of `set`.
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

/** Returns the serial of a SOA, the first of the numbers that end its rdata (RFC 1035 section 3.3.13). */
export function soaSerialOf(memory: TableMemory, ref: number): number {
  return soaNumberOf(memory, ref, 0)
}

/** Returns the EXPIRE of a SOA, the fourth of them. */
export function soaExpireOf(memory: TableMemory, ref: number): number {
  return soaNumberOf(memory, ref, 3)
}

function soaNumberOf(memory: TableMemory, ref: number, index: number): number {
  const octets = memory.windowOf(ref)
  const at = offsetInWindow(ref + rrset.rdatas)
  const length = ((octets[at] as number) << 8) | (octets[at + 1] as number)
  const numberAt = at + lengthOctets + length - soaNumbersOctets + 4 * index
  let number = 0
  for (let i = 0; i < 4; i += 1) number = number * 256 + (octets[numberAt + i] as number)
  return number
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
  const at = itemAt(words, data - listTag, type)
  return at === 0 ? 0 : (words[at + 1] as number)
}

/** Returns the RRSIG RRset that covers a type among a node's data, or 0. */
export function findSignature(words: Int32Array, data: number, type: number): number {
  if ((data & listTag) === 0) return 0
  if (words[data - listTag + list.itemWords] !== signedItemWords) return 0
  const at = itemAt(words, data - listTag, type)
  return at === 0 ? 0 : (words[at + 2] as number)
}

/** Returns where the item of a type is in a list, or 0. */
function itemAt(words: Int32Array, ref: number, type: number): number {
  const itemWords = words[ref + list.itemWords] as number
  let at = ref + list.items
  for (let left = words[ref + list.count] as number; left > 0; left -= 1) {
    if (words[at] === type) return at
    at += itemWords
  }
  return 0
}

/** A node's data of one type: the RRset, and the RRSIG RRset that covers it; 0 for an absent one. */
export type DataItem = {
  readonly type: number
  readonly rrset: number
  readonly signature: number
}

/** Returns all items of a node's data, ascending by type. */
export function itemsOf(words: Int32Array, data: number): DataItem[] {
  if (data === 0) return []
  if ((data & listTag) === 0) return [{ type: typeOf(words, data), rrset: data, signature: 0 }]
  const ref = data - listTag
  const itemWords = words[ref + list.itemWords] as number
  const items: DataItem[] = []
  let at = ref + list.items
  for (let left = words[ref + list.count] as number; left > 0; left -= 1) {
    const signature = itemWords === signedItemWords ? (words[at + 2] as number) : 0
    items.push({ type: words[at] as number, rrset: words[at + 1] as number, signature })
    at += itemWords
  }
  return items
}

/** Returns all blocks of a node's data but the list. */
export function blocksOf(words: Int32Array, data: number): number[] {
  if (data !== 0 && (data & listTag) === 0) return [data]
  return itemsOf(words, data).flatMap(({ rrset, signature }) =>
    [rrset, signature].filter(block => block !== 0),
  )
}

/** Returns all RRsets of a node's data but signatures, ascending by type. */
export function rrsetsOf(words: Int32Array, data: number): number[] {
  if (data === 0) return []
  if ((data & listTag) === 0) return [data]
  return itemsOf(words, data).flatMap(({ rrset }) => (rrset === 0 ? [] : [rrset]))
}

/** Returns node data of these items, ascending by type, as one word. */
export function writeData(store: TableStore, items: readonly DataItem[]): number {
  const [first] = items
  if (first === undefined) return 0
  const isSigned = items.some(({ signature }) => signature !== 0)
  if (items.length === 1 && !isSigned) return first.rrset
  const { words } = store
  const itemWords = isSigned ? signedItemWords : plainItemWords
  const ref = store.allocate(list.items + itemWords * items.length)
  words[ref + list.count] = items.length
  words[ref + list.itemWords] = itemWords
  let at = ref + list.items
  for (const { type, rrset, signature } of items) {
    words[at] = type
    words[at + 1] = rrset
    if (isSigned) words[at + 2] = signature
    at += itemWords
  }
  return ref + listTag
}

/** Retires a list, but not the RRsets in it. */
export function retireList(store: TableStore, data: number): void {
  if ((data & listTag) !== 0) store.retire(data - listTag)
}
