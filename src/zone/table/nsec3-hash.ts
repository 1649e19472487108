import { hashWords } from './layout.ts'

// The NSEC3 hash of a name (RFC 5155 section 5): SHA-1 of the name in lower case and a salt, and again of that and the salt
// as often as the zone says. It does not allocate; `node:crypto` does, and takes four times as long for so few octets.

/** Room for a name, salts and the padding of the last block. */
const messageOctets = 640
const blockOctets = 64
const digestOctets = 20
/** Octets of the length at the end of a message, and of the bit before the padding. */
const endOctets = 9

/** Hashes one name after the other. */
export class Nsec3Hash {
  readonly #message = new Uint8Array(messageOctets)
  readonly #schedule = new Int32Array(80)
  /** The last hash, its octets as numbers in network order. */
  readonly words = new Int32Array(hashWords)

  /** Hashes the name between `start` and `end` of `octets`, which is in lower case, with the salt that is in `salt` from
   *  `saltAt` on. */
  hash(octets: Uint8Array, start: number, end: number, settings: HashSettings): void {
    const { salt, saltAt, saltOctets, iterations } = settings
    const message = this.#message
    let length = 0
    for (let at = start; at < end; at += 1) message[length++] = octets[at] as number
    for (let round = 0; ; round += 1) {
      for (let i = 0; i < saltOctets; i += 1) message[length++] = salt[saltAt + i] as number
      this.#digest(length)
      if (round === iterations) return
      for (length = 0; length < digestOctets; length += 1) {
        message[length] = (this.words[length >> 2] as number) >>> (24 - 8 * (length & 3))
      }
    }
  }

  /** RFC 3174 section 6.1 over the first so many octets of the message. */
  #digest(length: number): void {
    const message = this.#message
    const end = Math.ceil((length + endOctets) / blockOctets) * blockOctets
    message[length] = 0x80
    for (let i = length + 1; i < end; i += 1) message[i] = 0
    // Less than 2^16 bits.
    message[end - 2] = length >>> 5
    message[end - 1] = length << 3
    const { words } = this
    words[0] = 0x67452301
    words[1] = 0xefcdab89
    words[2] = 0x98badcfe
    words[3] = 0x10325476
    words[4] = 0xc3d2e1f0
    for (let at = 0; at < end; at += blockOctets) this.#addBlock(at)
  }

  #addBlock(at: number): void {
    const w = this.#schedule
    const message = this.#message
    for (let i = 0; i < 16; i += 1) {
      const from = at + 4 * i
      w[i] =
        ((message[from] as number) << 24) |
        ((message[from + 1] as number) << 16) |
        ((message[from + 2] as number) << 8) |
        (message[from + 3] as number)
    }
    for (let i = 16; i < 80; i += 1) {
      const x =
        (w[i - 3] as number) ^ (w[i - 8] as number) ^ (w[i - 14] as number) ^ (w[i - 16] as number)
      w[i] = (x << 1) | (x >>> 31)
    }
    const { words } = this
    let a = words[0] as number
    let b = words[1] as number
    let c = words[2] as number
    let d = words[3] as number
    let e = words[4] as number
    for (let i = 0; i < 20; i += 1) {
      const next =
        (((a << 5) | (a >>> 27)) + ((b & c) | (~b & d)) + e + 0x5a827999 + (w[i] as number)) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 20; i < 40; i += 1) {
      const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + (w[i] as number)) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 40; i < 60; i += 1) {
      const next =
        (((a << 5) | (a >>> 27)) +
          ((b & c) | (b & d) | (c & d)) +
          e +
          0x8f1bbcdc +
          (w[i] as number)) |
        0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 60; i < 80; i += 1) {
      const next = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0xca62c1d6 + (w[i] as number)) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    words[0] = (words[0] as number) + a
    words[1] = (words[1] as number) + b
    words[2] = (words[2] as number) + c
    words[3] = (words[3] as number) + d
    words[4] = (words[4] as number) + e
  }
}

/** The iterations of a hash and its salt. */
export type HashSettings = {
  readonly salt: Uint8Array
  readonly saltAt: number
  readonly saltOctets: number
  readonly iterations: number
}

/** A power of two. */
const slotCount = 256
const slotNameOctets = 256
const maxSaltOctets = 255

/** The hashes of some recent names, and the entries they led to: negative answers of a zone share those of its apex and of
 *  `*` below the apex. */
export class KnownHashes {
  readonly #names = new Uint8Array(slotCount * slotNameOctets)
  readonly #lengths = new Int32Array(slotCount)
  readonly #hashes = new Int32Array(slotCount * hashWords)
  /** The entry that was found, and when: zone, its changes, epoch of the table. */
  readonly #found = new Int32Array(slotCount)
  readonly #moments = new Int32Array(3 * slotCount)
  #zone = 0
  #changes = 0
  #epoch = 0
  readonly #salt = new Uint8Array(maxSaltOctets)
  #saltOctets = 0
  #iterations = 0

