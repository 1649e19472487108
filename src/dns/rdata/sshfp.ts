import { defineRdata } from './define-rdata.ts'
import { type DigestOctets, findDigestFault } from './digest-octets.ts'
import { hexRest } from './fields/hex.ts'
import { u8 } from './fields/integers.ts'

/** SHA-1 (RFC 4255 section 3.1.2) and SHA-256 (RFC 6594 section 4.1). */
const digestOctets: DigestOctets = new Map([
  [1, 20],
  [2, 32],
])

/** RFC 4255 section 3. */
export const sshfp = defineRdata(
  'SSHFP',
  { algorithm: u8, fingerprintType: u8, fingerprint: hexRest },
  {
    findFault: ({ fingerprintType, fingerprint }) =>
      findDigestFault({ kind: fingerprintType, digest: fingerprint }, digestOctets),
  },
)
