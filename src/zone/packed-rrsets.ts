import {
  lowerCaseName,
  lowerCaseOctet,
  maxNameOctets,
  type Name,
  nameFromOctets,
} from '../dns/name.ts'
import { latin1 } from '../dns/rdata/fields/strings.ts'
import { nameEnd, type RrsetOctets, rdataEnd, rdataLengthOctets } from '../dns/rrset-octets.ts'
import { finishHash, hashStep } from '../hash.ts'
import type { NameContents } from './check.ts'
import { maxTypesPerName } from './defect.ts'
import { PackedRows } from './packed-rows.ts'
import type { OwnedRrset } from './rrset.ts'

// Octets that are only ever appended, in pages of their own: the garbage collector neither scans nor moves them, and
// growth copies nothing. Shared memory does not count among what makes V8 collect all garbage.

/** Longer than any entry: a record has at most 65,535 octets of rdata. */
const pageBits = 20
const pageOctets = 1 << pageBits

/** Octets by their address. */
class PackedOctets {
  readonly #pages: Uint8Array[] = []
  #used = pageOctets

  /** Makes room in one piece; returns its address. `lengthOctets` is at most a page's, 2^20. */
  reserve(lengthOctets: number): number {
    if (this.#used + lengthOctets > pageOctets) {
      this.#pages.push(new Uint8Array(new SharedArrayBuffer(pageOctets)))
      this.#used = 0
    }
    const address = (this.#pages.length - 1) * pageOctets + this.#used
    this.#used += lengthOctets
    return address
  }

  /** The page that an address is in; `offsetOf` says where. */
  pageOf(address: number): Uint8Array {
    return this.#pages[address >>> pageBits] as Uint8Array
  }
}

// Very many RRsets that are built one by one, read once or twice, and discarded: an incoming zone. As objects, a
// million of them are half a gigabyte that the garbage collector moves about while more arrive; here they are octets,
// and a view of one is made on request.
//
// An RRset is a row of eight numbers. Owners, once for each RRset, and records are in the pages, a record with the
// address of the next one of its RRset in front. Owners are found by a hash table in many small parts, none of which
// takes long to grow.

const columns = 8
const column = {
  ownerAt: 0,
  /** With `notFirst`, unless it is the one by which its owner is found. */
  type: 1,
  ttlSeconds: 2,
  firstAt: 3,
  lastAt: 4,
  recordCount: 5,
  /** The next RRset of the same owner, plus one; 0 at the last. */
  next: 6,
  rdataOctets: 7,
} as const

const typeMask = 0xffff
const notFirst = 0x1_0000

/** A record: the address of the next one, where there is one, the length, the octets. */
const lengthAt = 4
const rdataAt = 6

const partCount = 1024
const minSlots = 8

/** From this size on an RRset gets a set of its records, so that finding a repeated record takes no walk. */
const largeRrsetRecords = 16

/** From here on an owner gets a map of its types, for the same reason. */
const manyTypes = 64

/** RRsets by their numbers, from 0 on, in the order they were added. Addresses have 32 bits. */
export class PackedRrsets {
  readonly #octets = new PackedOctets()
  readonly #rows = new PackedRows(columns)
  /** By the low bits of the hash: the hash and the first RRset of each owner, by the other bits. */
  readonly #parts: Int32Array[] = []
  readonly #ownersInPart = new Int32Array(partCount)
  readonly #hashSeed: number
  /** What large RRsets hold. */
  readonly #records = new Map<number, Set<string>>()
  /** Of owners with many types, by their first RRset: its RRsets by type. */
  readonly #types = new Map<number, Map<number, number>>()

  #scratch = new Uint8Array(2 ** 10)
  /** The owner of the last search: as given, in lower case, hashed, and as a name where it was given as one. A caller that does not find
   *  it adds it. */
  readonly #owner = new Uint8Array(maxNameOctets)
  readonly #lowerOwner = new Uint8Array(maxNameOctets)
  #ownerOctets = 0
  #hash = 0
  #name: Name | undefined

  /** `hashSeed` keeps those who choose names from choosing names that collide. */
  constructor(hashSeed: number) {
    this.#hashSeed = hashSeed
  }

  get count(): number {
    return this.#rows.count
  }

