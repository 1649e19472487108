import { defineRdata } from './define-rdata.ts'
import { type DigestOctets, findDigestFault } from './digest-octets.ts'
import { base64Rest, optionalBase64Rest } from './fields/base64.ts'
import { algorithm, certificateType } from './fields/code.ts'
import { findKindFault, tunnel } from './fields/gateway.ts'
import { hexRest } from './fields/hex.ts'
import { hostIdentity } from './fields/host-identity.ts'
import { u8, u16 } from './fields/integers.ts'
import { names } from './fields/name.ts'

// Keys, certificates and fingerprints of hosts and people. Every export of this file is registered as one.

/** RFC 4398 section 2. */
export const cert = defineRdata('CERT', {
  type: certificateType,
  keyTag: u16,
  algorithm,
  certificate: base64Rest,
})

/** SHA-256 and SHA-512; matching type 0 is the certificate or key itself (RFC 6698 section 2.1.3). */
const associationOctets: DigestOctets = new Map([
  [1, 32],
  [2, 64],
])

const associationFields = { usage: u8, selector: u8, matchingType: u8, association: hexRest }

function findAssociationFault(value: {
  matchingType: number
  association: Uint8Array
}): string | undefined {
  return findDigestFault({ kind: value.matchingType, digest: value.association }, associationOctets)
}

/** RFC 6698 section 2. */
export const tlsa = defineRdata('TLSA', associationFields, { findFault: findAssociationFault })

/** RFC 8162 section 2. */
export const smimea = defineRdata('SMIMEA', associationFields, { findFault: findAssociationFault })

/** RSA, DSA, ECDSA, Ed25519 and Ed448 (IANA SSHFP RR Types for public key fingerprintAlgorithms). */
const fingerprintAlgorithms: ReadonlySet<number> = new Set([1, 2, 3, 4, 6])

/** SHA-1 (RFC 4255 section 3.1.2) and SHA-256 (RFC 6594 section 4.1). */
const fingerprintOctets: DigestOctets = new Map([
  [1, 20],
  [2, 32],
])

type Fingerprint = { algorithm: number; fingerprintType: number; fingerprint: Uint8Array }

/** An unassigned number is a typing error: no SSH client compares such a fingerprint. */
function findFingerprintFault({
  algorithm,
  fingerprintType,
  fingerprint,
}: Fingerprint): string | undefined {
  if (!fingerprintAlgorithms.has(algorithm)) return `no algorithm ${algorithm} is known`
  if (!fingerprintOctets.has(fingerprintType))
    return `no fingerprint type ${fingerprintType} is known`
  return findDigestFault({ kind: fingerprintType, digest: fingerprint }, fingerprintOctets)
}

/** RFC 4255 section 3. */
export const sshfp = defineRdata(
  'SSHFP',
  { algorithm: u8, fingerprintType: u8, fingerprint: hexRest },
  { findFault: findFingerprintFault },
)

/** RFC 7929 section 2. */
export const openpgpkey = defineRdata('OPENPGPKEY', { publicKey: base64Rest })

/** RFC 4025 section 2. */
export const ipseckey = defineRdata(
  'IPSECKEY',
  { precedence: u8, tunnel, publicKey: optionalBase64Rest },
  {
    findFault({ tunnel, publicKey }) {
      const fault = findKindFault('gateway', tunnel.kind)
      if (fault !== undefined || tunnel.algorithm !== 0 || publicKey.length === 0) return fault
      return 'algorithm 0 means that there is no key'
    },
  },
)

/** RFC 8005 section 5. */
export const hip = defineRdata('HIP', { identity: hostIdentity, rendezvousServers: names })

/** RFC 4701 section 3. */
export const dhcid = defineRdata('DHCID', { digest: base64Rest })

/** RFC 9886 section 5.1: the entity tag of a drone. */
export const hhit = defineRdata('HHIT', { data: base64Rest })

/** RFC 9886 section 5.2: the data to check a drone's broadcasts with. */
export const brid = defineRdata('BRID', { data: base64Rest })
