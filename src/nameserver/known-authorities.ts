import { types } from '../dns/codes.ts'
import { u16 } from '../dns/octets.ts'
import { header, rrset as rrsetBlock } from '../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../zone/table/memory.ts'
import { keyOctets, type NameKey } from '../zone/table/name-key.ts'
import { recordCountOf } from '../zone/table/rrset-block.ts'
import { type CompressionTable, maxPointer } from './compression-table.ts'

// Negative answers of a zone have much in common: the SOA, its signature, and the denial of `*` below the zone's name. Mostly the
// response has no names but those of the question then, so that all of this is compressed in the same way for nearly all questions:
// by pointers to the zone's name in the question, or to names above it. What was put once is copied, and its pointers are adjusted.

/** What an authority section begins with: a SOA; its signature too; and, for a name whose closest encloser is the zone's apex, what
 *  denies `*` there and the NSEC3 of the apex. */
export const beginnings = { soa: 0, signedSoa: 1, denial: 2 } as const

/** A power of two. */
const slotCount = 64
/** A SOA has at least eight words. */
const slotShift = 3
/** So that the beginnings with one SOA are in slots of their own. */
const slotsApart = 21
/** Octets that are kept, a whole number of double words. */
const maxOctets = 768
/** Names that may begin in them. */
const maxNames = 18
/** A pointer for each owner, and one for each name of the SOA. */
const maxPointers = 8
const soaNames = 2
/** NSEC and NSEC3 that deny `*`. */
export const maxCommonProofs = 2
const pointerFlags = 0xc0
const lengthOctets = 2
/** Type, class and TTL. */
const fixedOctets = 8
const unsuitable = -1

/** Where the records were put in a message, and where their zone's name is: label `apexLabel` of the question. */
type Put = {
  readonly message: Uint8Array
  readonly at: number
  readonly end: number
  readonly apexAt: number
  readonly question: NameKey
  readonly apexLabel: number
}

/** What some authority sections begin with. */
export class KnownAuthority {
  /** The SOA, what begins with it, how often the zone was changed until then, and the epoch: no block that a reader can find is
   *  reused until that ends. */
  #soa = 0
  #beginning = 0
  #changes = 0
  #epoch = 0
  readonly doubleWords = new BigInt64Array(maxOctets / 8)
  readonly #octets = new Uint8Array(this.doubleWords.buffer)
  /** 0 where they are unknown; `unsuitable` where they cannot be kept. */
  octetCount = 0
  recordCount = 0
  /** The NSEC or NSEC3 among the records. */
  readonly proofs = new Int32Array(maxCommonProofs)
  proofCount = 0
  /** Where pointers are, where they point, and whether that is relative to the beginning or to the zone's name. */
  readonly #pointers = new Int32Array(maxPointers)
  readonly #targets = new Int32Array(maxPointers)
  readonly #areInside = new Uint8Array(maxPointers)
  #pointerCount = 0
  /** Hashes of the names that begin in it, and where they are. */
  readonly #hashes = new Int32Array(maxNames)
  readonly #offsets = new Int32Array(maxNames)
  #nameCount = 0