  /** The number of the RRset of this owner, in any case, and type; -1 where there is none. */
  find(owner: Name, type: number): number {
    const first = this.firstOf(owner)
    let passed = 0
    for (let i = first; i >= 0; i = this.nextOf(i)) {
      if (this.typeOf(i) === type) return i
      passed += 1
      if (passed === manyTypes) return this.#typesOf(first).get(type) ?? -1
    }
    return -1
  }

  /** The first RRset of an owner, in any case; -1 where it has none. */
  firstOf(owner: Name): number {
    this.#readName(owner)
    return this.#first()
  }

  /** As `firstOf`, of an owner given as the first so many octets. */
  firstOfOctets(owner: Uint8Array, length: number): number {
    this.#name = undefined
    this.#readOwner(owner, length)
    return this.#first()
  }

  /** The next RRset of the same owner; -1 behind the last. */
  nextOf(index: number): number {
    return this.#rows.get(index, column.next) - 1
  }

  typeOf(index: number): number {
    return this.#rows.get(index, column.type) & typeMask
  }

  recordCountOf(index: number): number {
    return this.#rows.get(index, column.recordCount)
  }

  ttlSecondsOf(index: number): number {
    return this.#rows.get(index, column.ttlSeconds) >>> 0
  }

  /** The octets of all its records together. */
  rdataOctetsOf(index: number): number {
    return this.#rows.get(index, column.rdataOctets)
  }

  setTtlSeconds(index: number, ttlSeconds: number): void {
    this.#rows.set(index, column.ttlSeconds, ttlSeconds)
  }

  /** Adds an RRset without records; the owner must not have one of this type. Returns its number. */
  add(owner: Name, type: number, ttlSeconds: number): number {
    this.#readName(owner)
    return this.addToLast(type, ttlSeconds)
  }

  /** As `add`, for the owner of the last search. */
  addToLast(type: number, ttlSeconds: number): number {
    const index = this.#rows.add()
    this.#rows.set(index, column.ownerAt, this.#putOwner())
    this.#rows.set(index, column.type, type)
    this.#rows.set(index, column.ttlSeconds, ttlSeconds)
    this.#link(index)
    return index
  }

