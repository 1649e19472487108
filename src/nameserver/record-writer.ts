import { classes, types } from '../dns/codes.ts'
import { headerOctets } from '../dns/header.ts'
import { put16, u16 } from '../dns/octets.ts'
import { countShift, rrset as rrsetBlock, typeMask } from '../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../zone/table/memory.ts'
import { NameKey } from '../zone/table/name-key.ts'
import { hashLabelOctets, writeHashLabel } from '../zone/table/nsec3-hash.ts'
import { CompressionTable, maxPointer } from './compression-table.ts'
import { KnownAuthorities, type KnownAuthority } from './known-authorities.ts'
import { compressibleNames, octetsBeforeNames } from './rdata-shapes.ts'
import type { Request } from './request.ts'
import { ResponseRoom } from './response-room.ts'

/** Where the counts of the sections are in the header. */
export const sections = { answer: 6, authority: 8, additional: 10 } as const

/** The owner of a record, as an offset in the message to point at. The root is shorter than a pointer, and a name that
 *  is not in the message yet, or out of a pointer's reach, is written with its records (`ownerOf`, `ownerBelow`, `ownerOfHash`). */
export const rootOwner = 0
export const newOwner = -1

/** Type, class and TTL. */
const fixedOctets = 8
/** The shortest record, with the root as owner and no rdata: a lower bound, however well names are compressed. */
const minRecordOctets = 1 + fixedOctets + 2
const doubleWordOctets = 8
/** Above this many octets the built-in copy is quicker, although it needs a view. */
const maxLoopedOctets = 96

/** Writes records behind the question of a message, in the buffer it is sent from, without allocating. RRsets are put whole or not at
 *  all. */
export class RecordWriter {
  /** Whether a required RRset did not fit. Nothing more is put then. */
  isTruncated = false
  /** The owner of the records that were put last. */
  lastOwner = rootOwner
  /** The rdata name that was put last, and the owner that points at it. */
  rdataKey: NameKey
  rdataOwner = rootOwner
  protected octets: Uint8Array = noOctets
  #room = new ResponseRoom()
  /** Where the next record begins. */
  protected at = 0
  /** Where the last one has to end. */
  protected limit = 0
  readonly #memory: TableMemory
  readonly #names = new CompressionTable()
  /** The name of the question, which the message begins with. */
  #question: NameKey
  #hasQuestionNames = false
  readonly #authorities: KnownAuthorities
  /** What the authority section was copied from, and where it begins: its names are not in the table yet. */
  #copied: KnownAuthority | undefined
  #copiedAt = 0
  /** Whether something did not fit since the current RRset was begun. */
  #hasOverflowed = false
  /** The name of `newOwner`: the key's name, or without a key a hash in the table or else some labels, and the owner above them. */
  #ownerKey: NameKey | undefined
  #ownerHash = 0
  #ownerHashAt = 0
  #ownerOctets: Uint8Array = noOctets
  #ownerAt = 0
  #ownerLength = 0
  #ownerAbove = rootOwner

  constructor(memory: TableMemory, question: NameKey) {
    this.#memory = memory
    this.#question = question
    this.#authorities = new KnownAuthorities(memory)
    this.rdataKey = new NameKey(memory)
  }

