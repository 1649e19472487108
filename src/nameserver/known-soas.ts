import { header, rrset as rrsetBlock } from '../zone/table/layout.ts'
import { offsetInWindow, type TableMemory } from '../zone/table/memory.ts'
import { keyOctets, type NameKey } from '../zone/table/name-key.ts'
import { recordCountOf } from '../zone/table/rrset-block.ts'
import { type CompressionTable, maxPointer } from './compression-table.ts'

// Each negative answer has the SOA of its zone. Mostly the response has no names but those of the question then, so that the names in
// the SOA are compressed in the same way for nearly all questions: by pointers to the zone's name in the question, or to names
// above it. What was compressed once is copied, and its pointers are adjusted.

/** A power of two. */
const slotCount = 64
/** A SOA has at least eight words. */
const slotShift = 3
/** Length and rdata of a SOA that is kept, a whole number of words. */
const maxOctets = 128
/** Names that may begin in it. */
const maxNames = 16
/** The names of a SOA, each of which may end in a pointer. */
const nameCount = 2
const pointerFlags = 0xc0
const lengthOctets = 2
const unsuitable = -1

/** Where a SOA's length and rdata were put in a message, and where its zone's name is. */
type Put = {
  readonly message: Uint8Array
  readonly at: number
  readonly end: number
  readonly apexAt: number
}

/** The rdata of one SOA, compressed. */
export class KnownSoa {
  /** Its RRset, and the epoch it was seen in: no block that a reader can find is reused until that ends. */
  #soa = 0
  #epoch = 0
  /** Length and rdata. */
  readonly words = new Int32Array(maxOctets / 4)
  readonly #octets = new Uint8Array(this.words.buffer)
  /** Octets of both; 0 where they are unknown. */
  octetCount = 0
  /** Where pointers are, where they point, and whether that is relative to the length or to the zone's name. */
  readonly #pointers = new Int32Array(nameCount)
  readonly #targets = new Int32Array(nameCount)
  readonly #areInside = new Uint8Array(nameCount)
  #pointerCount = 0
  /** Hashes of the names that begin in it, and where they are. */
  readonly #hashes = new Int32Array(maxNames)
  readonly #offsets = new Int32Array(maxNames)
  #nameCount = 0

  /** Whether it is this SOA; it becomes it otherwise. */
  isOf(soa: number, epoch: number): boolean {
    if (this.#soa === soa && this.#epoch === epoch) return true
    this.#soa = soa
    this.#epoch = epoch
    this.octetCount = 0
    return false
  }

  get isLearned(): boolean {
    return this.octetCount > 0
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
  learn(put: Put, memory: TableMemory, key: NameKey): void {
    const { message, at, end } = put
    if (this.octetCount === unsuitable) return
    this.octetCount = unsuitable
    this.#pointerCount = 0
    this.#nameCount = 0
    if (end - at > maxOctets || recordCountOf(memory.words, this.#soa) > 1) return
    const source = memory.windowOf(this.#soa)
    let sourceAt = offsetInWindow(this.#soa + rrsetBlock.rdatas) + lengthOctets
    let nameAt = at + lengthOctets
    for (let i = 0; i < nameCount; i += 1) {
      key.readOctets(source, sourceAt, sourceAt + keyOctets)
      sourceAt += key.lengthOctets
      nameAt = this.#learnName(put, nameAt, key)
      if (nameAt === 0) return
    }
    this.#octets.set(message.subarray(at, end))
    this.octetCount = end - at
  }

  /** Takes over the key's name, which was put at `nameAt`, and returns where it ends; 0 where it cannot be adjusted. */
  #learnName(put: Put, nameAt: number, key: NameKey): number {
    const { message, at } = put
    let next = nameAt
    for (let label = 0; label < key.labelCount; label += 1) {
      const length = message[next] as number
      if (length >= pointerFlags) return this.#learnPointer(put, next) ? next + 2 : 0
      if (this.#nameCount === maxNames) return 0
      this.#hashes[this.#nameCount] = key.hashFrom(label)
      this.#offsets[this.#nameCount] = next - at
      this.#nameCount += 1
      next += 1 + length
    }
    return next + 1
  }

  /** Returns whether other questions have the name it points at, too. */
  #learnPointer({ message, at, apexAt }: Put, pointerAt: number): boolean {
    const octets = ((message[pointerAt] as number) << 8) | (message[pointerAt + 1] as number)
    const target = octets & maxPointer
    const isInside = target > at
    const i = this.#pointerCount
    this.#pointers[i] = pointerAt - at
    this.#targets[i] = target - (isInside ? at : apexAt)
    this.#areInside[i] = Number(isInside)
    this.#pointerCount = i + 1
    if (target >= apexAt) return true
    // Of another question it can be learned.
    this.octetCount = 0
    return false
  }
}

/** The SOAs that were put lately. It allocates nothing. */
export class KnownSoas {
  readonly #words: Int32Array
  readonly #slots = Array.from({ length: slotCount }, () => new KnownSoa())

  constructor({ words }: TableMemory) {
    this.#words = words
  }

  /** Returns what is known of a SOA; undefined at the first sight, so that the SOAs of very many zones, each of which is put rarely,
   *  cost nothing more. */
  find(soa: number): KnownSoa | undefined {
    const slot = this.#slots[(soa >>> slotShift) & (slotCount - 1)] as KnownSoa
    return slot.isOf(soa, this.#words[header.epoch] as number) ? slot : undefined
  }
}
