import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { types } from '../dns/codes.ts'
import { lowerCaseName, type Name } from '../dns/name.ts'
import type { Rrset } from '../zone/rrset.ts'
import { canonicalRecords, signedLabelCount } from './canonical.ts'

// Keys of algorithm 13, ECDSA with P-256 and SHA-256 (RFC 6605).

export const ecdsaP256 = 13
const sha256Digest = 2
const protocol = 3
/** Zone key and secure entry point (RFC 4034 section 2.1.1): of a key that signs all, and that DS refers to. */
const cskFlags = 257
const coordinateOctets = 32

/** A new private key, as PKCS#8 in DER. */
export function newPrivateKey(): Buffer {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'der', type: 'pkcs8' })
}

/** When a signature is good, in seconds since 1970. */
export type SignatureTimes = { readonly inception: number; readonly expiration: number }

/** A key of a zone. */
export class ZoneKey {
  readonly privateKey: KeyObject
  /** Its private part, in DER. */
  readonly pkcs8: Uint8Array
  /** Rdata of its DNSKEY. */
  readonly dnskey: Uint8Array
  readonly tag: number

  /** @throws Error it is no PKCS#8 of a P-256 key */
  constructor(pkcs8: Buffer) {
    this.pkcs8 = new Uint8Array(pkcs8)
    this.privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
    const { x = '', y = '' } = createPublicKey(this.privateKey).export({ format: 'jwk' })
    const point = Buffer.concat([coordinate(x), coordinate(y)])
    const head = Buffer.from([cskFlags >> 8, cskFlags & 0xff, protocol, ecdsaP256])
    this.dnskey = new Uint8Array(Buffer.concat([head, point]))
    this.tag = keyTag(this.dnskey)
  }

  /** The DS of the key in its parent, as text: tag, algorithm, kind of digest, digest (RFC 4034 section 5). */
  dsText(apex: Name): string {
    const owner = Buffer.from(lowerCaseName(apex), 'latin1')
    const digest = createHash('sha256').update(owner).update(this.dnskey).digest('hex')
    return `${this.tag} ${ecdsaP256} ${sha256Digest} ${digest}`
  }

  dnskeyText(): string {
    const key = Buffer.from(this.dnskey.subarray(4)).toString('base64')
    return `${cskFlags} ${protocol} ${ecdsaP256} ${key}`
  }

  /** What is signed of an RRset: the rdata of its RRSIG without the signature (RFC 4034 section 3.1.8.1), and its records. */
  toBeSigned(
    apex: Name,
    {
      owner,
      rrset,
      times,
    }: { readonly owner: Name; readonly rrset: Rrset; readonly times: SignatureTimes },
  ): { readonly head: Buffer; readonly data: Buffer } {
    const signer = Buffer.from(lowerCaseName(apex), 'latin1')
    const head = Buffer.alloc(signatureHeadOctets + signer.length)
    head.writeUInt16BE(rrset.type, 0)
    head.writeUInt8(ecdsaP256, 2)
    head.writeUInt8(signedLabelCount(owner), 3)
    head.writeUInt32BE(rrset.ttlSeconds, 4)
    head.writeUInt32BE(times.expiration >>> 0, 8)
    head.writeUInt32BE(times.inception >>> 0, 12)
    head.writeUInt16BE(this.tag, 16)
    signer.copy(head, signatureHeadOctets)
    return { head, data: Buffer.concat([head, canonicalRecords(owner, rrset)]) }
  }

  sign(data: Uint8Array): Buffer {
    return signWith(this.privateKey, data)
  }
}

const signatureHeadOctets = 18

/** The two numbers of a signature beside each other (RFC 6605 section 4). */
export function signWith(privateKey: KeyObject, data: Uint8Array): Buffer {
  return sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
}

/** What an RRSIG says of itself. */
export function signatureFields(rdata: Uint8Array): {
  readonly covered: number
  readonly ttlSeconds: number
  readonly expiration: number
  readonly tag: number
} {
  const view = new DataView(rdata.buffer, rdata.byteOffset, rdata.length)
  return {
    covered: view.getUint16(0),
    ttlSeconds: view.getUint32(4),
    expiration: view.getUint32(8),
    tag: view.getUint16(16),
  }
}

/** RFC 4034 appendix B. */
function keyTag(dnskey: Uint8Array): number {
  let sum = 0
  for (const [i, octet] of dnskey.entries()) sum += (i & 1) === 0 ? octet << 8 : octet
  return (sum + (sum >>> 16)) & 0xffff
}

function coordinate(text: string): Buffer {
  const octets = Buffer.from(text, 'base64url')
  return Buffer.concat([Buffer.alloc(coordinateOctets - octets.length), octets])
}

/** Types that the server makes at the apex of a zone that it signs. */
export const apexKeyTypes: ReadonlySet<number> = new Set([types.DNSKEY, types.CDS, types.CDNSKEY])
