import type { Rrset } from './rrset.ts'

/** Octets of the five numbers that end SOA rdata (RFC 1035 section 3.3.13). */
export const soaNumbersOctets = 20
/** The shortest SOA rdata: two root names and the numbers. */
export const minSoaOctets = 2 + soaNumbersOctets

/** The numbers of a SOA, in the order of the rdata. Times are in seconds. */
export type SoaNumbers = {
  readonly serial: number
  readonly refreshSeconds: number
  readonly retrySeconds: number
  readonly expireSeconds: number
  readonly minimumSeconds: number
}

/** Reads the numbers of an RRset of type SOA.
 *  @throws RangeError not exactly one rdata, or one too short to be a SOA. */
export function soaNumbers({ rdatas }: Rrset): SoaNumbers {
  return soaNumbersIn(rdatas.length === 1 ? rdatas[0] : undefined)
}

/** Reads the numbers at the end of SOA rdata without looking at the names before them.
 *  @throws RangeError there is none, or it is too short to be a SOA. */
export function soaNumbersIn(rdata: Uint8Array | undefined): SoaNumbers {
  if (rdata === undefined || rdata.length < minSoaOctets) {
    throw new RangeError('a zone needs exactly one SOA record')
  }
  const numbers = new DataView(rdata.buffer, rdata.byteOffset + rdata.length - soaNumbersOctets)
  return {
    serial: numbers.getUint32(0),
    refreshSeconds: numbers.getUint32(4),
    retrySeconds: numbers.getUint32(8),
    expireSeconds: numbers.getUint32(12),
    minimumSeconds: numbers.getUint32(16),
  }
}