  /** Whether it is this one; it becomes it otherwise. */
  isOf(soa: number, beginning: number, changes: number, epoch: number): boolean {
    const isSame = this.#soa === soa && this.#epoch === epoch && this.#changes === changes
    if (isSame && this.#beginning === beginning) return true
    this.#soa = soa
    this.#beginning = beginning
    this.#changes = changes
    this.#epoch = epoch
    this.octetCount = 0
    this.proofCount = 0
    return false
  }

  get isLearned(): boolean {
    return this.octetCount > 0
  }

  /** Whether it cannot be learned. */
  get isUnsuitable(): boolean {
    return this.octetCount === unsuitable
  }

  /** Whether a name of this hash begins in it. */
  hasName(hash: number): boolean {
    for (let i = 0; i < this.#nameCount; i += 1) if (this.#hashes[i] === hash) return true
    return false
  }

  /** Adjusts the pointers of a copy at `at` of a message that has the zone's name at `apexAt`. */
  adjust(message: Uint8Array, at: number, apexAt: number): void {
    for (let i = 0; i < this.#pointerCount; i += 1) {
      const pointerAt = at + (this.#pointers[i] as number)
      const target = (this.#areInside[i] === 1 ? at : apexAt) + (this.#targets[i] as number)
      message[pointerAt] = pointerFlags | (target >>> 8)
      message[pointerAt + 1] = target
    }
  }

  /** Adds the names that begin in a copy at `at`. */
  remember(names: CompressionTable, at: number): void {
    for (let i = 0; i < this.#nameCount; i += 1) {
      names.rememberHash(this.#hashes[i] as number, at + (this.#offsets[i] as number))
    }
  }

  /** Takes over what was put into a message that had no names but the question's, using a key of the caller. */
  learn(put: Put, proofs: Int32Array, memory: TableMemory, key: NameKey): void {
    this.octetCount = unsuitable
    this.recordCount = 0
    this.#pointerCount = 0
    this.#nameCount = 0
    const { message, at, end } = put
    if (end - at > maxOctets || proofs.length > maxCommonProofs) return
    if (recordCountOf(memory.words, this.#soa) > 1) return
    for (let next = at; next < end; ) {
      next = this.#learnRecord(put, next, memory, key)
      if (next === 0) return
      this.recordCount += 1
    }
    this.proofs.set(proofs)
    this.proofCount = proofs.length
    this.#octets.set(message.subarray(at, end))
    this.octetCount = end - at
  }

  /** Takes over the record at `at`, and returns where it ends; 0 where it cannot be adjusted. */
  #learnRecord(put: Put, at: number, memory: TableMemory, key: NameKey): number {
    const { message } = put
    const typeAt = this.#learnOwner(put, at)
    if (typeAt === 0) return 0
    const lengthAt = typeAt + fixedOctets
    const isSoa = u16(message, typeAt) === types.SOA
    if (isSoa && !this.#learnSoa(put, lengthAt, memory, key)) return 0
    return lengthAt + lengthOctets + u16(message, lengthAt)
  }

  /** An owner is the zone's name or, of an NSEC3, has one label more. */
  #learnOwner(put: Put, at: number): number {
    const { message, question, apexLabel } = put
    const length = message[at] as number
    if (length >= pointerFlags) return this.#learnPointer(put, at)
    const pointerAt = at + 1 + length
    if (length === 0 || (message[pointerAt] as number) < pointerFlags) return 0
    return this.#learnName(put, question.hashBelow(apexLabel, message, at), at)
      ? this.#learnPointer(put, pointerAt)
      : 0
  }

  #learnSoa(put: Put, lengthAt: number, memory: TableMemory, key: NameKey): boolean {
    const source = memory.windowOf(this.#soa)
    let sourceAt = offsetInWindow(this.#soa + rrsetBlock.rdatas) + lengthOctets
    let nameAt = lengthAt + lengthOctets
    for (let i = 0; i < soaNames && nameAt !== 0; i += 1) {
      key.readOctets(source, sourceAt, sourceAt + keyOctets)
      sourceAt += key.lengthOctets
      nameAt = this.#learnNames(put, nameAt, key)
    }
    return nameAt !== 0
  }

  /** Takes over the key's name, which was put at `at`, and those above it, and returns where it ends; 0 where it cannot be adjusted. */
  #learnNames(put: Put, at: number, key: NameKey): number {
    let next = at
    for (let label = 0; label < key.labelCount; label += 1) {
      const length = put.message[next] as number
      if (length >= pointerFlags) return this.#learnPointer(put, next)
      if (!this.#learnName(put, key.hashFrom(label), next)) return 0
      next += 1 + length
    }
    return next + 1
  }

  #learnName(put: Put, hash: number, at: number): boolean {
    if (this.#nameCount === maxNames) return false
    this.#hashes[this.#nameCount] = hash
    this.#offsets[this.#nameCount] = at - put.at
    this.#nameCount += 1
    return true
  }

  /** Returns where a pointer ends; 0 where other questions do not have the name it points at. */
  #learnPointer({ message, at, apexAt }: Put, pointerAt: number): number {
    const target = u16(message, pointerAt) & maxPointer
    const isInside = target >= at
    const i = this.#pointerCount
    this.#pointers[i] = pointerAt - at
    this.#targets[i] = target - (isInside ? at : apexAt)
    this.#areInside[i] = Number(isInside)
    this.#pointerCount = i + 1
    if (target >= apexAt) return pointerAt + 2
    // Of another question it can be learned.
    this.octetCount = 0
    return 0
  }
}

/** What authority sections began with lately. It allocates nothing. */
export class KnownAuthorities {
  readonly #words: Int32Array
  readonly #slots = Array.from({ length: slotCount }, () => new KnownAuthority())

  constructor({ words }: TableMemory) {
    this.#words = words
  }

  /** Returns what is known of a beginning, or can be learned; undefined at the first sight, so that very many zones, each of which is
   *  queried rarely, cost nothing more.
   *  @param beginning one of `beginnings`
   *  @param changes of a signed zone; 0 for another */
  find(soa: number, beginning: number, changes: number): KnownAuthority | undefined {
    const slot = ((soa >>> slotShift) + beginning * slotsApart) & (slotCount - 1)
    const known = this.#slots[slot] as KnownAuthority
    const epoch = this.#words[header.epoch] as number
    return known.isOf(soa, beginning, changes, epoch) && !known.isUnsuitable ? known : undefined
  }
}
