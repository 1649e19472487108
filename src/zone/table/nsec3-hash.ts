import { hashWords } from './layout.ts'

// The NSEC3 hash of a name (RFC 5155 section 5): SHA-1 of the name in lower case and a salt, and again of that and the salt
// as often as the zone says. It does not allocate; `node:crypto` does, and takes four times as long for so few octets.

/** Room for a name, salts and the padding of the last block. */
const messageOctets = 640
const blockOctets = 64
/** Octets of a hash. */
export const digestOctets = 20
/** Octets of the length at the end of a message, and of the bit before the padding. */
const endOctets = 9

/** Hashes one name after the other. */
export class Nsec3Hash {
  readonly #message = new Uint8Array(messageOctets)
  readonly #view = new DataView(this.#message.buffer)
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
    const view = this.#view
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(at + 4 * i)
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
    // What is waited for longest, `a`, is added last.
    for (let i = 0; i < 20; i += 1) {
      const next =
        (e + 0x5a827999 + (w[i] as number) + (d ^ (b & (c ^ d))) + ((a << 5) | (a >>> 27))) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 20; i < 40; i += 1) {
      const next = (e + 0x6ed9eba1 + (w[i] as number) + (b ^ c ^ d) + ((a << 5) | (a >>> 27))) | 0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 40; i < 60; i += 1) {
      const next =
        (e + 0x8f1bbcdc + (w[i] as number) + ((b & c) | (d & (b | c))) + ((a << 5) | (a >>> 27))) |
        0
      e = d
      d = c
      c = (b << 30) | (b >>> 2)
      b = a
      a = next
    }
    for (let i = 60; i < 80; i += 1) {
      const next = (e + 0xca62c1d6 + (w[i] as number) + (b ^ c ^ d) + ((a << 5) | (a >>> 27))) | 0
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

/** Two digits for each number of ten bits, the first one in the upper octet: half as many steps. */
const digitPairs = Uint16Array.from(
  { length: 1024 },
  (_, pair) => ((digits[pair >> 5] as number) << 8) | (digits[pair & 31] as number),
)

/** Writes the label of the hash that lies in `words` from `from` on, with its length, to `at`. */
export function writeHashLabel(
  words: Int32Array,
  from: number,
  octets: Uint8Array,
  at: number,
): void {
  octets[at] = hashLabelOctets
  for (let i = 0; i < hashLabelOctets / 2; i += 1) {
    const bit = 10 * i
    const word = from + (bit >> 5)
    const room = 32 - (bit & 31)
    const value =
      room >= 10
        ? (words[word] as number) >>> (room - 10)
        : ((words[word] as number) << (10 - room)) | ((words[word + 1] as number) >>> (22 + room))
    const pair = digitPairs[value & 1023] as number
    octets[at + 1 + 2 * i] = pair >>> 8
    octets[at + 2 + 2 * i] = pair
  }
}
