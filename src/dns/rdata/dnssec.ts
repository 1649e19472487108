import { defineRdata } from './define-rdata.ts'
import { type DigestOctets, findDigestFault } from './digest-octets.ts'
import { base32hex } from './fields/base32hex.ts'
import { base64Rest, optionalBase64Rest } from './fields/base64.ts'
import { algorithm } from './fields/code.ts'
import { hexRest } from './fields/hex.ts'
import { salt } from './fields/hex-words.ts'
import { u8, u16, u32 } from './fields/integers.ts'
import { name } from './fields/name.ts'
import { timestamp } from './fields/timestamp.ts'
import { lowTypes, typeBitmap } from './fields/type-bitmap.ts'
import { coveredType } from './fields/type-code.ts'

// Keys, signatures and proofs of zones, now and formerly. Every export of this file is registered as one.

const dnskeyFields = { flags: u16, protocol: u8, algorithm, publicKey: base64Rest }

/** RFC 4034 section 2.1.2. */
const dnssecProtocol = 3

function findProtocolFault({ protocol }: { protocol: number }): string | undefined {
  return protocol === dnssecProtocol ? undefined : `the protocol is 3, ${protocol} was found`
}

/** RFC 4034 section 2. */
export const dnskey = defineRdata('DNSKEY', dnskeyFields, { findFault: findProtocolFault })

/** RFC 7344 section 3.2. `0 3 0 AA==` asks the parent to remove the DS set (RFC 8078 section 4). */
export const cdnskey = defineRdata('CDNSKEY', dnskeyFields, { findFault: findProtocolFault })

/** SHA-1, SHA-256, GOST R 34.11-94, SHA-384 (IANA DS RR Type Digest Algorithms). */
const dsDigestOctets: DigestOctets = new Map([
  [1, 20],
  [2, 32],
  [3, 32],
  [4, 48],
])

const dsFields = { keyTag: u16, algorithm, digestType: u8, digest: hexRest }

function findDsFault(value: { digestType: number; digest: Uint8Array }): string | undefined {
  return findDigestFault({ kind: value.digestType, digest: value.digest }, dsDigestOctets)
}

/** RFC 4034 section 5. */
export const ds = defineRdata('DS', dsFields, { findFault: findDsFault })

/** RFC 7344 section 3.1. `0 0 0 00` asks the parent to remove the DS set (RFC 8078 section 4). */
export const cds = defineRdata('CDS', dsFields, { findFault: findDsFault })

/** DNSSEC trust authorities, an assignment of 2005 without an RFC: DS under another number. */
export const ta = defineRdata('TA', dsFields, { findFault: findDsFault })

/** RFC 4431: DS of a zone whose parent has none. */
export const dlv = defineRdata('DLV', dsFields, { findFault: findDsFault })

const signatureFields = {
  typeCovered: coveredType,
  algorithm,
  labelCount: u8,
  originalTtlSeconds: u32,
  expiration: timestamp,
  inception: timestamp,
  keyTag: u16,
  signer: name,
  signature: base64Rest,
}

/** RFC 4034 section 3. */
export const rrsig = defineRdata('RRSIG', signatureFields)

/** RFC 2535 section 4, which RFC 4034 gave the signatureFields of RRSIG to; alive as SIG(0) (RFC 2931). */
export const sig = defineRdata('SIG', signatureFields)

/** RFC 2535 section 3.1.2: both bits together mean that there is no key. */
const noKey = 0xc000

/** RFC 2535 section 3; alive as the keys of SIG(0) (RFC 2931). */
export const key = defineRdata(
  'KEY',
  { flags: u16, protocol: u8, algorithm, publicKey: optionalBase64Rest },
  {
    findFault({ flags, publicKey }) {
      const hasKey = (flags & noKey) !== noKey
      if (hasKey === publicKey.length > 0) return undefined
      return hasKey ? 'the key is missing' : `flags ${flags} say that there is no key`
    },
  },
)

/** A key for messages to a zone's readers, an assignment without an RFC. */
export const rkey = defineRdata(
  'RKEY',
  { flags: u16, protocol: u8, algorithm, publicKey: base64Rest },
  { findFault: ({ flags }) => (flags === 0 ? undefined : `the flags are 0, ${flags} was found`) },
)

/** RFC 4034 section 4. */
export const nsec = defineRdata('NSEC', { next: name, types: typeBitmap })

const nsec3Parameters = { hashAlgorithm: u8, flags: u8, iterations: u16, salt }

/** RFC 5155 section 3. */
export const nsec3 = defineRdata('NSEC3', {
  ...nsec3Parameters,
  nextHash: base32hex,
  types: typeBitmap,
})

/** RFC 5155 section 4. */
export const nsec3param = defineRdata('NSEC3PARAM', nsec3Parameters)

/** RFC 2535 section 5. */
export const nxt = defineRdata('NXT', { nextDomain: name, types: lowTypes })

/** RFC 7477 section 2. */
export const csync = defineRdata('CSYNC', { serial: u32, flags: u16, types: typeBitmap })

/** SHA-384 and SHA-512 (RFC 8976 section 5.3). */
const zoneDigestOctets: DigestOctets = new Map([
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
      return findDigestFault({ kind: hashAlgorithm, digest }, zoneDigestOctets)
    },
  },
)

/** The trust anchors before and after, an assignment without an RFC. */
export const talink = defineRdata('TALINK', { previous: name, next: name })
