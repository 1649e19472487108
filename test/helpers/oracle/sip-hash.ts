/** SipHash-2-4 in the words of its paper, in numbers of 64 bits. */
export function sipHash(key: Uint8Array, message: Uint8Array): Buffer {
  const [k0 = 0n, k1 = 0n] = wordsOf(key)
  let [v0, v1, v2, v3] = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ]
  const round = (): void => {
    v0 = sum(v0, v1)
    v1 = rotate(v1, 13n) ^ v0
    v0 = rotate(v0, 32n)
    v2 = sum(v2, v3)
    v3 = rotate(v3, 16n) ^ v2
    v0 = sum(v0, v3)
    v3 = rotate(v3, 21n) ^ v0
    v2 = sum(v2, v1)
    v1 = rotate(v1, 17n) ^ v2
    v2 = rotate(v2, 32n)
  }
  const padded = Buffer.alloc(Math.ceil((message.length + 1) / 8) * 8)
  padded.set(message)
  padded[padded.length - 1] = message.length
  for (const word of wordsOf(padded)) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }
  v2 ^= 0xffn
  for (let i = 0; i < 4; i += 1) round()
  const hash = Buffer.alloc(8)
  hash.writeBigUInt64LE(v0 ^ v1 ^ v2 ^ v3)
  return hash
}

function wordsOf(octets: Uint8Array): bigint[] {
  const view = Buffer.from(octets)
  return Array.from({ length: octets.length / 8 }, (_, i) => view.readBigUInt64LE(8 * i))
}

function sum(a: bigint, b: bigint): bigint {
  return BigInt.asUintN(64, a + b)
}

function rotate(value: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, (value << bits) | (value >> (64n - bits)))
}
