import { defineRdata } from './define-rdata.ts'
import { type DigestOctets, findDigestFault } from './digest-octets.ts'
import { hexRest } from './fields/hex.ts'
import { u8 } from './fields/integers.ts'

/** RSA, DSA, ECDSA, Ed25519 and Ed448 (IANA SSHFP RR Types for public key algorithms). */
const algorithms: ReadonlySet<number> = new Set([1, 2, 3, 4, 6])

/** SHA-1 (RFC 4255 section 3.1.2) and SHA-256 (RFC 6594 section 4.1). */
const digestOctets: DigestOctets = new Map([
  [1, 20],
  [2, 32],
])

type Fingerprint = { algorithm: number; fingerprintType: number; fingerprint: Uint8Array }

/** An unassigned number is a typing error: no SSH client compares such a fingerprint. */
function findFault({ algorithm, fingerprintType, fingerprint }: Fingerprint): string | undefined {
  if (!algorithms.has(algorithm)) return `no algorithm ${algorithm} is known`
  if (!digestOctets.has(fingerprintType)) return `no fingerprint type ${fingerprintType} is known`
  return findDigestFault({ kind: fingerprintType, digest: fingerprint }, digestOctets)
}

/** RFC 4255 section 3. */
export const sshfp = defineRdata(
  'SSHFP',
  { algorithm: u8, fingerprintType: u8, fingerprint: hexRest },
  { findFault },
)