  /** Identifies the present moment: a zone keeps its entries until it changes, and no entry that a reader can find is
   *  reused until the epoch ends. */
  begin(zone: number, changes: number, epoch: number): void {
    this.#zone = zone
    this.#changes = changes
    this.#epoch = epoch
  }

  /** Returns the entry that the name of a slot led to at this moment; -1 where that is not known. */
  foundOf(slot: number): number {
    const at = 3 * slot
    const moments = this.#moments
    return moments[at] === this.#zone &&
      moments[at + 1] === this.#changes &&
      moments[at + 2] === this.#epoch
      ? (this.#found[slot] as number)
      : -1
  }

  putFound(slot: number, found: number): void {
    this.#found[slot] = found
    const at = 3 * slot
    this.#moments[at] = this.#zone
    this.#moments[at + 1] = this.#changes
    this.#moments[at + 2] = this.#epoch
  }

  /** @param nameHash any number that belongs to the name */
  slotOf(nameHash: number): number {
    return nameHash & (slotCount - 1)
  }

  /** Whether a slot has the hash of the name from `at` to the end of `octets`. After a change of settings no slot has one. */
  has(slot: number, octets: Uint8Array, at: number, settings: HashSettings): boolean {
    if (!this.#isFor(settings)) this.#beginWith(settings)
    const length = octets.length - at
    if (this.#lengths[slot] !== length) return false
    const from = slot * slotNameOctets
    for (let i = 0; i < length; i += 1) {
      if (this.#names[from + i] !== octets[at + i]) return false
    }
    return true
  }

  read(slot: number, into: Int32Array): void {
    const from = slot * hashWords
    for (let i = 0; i < hashWords; i += 1) into[i] = this.#hashes[from + i] as number
  }

  /** To be called after a `has` that returned false. The entry of the name is unknown then. */
  put(slot: number, octets: Uint8Array, at: number, hash: Int32Array): void {
    const length = octets.length - at
    const nameFrom = slot * slotNameOctets
    for (let i = 0; i < length; i += 1) this.#names[nameFrom + i] = octets[at + i] as number
    this.#lengths[slot] = length
    const from = slot * hashWords
    for (let i = 0; i < hashWords; i += 1) this.#hashes[from + i] = hash[i] as number
    this.#moments[3 * slot] = 0
  }

  #isFor({ salt, saltAt, saltOctets, iterations }: HashSettings): boolean {
    if (saltOctets !== this.#saltOctets || iterations !== this.#iterations) return false
    for (let i = 0; i < saltOctets; i += 1) if (this.#salt[i] !== salt[saltAt + i]) return false
    return true
  }

  #beginWith({ salt, saltAt, saltOctets, iterations }: HashSettings): void {
    for (let i = 0; i < saltOctets; i += 1) this.#salt[i] = salt[saltAt + i] as number
    this.#saltOctets = saltOctets
    this.#iterations = iterations
    this.#lengths.fill(0)
  }
}

/** Characters of a hash as a label (RFC 5155 section 3.3): five bits each. */
export const hashLabelOctets = 32
const digits = Buffer.from('0123456789abcdefghijklmnopqrstuv')
const valueOfDigit = new Int8Array(256).fill(-1)
for (const [value, digit] of digits.entries()) {
  valueOfDigit[digit] = value
  valueOfDigit[digit & 0xdf] = digit > 0x40 ? value : (valueOfDigit[digit & 0xdf] as number)
}

/** Reads a hash from the label whose length is at `at`; returns false where the label is not a hash. */
export function readHashLabel(octets: Uint8Array, at: number, into: Int32Array): boolean {
  if (octets[at] !== hashLabelOctets) return false
  into.fill(0)
  for (let i = 0; i < hashLabelOctets; i += 1) {
    const value = valueOfDigit[octets[at + 1 + i] as number] as number
    if (value < 0) return false
    const bit = 5 * i
    const word = bit >> 5
    const room = 32 - (bit & 31)
    if (room >= 5) into[word] = (into[word] as number) | (value << (room - 5))
    else {
      into[word] = (into[word] as number) | (value >>> (5 - room))
      into[word + 1] = (into[word + 1] as number) | (value << (27 + room))
    }
  }
  return true
}

/** Writes the label of the hash that lies in `words` from `from` on, with its length, to `at`. */
export function writeHashLabel(
  words: Int32Array,
  from: number,
  octets: Uint8Array,
  at: number,
): void {
  octets[at] = hashLabelOctets
  for (let i = 0; i < hashLabelOctets; i += 1) {
    const bit = 5 * i
    const word = from + (bit >> 5)
    const room = 32 - (bit & 31)
    const value =
      room >= 5
        ? (words[word] as number) >>> (room - 5)
        : ((words[word] as number) << (5 - room)) | ((words[word + 1] as number) >>> (27 + room))
    octets[at + 1 + i] = digits[value & 31] as number
  }
}
