import { defineRdata } from './define-rdata.ts'
import { type DigestOctets, findDigestFault } from './digest-octets.ts'
import { hexRest } from './fields/hex.ts'
import { u8, u32 } from './fields/integers.ts'

/** SHA-384 and SHA-512 (RFC 8976 section 5.3). */
const digestOctets: DigestOctets = new Map([
  [1, 48],
  [2, 64],
])
/** RFC 8976 section 2.2.4. */
const minDigestOctets = 12

/** RFC 8976 section 2. */
export const zonemd = defineRdata(
  'ZONEMD',
  { serial: u32, scheme: u8, hashAlgorithm: u8, digest: hexRest },
  {
    findFault({ hashAlgorithm, digest }) {
      if (digest.length < minDigestOctets) return `a digest has at least ${minDigestOctets} octets`
      return findDigestFault({ kind: hashAlgorithm, digest }, digestOctets)
    },
  },
)