  /** Adds a record, the octets between two offsets, unless the RRset already has it: an RRset has no record twice (RFC 2181
   *  section 5). Copies its octets. Returns whether it was new. */
  addRecord(index: number, octets: Uint8Array, from = 0, end = octets.length): boolean {
    const count = this.recordCountOf(index)
    if (count > 0 && this.#holds(index, octets.subarray(from, end))) return false
    const length = end - from
    const address = this.#octets.reserve(rdataAt + length)
    const page = this.#octets.pageOf(address)
    const at = offsetOf(address)
    page[at + lengthAt] = length >>> 8
    page[at + lengthAt + 1] = length
    copyOctets(octets, page, { from, end, to: at + rdataAt })
    if (count === 0) this.#rows.set(index, column.firstAt, address)
    else this.#setNextRecord(this.#rows.get(index, column.lastAt) >>> 0, address)
    this.#rows.set(index, column.lastAt, address)
    this.#rows.set(index, column.recordCount, count + 1)
    this.#rows.set(index, column.rdataOctets, this.rdataOctetsOf(index) + length)
    return true
  }

  /** The owner, in the case it was added in. */
  ownerOf(index: number): Name {
    const address = this.#rows.get(index, column.ownerAt) >>> 0
    return nameFromOctets(this.#octets.pageOf(address), offsetOf(address))
  }

  /** The records in the order they were added, as views whose octets never change. */
  rdatasOf(index: number): Uint8Array[] {
    const rdatas: Uint8Array[] = []
    let address = this.#rows.get(index, column.firstAt) >>> 0
    for (let left = this.recordCountOf(index); left > 0; left -= 1) {
      const page = this.#octets.pageOf(address)
      const at = offsetOf(address)
      const length = ((page[at + lengthAt] as number) << 8) | (page[at + lengthAt + 1] as number)
      rdatas.push(page.subarray(at + rdataAt, at + rdataAt + length))
      address = nextRecord(page, at)
    }
    return rdatas
  }

  /** The RRset as octets, valid until the next call. */
  octetsAt(index: number): RrsetOctets {
    const ownerAddress = this.#rows.get(index, column.ownerAt) >>> 0
    const recordCount = this.recordCountOf(index)
    const needed = maxNameOctets + this.rdataOctetsOf(index) + recordCount * rdataLengthOctets
    if (needed > this.#scratch.length) this.#scratch = new Uint8Array(2 * needed)
    const octets = this.#scratch
    const rdatasAt = copyOctets(this.#octets.pageOf(ownerAddress), octets, {
      from: offsetOf(ownerAddress),
      end: nameEnd(this.#octets.pageOf(ownerAddress), offsetOf(ownerAddress)),
      to: 0,
    })
    let rdatasEnd = rdatasAt
    let address = this.#rows.get(index, column.firstAt) >>> 0
    for (let left = recordCount; left > 0; left -= 1) {
      const page = this.#octets.pageOf(address)
      const at = offsetOf(address)
      const places = { from: at + lengthAt, end: rdataEnd(page, at + lengthAt), to: rdatasEnd }
      rdatasEnd = copyOctets(page, octets, places)
      address = nextRecord(page, at)
    }
    const type = this.typeOf(index)
    const ttlSeconds = this.ttlSecondsOf(index)
    return { octets, ownerAt: 0, rdatasAt, rdatasEnd, type, ttlSeconds, recordCount }
  }

  /** The RRset as a value. */
  at(index: number): OwnedRrset {
    return {
      owner: this.ownerOf(index),
      type: this.typeOf(index),
      ttlSeconds: this.ttlSecondsOf(index),
      rdatas: this.rdatasOf(index),
    }
  }

  /** All that each owner has, in the order they were added: the owners by their first RRsets, and the RRsets of each.
   *  With `isWanted`, only the owners that have a wanted type, or too many types. */
  *names(isWanted?: (type: number, ttlSeconds: number) => boolean): Generator<NameContents> {
    for (let first = 0; first < this.count; first += 1) {
      if ((this.#rows.get(first, column.type) & notFirst) !== 0) continue
      if (isWanted !== undefined && !this.#hasAny(first, isWanted)) continue
      const others: OwnedRrset[] = []
      for (let i = this.nextOf(first); i >= 0; i = this.nextOf(i)) others.push(this.at(i))
      const rrset = this.at(first)
      const { owner } = rrset
      // A new RRset is linked right after the first.
      yield { key: lowerCaseName(owner), owner, rrsets: [rrset, ...others.reverse()] }
    }
  }

  #hasAny(first: number, isWanted: (type: number, ttlSeconds: number) => boolean): boolean {
    let count = 0
    for (let i = first; i >= 0; i = this.nextOf(i)) {
      count += 1
      if (count > maxTypesPerName || isWanted(this.typeOf(i), this.ttlSecondsOf(i))) return true
    }
    return false
  }

  #readName(owner: Name): void {
    if (owner === this.#name) return
    for (let i = 0; i < owner.length; i += 1) this.#owner[i] = owner.charCodeAt(i)
    this.#readOwner(this.#owner, owner.length)
    this.#name = owner
  }

  /** FNV-1a of the name in lower case, mixed at the end so that all bits depend on all octets. */
  #readOwner(octets: Uint8Array, length: number): void {
    let hash = this.#hashSeed
    for (let i = 0; i < length; i += 1) {
      const octet = octets[i] as number
      const lower = lowerCaseOctet(octet)
      this.#owner[i] = octet
      this.#lowerOwner[i] = lower
      hash = hashStep(hash, lower)
    }
    this.#ownerOctets = length
    this.#hash = finishHash(hash)
  }

  #first(): number {
    const part = this.#parts[this.#hash & (partCount - 1)]
    return part === undefined ? -1 : (part[this.#slotOf(part) + 1] as number) - 1
  }

  /** Notes the record of a large RRset when it is new. */
  #holds(index: number, rdata: Uint8Array): boolean {
    if (this.recordCountOf(index) < largeRrsetRecords) {
      return this.rdatasOf(index).some(other => Buffer.compare(other, rdata) === 0)
    }
    const records = this.#records.get(index) ?? new Set(this.rdatasOf(index).map(latin1))
    const sizeBefore = records.size
    this.#records.set(index, records.add(latin1(rdata)))
    return records.size === sizeBefore
  }

  /** Maintained from its first use on. */
  #typesOf(first: number): Map<number, number> {
    const known = this.#types.get(first)
    if (known !== undefined) return known
    const types = new Map<number, number>()
    for (let i = first; i >= 0; i = this.nextOf(i)) types.set(this.typeOf(i), i)
    this.#types.set(first, types)
    return types
  }

  #putOwner(): number {
    const end = this.#ownerOctets
    const address = this.#octets.reserve(end)
    copyOctets(this.#owner, this.#octets.pageOf(address), { from: 0, end, to: offsetOf(address) })
    return address
  }

  #setNextRecord(address: number, next: number): void {
    const page = this.#octets.pageOf(address)
    const at = offsetOf(address)
    for (let i = 0; i < lengthAt; i += 1) page[at + i] = next >>> (8 * (lengthAt - 1 - i))
  }

  /** Links a new RRset to its owner. */
  #link(index: number): void {
    const at = this.#hash & (partCount - 1)
    let part = this.#parts[at]
    if (part === undefined) {
      part = new Int32Array(2 * minSlots)
      this.#parts[at] = part
    }
    const slot = this.#slotOf(part)
    const first = (part[slot + 1] as number) - 1
    if (first >= 0) {
      this.#rows.set(index, column.type, this.#rows.get(index, column.type) | notFirst)
      this.#rows.set(index, column.next, this.#rows.get(first, column.next))
      this.#rows.set(first, column.next, index + 1)
      this.#types.get(first)?.set(this.typeOf(index), index)
      return
    }
    part[slot] = this.#hash
    part[slot + 1] = index + 1
    const owners = (this.#ownersInPart[at] as number) + 1
    this.#ownersInPart[at] = owners
    // Half full at most, so that there is always a free slot close by.
    if (4 * owners > part.length) this.#parts[at] = enlarged(part)
  }

  /** The slot of the first RRset of the wanted owner, or the free slot where it would go. */
  #slotOf(part: Int32Array): number {
    const hash = this.#hash
    for (let slot = firstSlot(hash, part.length); ; slot = nextSlot(slot, part.length)) {
      const index = (part[slot + 1] as number) - 1
      if (index < 0 || (part[slot] === hash && this.#isOwner(index))) return slot
    }
  }

  #isOwner(index: number): boolean {
    const address = this.#rows.get(index, column.ownerAt) >>> 0
    const page = this.#octets.pageOf(address)
    const at = offsetOf(address)
    for (let i = 0; i < this.#ownerOctets; i += 1) {
      if (lowerCaseOctet(page[at + i] as number) !== this.#lowerOwner[i]) return false
    }
    // A name ends with its root label, so no name is a prefix of another.
    return true
  }
}

/** Returns where the copy ends. */
function copyOctets(
  source: Uint8Array,
  target: Uint8Array,
  { from, end, to }: { readonly from: number; readonly end: number; readonly to: number },
): number {
  for (let at = from; at < end; at += 1) target[to + at - from] = source[at] as number
  return to + end - from
}

function nextRecord(page: Uint8Array, at: number): number {
  let next = 0
  for (let i = 0; i < lengthAt; i += 1) next = next * 256 + (page[at + i] as number)
  return next
}

/** A slot is two numbers of a part: the hash of an owner, and its first RRset, plus one. */
function firstSlot(hash: number, length: number): number {
  return (2 * (hash >>> 10)) & (length - 1)
}

function nextSlot(slot: number, length: number): number {
  return (slot + 2) & (length - 1)
}

function enlarged(part: Int32Array): Int32Array {
  const { length } = part
  const larger = new Int32Array(2 * length)
  for (let at = 0; at < length; at += 2) {
    if (part[at + 1] === 0) continue
    let slot = firstSlot(part[at] as number, larger.length)
    while (larger[slot + 1] !== 0) slot = nextSlot(slot, larger.length)
    larger[slot] = part[at] as number
    larger[slot + 1] = part[at + 1] as number
  }
  return larger
}

/** Where an address is in its page. */
function offsetOf(address: number): number {
  return address & (pageOctets - 1)
}
