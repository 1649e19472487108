import type { NameKey } from '../../zone/table/name-key.ts'
import { keyOctets } from '../../zone/table/name-key.ts'

// Where the names of a response are that later ones can point at (RFC 1035 section 4.1.4): what `Writer` keeps
// in a Map, for answers that allocate nothing. A table of the hashes that keys bring along; a new response
// begins by counting up, not by clearing.

const slotCount = 512
const slotMask = slotCount - 1
/** A slot is the number of its response, the hash and the offset of a name, and one word to spare. */
const slotShift = 2
/** Beyond this many names a response is better off with a Map. */
const maxNames = slotCount / 2
/** A pointer has 14 bits. */
export const maxPointer = 0x3fff

export class NameTargets {
  readonly #slots = new Int32Array(slotCount << slotShift)
  /** Places of the slots in the order they were filled in. */
  readonly #filled = new Int32Array(slotCount)
  #count = 0
  #response = 0
  #message: Uint8Array = new Uint8Array()

  /** Forgets all names. The next ones are in `message`. */
  begin(message: Uint8Array): void {
    this.#message = message
    this.#count = 0
    this.#response = (this.#response + 1) | 0
    if (this.#response !== 0) return
    this.#slots.fill(0)
    this.#response = 1
  }

  get count(): number {
    return this.#count
  }

  get isFull(): boolean {
    return this.#count >= maxNames
  }

  /** Returns where the name that begins with label `label` of the key is, or 0. */
  find(key: NameKey, label: number): number {
    const slots = this.#slots
    const hash = key.hashFrom(label)
    for (let slot = slotOf(hash); ; slot = (slot + 1) & slotMask) {
      const at = slot << slotShift
      if (slots[at] !== this.#response) return 0
      if (slots[at + 1] !== hash) continue
      const offset = slots[at + 2] as number
      if (this.#isAt(offset, key, label)) return offset
    }
  }

  /** Remembers that the name is at `offset`; it was not known before. Nobody can point there beyond the 14 bits
   *  of a pointer. */
  remember(key: NameKey, label: number, offset: number): void {
    if (offset > maxPointer || this.isFull) return
    const slots = this.#slots
    const hash = key.hashFrom(label)
    let slot = slotOf(hash)
    while (slots[slot << slotShift] === this.#response) slot = (slot + 1) & slotMask
    const at = slot << slotShift
    slots[at] = this.#response
    slots[at + 1] = hash
    slots[at + 2] = offset
    this.#filled[this.#count] = at
    this.#count += 1
  }

  /** Forgets the latest names. Those before them never had to step over theirs. */
  rollBack(count: number): void {
    while (this.#count > count) {
      this.#count -= 1
      this.#slots[this.#filled[this.#count] as number] = this.#response - 1
    }
  }

  /** Compares with the name in the message, label by label and through its pointers. */
  #isAt(offset: number, key: NameKey, label: number): boolean {
    const message = this.#message
    const { octets } = key
    let own = keyOctets - key.octetsFrom(label)
    for (let at = offset; ; ) {
      let length = message[at] as number
      while (length >= 0xc0) {
        at = ((length & 0x3f) << 8) | (message[at + 1] as number)
        length = message[at] as number
      }
      if (octets[own] !== length) return false
      if (length === 0) return true
      for (let i = 1; i <= length; i += 1) {
        const octet = message[at + i] as number
        const isUpper = octet >= 0x41 && octet <= 0x5a
        if (octets[own + i] !== (isUpper ? octet + 0x20 : octet)) return false
      }
      own += 1 + length
      at += 1 + length
    }
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & slotMask
}
