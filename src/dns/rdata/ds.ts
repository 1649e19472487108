import { defineRdata } from './define-rdata.ts'
import { type DigestOctets, findDigestFault } from './digest-octets.ts'
import { algorithm } from './fields/code.ts'
import { hexRest } from './fields/hex.ts'
import { u8, u16 } from './fields/integers.ts'

/** SHA-1, SHA-256, GOST R 34.11-94, SHA-384 (IANA DS RR Type Digest Algorithms). */
const digestOctets: DigestOctets = new Map([
  [1, 20],
  [2, 32],
  [3, 32],
  [4, 48],
])

const fields = { keyTag: u16, algorithm, digestType: u8, digest: hexRest }

function findFault(value: { digestType: number; digest: Uint8Array }): string | undefined {
  return findDigestFault({ kind: value.digestType, digest: value.digest }, digestOctets)
}

/** RFC 4034 section 5. */
export const ds = defineRdata('DS', fields, { findFault })

/** RFC 7344 section 3.1. `0 0 0 00` asks the parent to remove the DS set (RFC 8078 section 4). */
export const cds = defineRdata('CDS', fields, { findFault })

/** DNSSEC trust authorities, an assignment of 2005 without an RFC: DS under another number. */
export const ta = defineRdata('TA', fields, { findFault })

/** RFC 4431: DS of a zone whose parent has none. */
export const dlv = defineRdata('DLV', fields, { findFault })