  /** Begins the records of the response to a request, behind its question. */
  protected beginRecords(octets: Uint8Array, request: Request): void {
    this.octets = octets
    this.#room = request.room
    if (this.#room.octets !== octets) this.#room.take(octets)
    this.limit = Math.min(request.limitOctets, octets.length)
    this.#question = request.key
    this.forgetRecords(request)
  }

  /** Removes all records. */
  protected forgetRecords({ questionEnd }: Request): void {
    this.at = questionEnd
    this.isTruncated = false
    this.#hasQuestionNames = false
    this.#copied = undefined
    this.#hasOverflowed = false
    this.#names.begin(this.octets)
  }

  /** Whether a key is that of the question. */
  isOfQuestion(key: NameKey): boolean {
    return key === this.#question
  }

  /** The owner whose name begins with label `label` of the question. */
  ownerInQuestion(label: number): number {
    const key = this.#question
    if (label === key.labelCount) return rootOwner
    return headerOctets + key.lengthOctets - key.octetsFrom(label)
  }

  /** The owner whose name begins with label `label` of the key; the response must have it within the reach of pointers. */
  ownerInResponse(key: NameKey, label: number): number {
    if (label === key.labelCount) return rootOwner
    this.#rememberQuestion()
    const known = this.#names.find(key, label)
    if (known === 0) throw new Error('the response does not have the name')
    return known
  }

  /** The owner of the key's name, which is at `at` in `octets` in the case to be written. Valid until the next call. */
  ownerOf(key: NameKey, octets: Uint8Array, at: number): number {
    if (key.labelCount === 0) return rootOwner
    this.#rememberQuestion()
    const known = this.#names.find(key, 0)
    if (known !== 0) return known
    this.#ownerKey = key
    this.#ownerOctets = octets
    this.#ownerAt = at
    return newOwner
  }

  /** The owner whose first `length` octets are at `at` in `octets`, followed by the owner `above`. Valid until the next call. */
  ownerBelow(above: number, octets: Uint8Array, at: number, length: number): number {
    this.#ownerKey = undefined
    this.#ownerHash = 0
    this.#ownerHashAt = 0
    this.#ownerOctets = octets
    this.#ownerAt = at
    this.#ownerLength = length
    this.#ownerAbove = above
    return newOwner
  }

  /** The hash of the name that a label, at `at` in lower case, makes in front of an owner in the question; 0 where the response may have
   *  that name. */
  hashOfNewName(above: number, octets: Uint8Array, at: number): number {
    const question = this.#question
    const label = this.#labelOf(above)
    const hash = question.hashBelow(label, octets, at)
    if (this.#names.hasHash(hash)) return 0
    if (this.#hasQuestionNames) return hash
    if (label > 0 && question.hashFrom(label - 1) === hash) return 0
    return this.#copied?.hasName(hash) ? 0 : hash
  }

  /** The owner of a new name: its hash, its label at `at` in the case to be written, and the owner above. Valid until the next call. */
  ownerOfNewName(hash: number, octets: Uint8Array, at: number, above: number): number {
    this.ownerBelow(above, octets, at, 1 + (octets[at] as number))
    this.#ownerHash = hash
    return newOwner
  }

  /** The owner whose first label is the hash at this word of the table, followed by the owner `above`. Valid until the next
   *  call. */
  ownerOfHash(above: number, hashAt: number): number {
    this.#ownerKey = undefined
    this.#ownerHash = 0
    this.#ownerHashAt = hashAt
    this.#ownerAbove = above
    return newOwner
  }

  /** Puts a whole RRset that the response requires; sets TC if it does not fit (RFC 2181 section 9). */
  putRequired(section: number, owner: number, rrset: number): void {
    if (!this.putOptional(section, owner, rrset)) this.isTruncated = true
  }

  /** Puts a whole RRset if it fits, and returns whether it did. */
  putOptional(section: number, owner: number, rrset: number): boolean {
    const ttlSeconds = this.#memory.words[rrset + rrsetBlock.ttlSeconds] as number
    return this.putWithTtl(section, owner, rrset, ttlSeconds)
  }

  /** As `putOptional`, with another TTL than the RRset's own. */
  putWithTtl(section: number, owner: number, rrset: number, ttlSeconds: number): boolean {
    const head = this.#memory.words[rrset + rrsetBlock.head] as number
    const type = head & typeMask
    const count = head >>> countShift
    if (this.isTruncated || this.at + count * minRecordOctets > this.limit) return false
    const nameCount = this.#beginRrset(this.#isSearched(owner) || compressibleNames(type) > 0)
    const start = this.at
    const octets = this.#memory.windowOf(rrset)
    const rdatasAt = (rrset + rrsetBlock.rdatas) >> 1
    let from = offsetInWindow(rrset + rrsetBlock.rdatas)
    let ownerNow = owner
    for (let i = 0; i < count && !this.#hasOverflowed; i += 1) {
      const length = u16(octets, from)
      ownerNow = this.#putHead(ownerNow, type, ttlSeconds)
      if (compressibleNames(type) === 0) {
        const isFree = this.at + 2 + length + doubleWordOctets <= this.octets.length
        if (i === 0 && isFree) this.#copyDoubleWords(this.#memory.doubleWords, rdatasAt, 2 + length)
        else this.#copy(octets, from, 2 + length)
      } else this.#putNamedRdata(type, octets, from)
      from += 2 + length
    }
    this.lastOwner = ownerNow
    return this.#endRrset(section, count, start, nameCount)
  }

  /** Returns what is known of the authority section to be put next: it is learned, and then it fits, or it is to be learned. Undefined
   *  where it cannot be copied. See `KnownAuthorities.find`; `owner` is that of the SOA in the question. */
  findKnown(
    owner: number,
    soa: number,
    beginning: number,
    changes: number,
  ): KnownAuthority | undefined {
    // With more names in the response each of them could be one of those in the section.
    if (this.#hasQuestionNames || owner === rootOwner) return undefined
    const known = this.#authorities.find(soa, beginning, changes)
    if (known === undefined || !known.isLearned) return known
    const end = this.at + known.octetCount
    const fits = end <= this.limit && end + doubleWordOctets <= this.octets.length
    return fits && !this.#hasNameOf(known, owner) ? known : undefined
  }

  /** Whether a name that begins in the section is in front of its owner in the question. */
  #hasNameOf(known: KnownAuthority, owner: number): boolean {
    for (let label = 0; this.ownerInQuestion(label) < owner; label += 1) {
      if (known.hasName(this.#question.hashFrom(label))) return true
    }
    return false
  }

  /** Begins the authority section with what was found with this owner, and is learned. */
  putKnown(known: KnownAuthority, owner: number): void {
    const at = this.at
    this.#hasOverflowed = false
    this.#copyDoubleWords(known.doubleWords, 0, known.octetCount)
    known.adjust(this.octets, at, owner)
    this.addToCount(sections.authority, known.recordCount)
    this.lastOwner = owner
    this.#copied = known
    this.#copiedAt = at
  }

  /** Where the next record begins. */
  get end(): number {
    return this.at
  }

  /** Learns what was put since `at`. It was found with this owner, and has these proofs. */
  learn(known: KnownAuthority, at: number, owner: number, proofs: Int32Array): void {
    const put = {
      ...{ message: this.octets, at, end: this.at, apexAt: owner },
      ...{ question: this.#question, apexLabel: this.#labelOf(owner) },
    }
    known.learn(put, proofs, this.#memory, this.rdataKey)
  }

  /** The label of the question at an owner in it. */
  #labelOf(owner: number): number {
    let label = 0
    while (this.ownerInQuestion(label) < owner) label += 1
    return label
  }

  /** Puts the records of an RRset from number `first` on as answers, as many as fit, and returns the number of the first one
   *  that does not: the RRset may be split between messages (RFC 5936 section 2.2). */
  putRecords(owner: number, rrset: number, first: number): number {
    const ttlSeconds = this.#memory.words[rrset + rrsetBlock.ttlSeconds] as number
    const head = this.#memory.words[rrset + rrsetBlock.head] as number
    const type = head & typeMask
    const count = head >>> countShift
    const octets = this.#memory.windowOf(rrset)
    let from = offsetInWindow(rrset + rrsetBlock.rdatas)
    for (let i = 0; i < first; i += 1) from += 2 + u16(octets, from)
    this.#beginRrset(true)
    let ownerNow = owner
    let i = first
    for (; i < count; i += 1) {
      const start = this.at
      const nameCount = this.#names.count
      ownerNow = this.#putHead(ownerNow, type, ttlSeconds)
      if (compressibleNames(type) === 0) this.#copy(octets, from, 2 + u16(octets, from))
      else this.#putNamedRdata(type, octets, from)
      if (!this.#endRrset(sections.answer, 1, start, nameCount)) break
      this.lastOwner = ownerNow
      from += 2 + u16(octets, from)
    }
    return i
  }

  /** Puts signatures that the table does not have. They are required. */
  putSignatures(
    section: number,
    owner: number,
    ttlSeconds: number,
    rdatas: readonly Uint8Array[],
  ): void {
    if (this.isTruncated) return
    const nameCount = this.#beginRrset(this.#isSearched(owner))
    const start = this.at
    let ownerNow = owner
    for (const rdata of rdatas) {
      ownerNow = this.#putHead(ownerNow, types.RRSIG, ttlSeconds)
      const lengthAt = this.at
      this.#skipLength()
      this.#copy(rdata, 0, rdata.length)
      this.#putLength(lengthAt)
    }
    if (!this.#endRrset(section, rdatas.length, start, nameCount)) this.isTruncated = true
  }

  /** Puts the CNAME that a DNAME makes, to the name in `octets`, which is read into `rdataKey`. It is required. */
  putSynthesizedCname(owner: number, ttlSeconds: number, octets: Uint8Array, end: number): void {
    if (this.isTruncated) return
    const nameCount = this.#beginRrset(true)
    const start = this.at
    this.#putHead(owner, types.CNAME, ttlSeconds)
    const lengthAt = this.at
    this.#skipLength()
    this.#putRdataName(octets, 0, end)
    this.#putLength(lengthAt)
    if (!this.#endRrset(sections.answer, 1, start, nameCount)) this.isTruncated = true
  }

  /** Whether the owner's name is compressed against those that the response has. */
  #isSearched(owner: number): boolean {
    return owner === newOwner && this.#ownerKey !== undefined
  }

  /** Returns how many names there are to roll back to. */
  #beginRrset(hasNames: boolean): number {
    this.#hasOverflowed = false
    if (hasNames) this.#rememberQuestion()
    return this.#names.count
  }

  /** Keeps the records put since `start`, or removes them all where something did not fit. */
  #endRrset(section: number, count: number, start: number, nameCount: number): boolean {
    if (this.#hasOverflowed) {
      this.at = start
      this.#names.rollBack(nameCount)
      return false
    }
    this.addToCount(section, count)
    return true
  }

  /** Whether so many octets fit. If not, no more of the RRset is put. */
  #hasRoom(octets: number): boolean {
    if (this.at + octets <= this.limit && !this.#hasOverflowed) return true
    this.#hasOverflowed = true
    return false
  }

  /** Puts owner, type, class and TTL, and returns the owner of the records after this one. */
  #putHead(owner: number, type: number, ttlSeconds: number): number {
    const next = owner === newOwner ? this.#putNewOwner() : this.putPointer(owner)
    if (!this.#hasRoom(fixedOctets)) return next
    const octets = this.octets
    const at = this.at
    put16(octets, at, type)
    put16(octets, at + 2, classes.in)
    put16(octets, at + 4, ttlSeconds >>> 16)
    put16(octets, at + 6, ttlSeconds)
    this.at = at + fixedOctets
    return next
  }

  /** Puts the name of `newOwner`, and returns the owner that points at it. */
  #putNewOwner(): number {
    if (this.#ownerKey !== undefined) {
      return this.#putName(this.#ownerKey, this.#ownerOctets, this.#ownerAt)
    }
    const start = this.at
    if (this.#ownerHashAt === 0) this.#copy(this.#ownerOctets, this.#ownerAt, this.#ownerLength)
    else if (this.#hasRoom(1 + hashLabelOctets)) {
      writeHashLabel(this.#memory.words, this.#ownerHashAt, this.octets, start)
      this.at = start + 1 + hashLabelOctets
    }
    this.putPointer(this.#ownerAbove)
    if (this.#ownerHash !== 0) this.#names.rememberHash(this.#ownerHash, start)
    return start > maxPointer ? newOwner : start
  }

  /** Puts the name that an owner points at, and returns the owner. */
  protected putPointer(owner: number): number {
    const length = owner === rootOwner ? 1 : 2
    if (!this.#hasRoom(length)) return owner
    if (owner === rootOwner) this.octets[this.at] = 0
    else put16(this.octets, this.at, 0xc000 | owner)
    this.at += length
    return owner
  }

  /** Copies length and rdata from `from`, and compresses the names that may be compressed. */
  #putNamedRdata(type: number, octets: Uint8Array, from: number): void {
    const lengthAt = this.at
    const end = from + 2 + u16(octets, from)
    const prefix = octetsBeforeNames(type)
    this.#skipLength()
    if (prefix > 0) this.#copy(octets, from + 2, prefix)
    let at = from + 2 + prefix
    for (let i = compressibleNames(type); i > 0; i -= 1) at = this.#putRdataName(octets, at, end)
    if (at < end) this.#copy(octets, at, end - at)
    this.#putLength(lengthAt)
  }

  /** Puts the name at `at` and returns where it ends.
   *  @throws Error there is none: the stored data does not have the form of its type. */
  #putRdataName(octets: Uint8Array, at: number, end: number): number {
    const key = this.rdataKey
    if (!key.readOctets(octets, at, end)) throw new Error('stored rdata is not of its type')
    this.rdataOwner = this.#putName(key, octets, at)
    return at + key.lengthOctets
  }

  #skipLength(): void {
    if (this.#hasRoom(2)) this.at += 2
  }

  #putLength(lengthAt: number): void {
    if (!this.#hasOverflowed) put16(this.octets, lengthAt, this.at - lengthAt - 2)
  }

  /** Puts the key's name, in the case of the octets at `from`, and returns the owner that points at it. */
  #putName(key: NameKey, octets: Uint8Array, from: number): number {
    const names = this.#names
    const start = this.at
    const { labelCount, lengthOctets } = key
    let known = rootOwner
    let label = 0
    for (; label < labelCount; label += 1) {
      known = names.find(key, label)
      if (known !== rootOwner) break
      names.remember(key, label, start + lengthOctets - key.octetsFrom(label))
    }
    if (label > 0) this.#copy(octets, from, lengthOctets - key.octetsFrom(label))
    this.putPointer(known)
    if (label === 0) return known
    return start > maxPointer ? newOwner : start
  }

  /** Most responses have no name but the question's, and point at that without a search. */
  #rememberQuestion(): void {
    if (this.#hasQuestionNames) return
    this.#hasQuestionNames = true
    const key = this.#question
    for (let label = 0; label < key.labelCount; label += 1) {
      this.#names.remember(key, label, this.ownerInQuestion(label))
    }
    this.#copied?.remember(this.#names, this.#copiedAt)
  }

  #copy(from: Uint8Array, start: number, count: number): void {
    if (!this.#hasRoom(count)) return
    const octets = this.octets
    const at = this.at
    if (count > maxLoopedOctets) octets.set(from.subarray(start, start + count), at)
    else for (let i = 0; i < count; i += 1) octets[at + i] = from[start + i] as number
    this.at = at + count
  }

  /** The same for octets that begin with a double word of memory, as the first rdata of an RRset does: eight at a time, up to seven
   *  more than wanted. All supported processors have this byte order. */
  #copyDoubleWords(source: BigInt64Array, from: number, count: number): void {
    if (!this.#hasRoom(count)) return
    const { view, viewAt } = this.#room
    const start = viewAt + this.at
    for (let i = 0; i < count; i += doubleWordOctets) {
      view.setBigInt64(start + i, source[from + (i >> 3)] as bigint, true)
    }
    this.at += count
  }

  /** Puts octets as they are; returns false where there is no room. */
  protected putOctets(octets: Uint8Array): boolean {
    this.#hasOverflowed = false
    this.#copy(octets, 0, octets.length)
    return !this.#hasOverflowed
  }

  protected addToCount(section: number, count: number): void {
    put16(this.octets, section, u16(this.octets, section) + count)
  }
}

const noOctets = new Uint8Array()
