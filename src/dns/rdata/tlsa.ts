import { defineRdata } from './define-rdata.ts'
import { type DigestOctets, findDigestFault } from './digest-octets.ts'
import { hexRest } from './fields/hex.ts'
import { u8 } from './fields/integers.ts'

/** SHA-256 and SHA-512; matching type 0 is the certificate or key itself (RFC 6698 section 2.1.3). */
const digestOctets: DigestOctets = new Map([
  [1, 32],
  [2, 64],
])

const fields = { usage: u8, selector: u8, matchingType: u8, association: hexRest }

function findFault(value: { matchingType: number; association: Uint8Array }): string | undefined {
  return findDigestFault({ kind: value.matchingType, digest: value.association }, digestOctets)
}

/** RFC 6698 section 2. */
export const tlsa = defineRdata('TLSA', fields, { findFault })

/** RFC 8162 section 2. */
export const smimea = defineRdata('SMIMEA', fields, { findFault })
