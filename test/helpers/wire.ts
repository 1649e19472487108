// Octets as hex, which is how wire tests are written and compared.

/** Returns the octets of a hex text; blanks are only for reading. */
export function octetsOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replace(/\s+/g, ''), 'hex'))
}

export function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex')
}
