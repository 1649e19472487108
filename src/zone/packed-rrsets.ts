import { lowerCaseName, maxNameOctets, type Name, nameFromOctets } from '../dns/name.ts'
import { nameEnd, type RrsetOctets, rdataEnd, rdataLengthOctets } from '../dns/rrset-octets.ts'
import { finishHash, hashStep } from '../hash.ts'
import type { NameContents } from './check.ts'
import { octetKey } from './check-name.ts'
import { offsetOf, PackedOctets } from './packed-octets.ts'
import { PackedRows } from './packed-rows.ts'
import type { OwnedRrset } from './rrset.ts'

// Very many RRsets that are put together one by one, looked at once or twice, and given up: a zone on its way in. As
// objects a million of them are half a gigabyte that the collector of garbage moves about while more arrive; here they
// are octets, and a view of one is made when somebody asks.
//
// An RRset is a row of nine numbers. Owners, once for each RRset, and records are in the pages, a record with the
// address of the next one of its RRset in front. Owners are found by a hash table in many small parts, none of which
// takes long to grow.

const columns = 9
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
  hash: 7,
  rdataOctets: 8,
} as const

const typeMask = 0xffff
const notFirst = 0x1_0000

/** A record: the address of the next one, where there is one, the length, the octets. */
const lengthAt = 4
const rdataAt = 6

const partCount = 1024
const minSlots = 8

/** From here on an RRset gets a set of its records, so that finding a repeated one does not cost a walk for each. */
const largeRrsetRecords = 16

/** From here on an owner gets a map of its types, for the same reason. */
const manyTypes = 64

/** RRsets by their numbers, from 0 on, in the order they were added. Addresses have 32 bits. */
export class PackedRrsets {
  readonly #octets = new PackedOctets()
  readonly #rows = new PackedRows(columns)
  /** By the low bits of the hash: the first RRset of each owner, plus one, by its other bits. */
  readonly #parts: Int32Array[] = []
  readonly #ownersInPart = new Int32Array(partCount)
  readonly #hashSeed: number
  /** What large RRsets hold. */
  readonly #records = new Map<number, Set<string>>()
  /** Of owners with many types, by their first RRset: its RRsets by type. */
  readonly #types = new Map<number, Map<number, number>>()

  #scratch = new Uint8Array(2 ** 10)
  /** The owner that was hashed last: who looks for one that is not there adds it. */
  #hashed = { owner: '' as Name, hash: 0 }

