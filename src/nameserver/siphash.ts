/** SipHash-2-4 (Aumasson and Bernstein, 2012) under one key, as DNS cookies need it (RFC 9018 section 4.4). It allocates
 *  nothing. Numbers of 64 bits are two words, the lower one first. */
export class SipHash {
  readonly #key = new Int32Array(4)
  readonly #state = new Int32Array(8)

  /** @param key 16 octets */
  constructor(key: Uint8Array) {
    for (let i = 0; i < 4; i += 1) this.#key[i] = word(key, 4 * i, key.length)
  }

  /** Hashes the first `length` octets and writes the 8 octets of the hash to `into` at `at`. */
  hash(octets: Uint8Array, length: number, into: Uint8Array, at: number): void {
    const v = this.#state
    for (let i = 0; i < 8; i += 1) v[i] = (start[i] as number) ^ (this.#key[i % 4] as number)
    const blocksEnd = length & ~7
    for (let i = 0; i < blocksEnd; i += 8) {
      compress(v, word(octets, i, length), word(octets, i + 4, length))
    }
    const lastHigh = word(octets, blocksEnd + 4, length) | (length << 24)
    compress(v, word(octets, blocksEnd, length), lastHigh)
    v[v2] = (v[v2] as number) ^ 0xff
    for (let i = 0; i < 4; i += 1) round(v)
    for (let half = 0; half < 2; half += 1) {
      const part =
        (v[half] as number) ^
        (v[half + v1] as number) ^
        (v[half + v2] as number) ^
        (v[half + v3] as number)
      for (let i = 0; i < 4; i += 1) into[at + 4 * half + i] = part >>> (8 * i)
    }
  }
}

const v0 = 0
const v1 = 2
const v2 = 4
const v3 = 6

/** "somepseudorandomlygeneratedbytes" */
const start = [
  ...[0x70736575, 0x736f6d65, 0x6e646f6d, 0x646f7261],
  ...[0x6e657261, 0x6c796765, 0x79746573, 0x74656462],
]

/** Four octets from `at`, with zeros behind the end. */
function word(octets: Uint8Array, at: number, end: number): number {
  let value = 0
  for (let i = 0; i < 4 && at + i < end; i += 1) value |= (octets[at + i] as number) << (8 * i)
  return value
}

function compress(v: Int32Array, low: number, high: number): void {
  v[v3] = (v[v3] as number) ^ low
  v[v3 + 1] = (v[v3 + 1] as number) ^ high
  round(v)
  round(v)
  v[v0] = (v[v0] as number) ^ low
  v[v0 + 1] = (v[v0 + 1] as number) ^ high
}

function round(v: Int32Array): void {
  mix(v, v0, v1, 13)
  swap(v, v0)
  mix(v, v2, v3, 16)
  mix(v, v0, v3, 21)
  mix(v, v2, v1, 17)
  swap(v, v2)
}

/** Adds `b` to `a`, then rotates `b` and combines it with `a`. */
function mix(v: Int32Array, a: number, b: number, bits: number): void {
  const low = v[b] as number
  const high = v[b + 1] as number
  const sumLow = ((v[a] as number) + low) | 0
  const carry = sumLow >>> 0 < low >>> 0 ? 1 : 0
  const sumHigh = ((v[a + 1] as number) + high + carry) | 0
  v[a] = sumLow
  v[a + 1] = sumHigh
  v[b] = ((low << bits) | (high >>> (32 - bits))) ^ sumLow
  v[b + 1] = ((high << bits) | (low >>> (32 - bits))) ^ sumHigh
}

/** Rotates by 32. */
function swap(v: Int32Array, at: number): void {
  const low = v[at] as number
  v[at] = v[at + 1] as number
  v[at + 1] = low
}
