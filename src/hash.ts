/** One step of FNV-1a with 32 bits. Start from a secret seed where untrusted parties choose the input. */
export function hashStep(hash: number, octet: number): number {
  return Math.imul(hash ^ octet, 0x0100_0193)
}

/** MurmurHash3's final mix: every bit of the result depends on every bit of the hash. */
export function finishHash(hashed: number): number {
  let hash = hashed
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return hash ^ (hash >>> 16)
}