  /** `hashSeed` keeps whoever chooses names from choosing those that meet. */
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
    const hash = this.#hashOf(owner)
    const part = this.#parts[hash & (partCount - 1)]
    return part === undefined ? -1 : (part[this.#slotOf(part, hash, owner)] as number) - 1
  }

  /** The next RRset of the same owner; -1 behind the last. */
  nextOf(index: number): number {
    return this.#get(index, column.next) - 1
  }

  typeOf(index: number): number {
    return this.#get(index, column.type) & typeMask
  }

  recordCountOf(index: number): number {
    return this.#get(index, column.recordCount)
  }

  ttlSecondsOf(index: number): number {
    return this.#get(index, column.ttlSeconds) >>> 0
  }

  /** The octets of all its records together. */
  rdataOctetsOf(index: number): number {
    return this.#get(index, column.rdataOctets)
  }

  setTtlSeconds(index: number, ttlSeconds: number): void {
    this.#set(index, column.ttlSeconds, ttlSeconds)
  }

  /** Adds an RRset without records; the owner must not have one of this type. Returns its number. */
  add(owner: Name, type: number, ttlSeconds: number): number {
    const index = this.#rows.add()
    const hash = this.#hashOf(owner)
    this.#set(index, column.ownerAt, this.#putOwner(owner))
    this.#set(index, column.type, type)
    this.#set(index, column.ttlSeconds, ttlSeconds)
    this.#set(index, column.hash, hash)
    this.#link(owner, hash, index)
    return index
  }

  /** Adds a record, unless the RRset has it already: it has none twice (RFC 2181 section 5). Copies its octets. Returns
   *  whether it was new. */
  addRecord(index: number, rdata: Uint8Array): boolean {
    const count = this.recordCountOf(index)
    if (count > 0 && this.#holds(index, rdata)) return false
    const address = this.#octets.reserve(rdataAt + rdata.length)
    const page = this.#octets.pageOf(address)
    const at = offsetOf(address)
    page[at + lengthAt] = rdata.length >>> 8
    page[at + lengthAt + 1] = rdata.length
    page.set(rdata, at + rdataAt)
    if (count === 0) this.#set(index, column.firstAt, address)
    else this.#setNextRecord(this.#get(index, column.lastAt) >>> 0, address)
    this.#set(index, column.lastAt, address)
    this.#set(index, column.recordCount, count + 1)
    this.#set(index, column.rdataOctets, this.rdataOctetsOf(index) + rdata.length)
    return true
  }

  /** The owner, in the case it was added in. */
  ownerOf(index: number): Name {
    const address = this.#get(index, column.ownerAt) >>> 0
    return nameFromOctets(this.#octets.pageOf(address), offsetOf(address))
  }

  /** The records in the order they were added, as views that stay as they are. */
  rdatasOf(index: number): Uint8Array[] {
    const rdatas: Uint8Array[] = []
    let address = this.#get(index, column.firstAt) >>> 0
    for (let left = this.recordCountOf(index); left > 0; left -= 1) {
      const page = this.#octets.pageOf(address)
      const at = offsetOf(address)
      const length = ((page[at + lengthAt] as number) << 8) | (page[at + lengthAt + 1] as number)
      rdatas.push(page.subarray(at + rdataAt, at + rdataAt + length))
      address = nextRecord(page, at)
    }
    return rdatas
  }

  /** The RRset as octets, until the next one is asked for. */
  octetsAt(index: number): RrsetOctets {
    const ownerAddress = this.#get(index, column.ownerAt) >>> 0
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
    let address = this.#get(index, column.firstAt) >>> 0
    for (let left = recordCount; left > 0; left -= 1) {
      const page = this.#octets.pageOf(address)
      const at = offsetOf(address)
      const places = { from: at + lengthAt, end: rdataEnd(page, at + lengthAt), to: rdatasEnd }
      rdatasEnd = copyOctets(page, octets, places)
      address = nextRecord(page, at)
    }
    const own = { type: this.typeOf(index), ttlSeconds: this.ttlSecondsOf(index), recordCount }
    return { octets, ownerAt: 0, rdatasAt, rdatasEnd, ...own }
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
   *  With `isWanted` only of those that have a type that is. */
  *names(isWanted?: (type: number, ttlSeconds: number) => boolean): Generator<NameContents> {
    for (let first = 0; first < this.count; first += 1) {
      if ((this.#get(first, column.type) & notFirst) !== 0) continue
      if (isWanted !== undefined && !this.#hasAny(first, isWanted)) continue
      const others: OwnedRrset[] = []
      for (let i = this.nextOf(first); i >= 0; i = this.nextOf(i)) others.push(this.at(i))
      const rrset = this.at(first)
      const { owner } = rrset
      // A new one is linked right behind the first.
      yield { key: lowerCaseName(owner), owner, rrsets: [rrset, ...others.reverse()] }
    }
  }

  #hasAny(first: number, isWanted: (type: number, ttlSeconds: number) => boolean): boolean {
    for (let i = first; i >= 0; i = this.nextOf(i)) {
      if (isWanted(this.typeOf(i), this.ttlSecondsOf(i))) return true
    }
    return false
  }

  #hashOf(owner: Name): number {
    if (owner !== this.#hashed.owner) this.#hashed = { owner, hash: hashOf(owner, this.#hashSeed) }
    return this.#hashed.hash
  }

  /** Notes the record of a large RRset when it is new. */
  #holds(index: number, rdata: Uint8Array): boolean {
    if (this.recordCountOf(index) < largeRrsetRecords) {
      return this.rdatasOf(index).some(other => Buffer.compare(other, rdata) === 0)
    }
    const records = this.#records.get(index) ?? new Set(this.rdatasOf(index).map(octetKey))
    const sizeBefore = records.size
    this.#records.set(index, records.add(octetKey(rdata)))
    return records.size === sizeBefore
  }

  /** Kept up from when it is first asked for. */
  #typesOf(first: number): Map<number, number> {
    const known = this.#types.get(first)
    if (known !== undefined) return known
    const types = new Map<number, number>()
    for (let i = first; i >= 0; i = this.nextOf(i)) types.set(this.typeOf(i), i)
    this.#types.set(first, types)
    return types
  }

  #putOwner(owner: Name): number {
    const address = this.#octets.reserve(owner.length)
    const page = this.#octets.pageOf(address)
    const at = offsetOf(address)
    for (let i = 0; i < owner.length; i += 1) page[at + i] = owner.charCodeAt(i)
    return address
  }

  #setNextRecord(address: number, next: number): void {
    const page = this.#octets.pageOf(address)
    const at = offsetOf(address)
    for (let i = 0; i < lengthAt; i += 1) page[at + i] = next >>> (8 * (lengthAt - 1 - i))
  }

  /** Makes a new RRset one of its owner's. */
  #link(owner: Name, hash: number, index: number): void {
    const at = hash & (partCount - 1)
    let part = this.#parts[at]
    if (part === undefined) {
      part = new Int32Array(minSlots)
      this.#parts[at] = part
    }
    const slot = this.#slotOf(part, hash, owner)
    const first = (part[slot] as number) - 1
    if (first >= 0) {
      this.#set(index, column.type, this.#get(index, column.type) | notFirst)
      this.#set(index, column.next, this.#get(first, column.next))
      this.#set(first, column.next, index + 1)
      this.#types.get(first)?.set(this.typeOf(index), index)
      return
    }
    part[slot] = index + 1
    const owners = (this.#ownersInPart[at] as number) + 1
    this.#ownersInPart[at] = owners
    // Half full at most, so that there is always a free slot close by.
    if (2 * owners > part.length) this.#parts[at] = this.#enlarged(part)
  }

  #enlarged(part: Int32Array): Int32Array {
    const larger = new Int32Array(2 * part.length)
    const mask = larger.length - 1
    for (const entry of part) {
      if (entry === 0) continue
      let slot = firstSlot(this.#get(entry - 1, column.hash), mask)
      while (larger[slot] !== 0) slot = (slot + 1) & mask
      larger[slot] = entry
    }
    return larger
  }

  /** The slot of an owner's first RRset, or the free one where it would go. */
  #slotOf(part: Int32Array, hash: number, owner: Name): number {
    const mask = part.length - 1
    for (let slot = firstSlot(hash, mask); ; slot = (slot + 1) & mask) {
      const index = (part[slot] as number) - 1
      if (index < 0) return slot
      if (this.#get(index, column.hash) === hash && this.#isOwner(index, owner)) return slot
    }
  }

  #isOwner(index: number, owner: Name): boolean {
    const address = this.#get(index, column.ownerAt) >>> 0
    const page = this.#octets.pageOf(address)
    const at = offsetOf(address)
    for (let i = 0; i < owner.length; i += 1) {
      if (lowerCase(page[at + i] as number) !== lowerCase(owner.charCodeAt(i))) return false
    }
    // A name ends with its root label, so none is the beginning of another.
    return true
  }

  #get(index: number, at: number): number {
    return this.#rows.get(index, at)
  }

  #set(index: number, at: number, value: number): void {
    this.#rows.set(index, at, value)
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

function firstSlot(hash: number, mask: number): number {
  return (hash >>> 10) & mask
}

/** RFC 4343: letters of ASCII only; length octets are below all of them. */
function lowerCase(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet
}

/** FNV-1a of the name in lower case, mixed at the end so that all bits depend on all octets. */
function hashOf(name: Name, seed: number): number {
  let hash = seed
  for (let i = 0; i < name.length; i += 1) {
    hash = hashStep(hash, lowerCase(name.charCodeAt(i)))
  }
  return finishHash(hash)
}
