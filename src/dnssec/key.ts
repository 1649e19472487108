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
import { formatRdata } from '../dns/rdata/index.ts'
import type { Rrset } from '../zone/rrset.ts'
import { canonicalRecords, signedLabelCount } from './canonical.ts'

// Keys of zones: ECDSA with P-256 (RFC 6605), Ed25519 (RFC 8080), and RSA with SHA-256 (RFC 5702) for imported keys.

export const algorithms = { rsaSha256: 8, ecdsaP256: 13, ed25519: 15 } as const
/** Kinds of digests in DS (RFC 4509, RFC 6605). */
export const dsDigests = { 2: 'sha256', 4: 'sha384' } as const
export type DsDigest = keyof typeof dsDigests

const protocol = 3
/** Zone key, and secure entry point, which marks keys that DS refer to (RFC 4034 section 2.1.1). */
const zoneKeyFlag = 256
const entryFlag = 1
const coordinateOctets = 32

/** A new private key, as PKCS#8 in DER.
 *  @throws Error keys of the algorithm are not made here */
export function newPrivateKey(algorithm: number = algorithms.ecdsaP256): Buffer {
  const { privateKey } = newKeyPair(algorithm)
  return privateKey.export({ format: 'der', type: 'pkcs8' })
}

function newKeyPair(algorithm: number): { readonly privateKey: KeyObject } {
  if (algorithm === algorithms.ecdsaP256) return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === algorithms.ed25519) return generateKeyPairSync('ed25519')
  throw new Error(`keys of algorithm ${algorithm} are not made here`)
}

/** The algorithm that a private key is for; undefined where zones are not signed with such keys. */
export function algorithmOf(key: KeyObject): number | undefined {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return algorithms.ecdsaP256
  if (key.asymmetricKeyType === 'ed25519') return algorithms.ed25519
  const isRsa = key.asymmetricKeyType === 'rsa' && modulusLength >= 2048 && modulusLength <= 4096
  return isRsa ? algorithms.rsaSha256 : undefined
}

/** The validity period of a signature, in seconds since 1970. */
export type SignatureTimes = { readonly inception: number; readonly expiration: number }

/** A key of a zone. */
export class ZoneKey {
  readonly privateKey: KeyObject
  /** Its private part, in DER. */
  readonly pkcs8: Uint8Array
  /** Rdata of its DNSKEY. */
  readonly dnskey: Uint8Array
  readonly tag: number

  readonly algorithm: number
  /** Whether DS refer to it (KSK, CSK). */
  readonly isEntry: boolean

  /** @param isEntry whether DS refer to it (KSK, CSK)
   *  @throws Error it is not PKCS#8 of a key that zones are signed with */
  constructor(pkcs8: Uint8Array, { isEntry = true } = {}) {
    this.pkcs8 = new Uint8Array(pkcs8)
    this.isEntry = isEntry
    this.privateKey = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })
    const algorithm = algorithmOf(this.privateKey)
    if (algorithm === undefined) throw new Error('zones are not signed with keys of this kind')
    this.algorithm = algorithm
    const flags = zoneKeyFlag | (isEntry ? entryFlag : 0)
    const head = Buffer.from([flags >> 8, flags & 0xff, protocol, algorithm])
    this.dnskey = new Uint8Array(Buffer.concat([head, publicOctets(this.privateKey)]))
    this.tag = keyTag(this.dnskey)
  }

  /** Rdata of the DS of the key in its parent (RFC 4034 section 5). */
  ds(apex: Name, digest: DsDigest): Uint8Array {
    const hash = createHash(dsDigests[digest])
    hash.update(Buffer.from(lowerCaseName(apex), 'latin1')).update(this.dnskey)
    const head = [this.tag >> 8, this.tag & 0xff, this.algorithm, digest]
    return new Uint8Array([...head, ...hash.digest()])
  }

  /** The same as text: tag, algorithm, kind of digest, digest. */
  dsText(apex: Name, digest: DsDigest = 2): string {
    return formatRdata(types.DS, this.ds(apex, digest))
  }

  dnskeyText(): string {
    return formatRdata(types.DNSKEY, this.dnskey)
  }

  /** The signed data of an RRset: the rdata of its RRSIG without the signature (RFC 4034 section 3.1.8.1), and its records. */
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
    head.writeUInt8(this.algorithm, 2)
    head.writeUInt8(signedLabelCount(owner), 3)
    head.writeUInt32BE(rrset.ttlSeconds, 4)
    head.writeUInt32BE(times.expiration >>> 0, 8)
    head.writeUInt32BE(times.inception >>> 0, 12)
    head.writeUInt16BE(this.tag, 16)
    signer.copy(head, signatureHeadOctets)
    return { head, data: Buffer.concat([head, canonicalRecords(owner, rrset)]) }
  }

  /** Whether an RRSIG claims to be of this key. */
  hasMade(signature: Uint8Array): boolean {
    const { tag, algorithm } = signatureFields(signature)
    return tag === this.tag && algorithm === this.algorithm
  }

  sign(data: Uint8Array): Buffer {
    return signWith(this.privateKey, data)
  }
}

const signatureHeadOctets = 18

/** Signs in the form for the kind of key; for ECDSA the two numbers one after the other (RFC 6605 section 4). */
export function signWith(privateKey: KeyObject, data: Uint8Array): Buffer {
  if (privateKey.asymmetricKeyType === 'ed25519') return sign(null, data, privateKey)
  const signature = sign('sha256', data, privateKey)
  return privateKey.asymmetricKeyType === 'ec' ? numbersOf(signature) : signature
}

/** The two numbers of a DER sequence, one after the other. Node offers this too (`ieee-p1363`), but takes as long for it as for
 *  the signature. */
function numbersOf(der: Buffer): Buffer {
  const numbers = Buffer.alloc(2 * coordinateOctets)
  let at = 2
  for (const end of [coordinateOctets, 2 * coordinateOctets]) {
    const length = der[at + 1] as number
    at += 2 + length
    // DER puts a 0 in front of a number that would otherwise be negative, and no zeros in front of a small one.
    const kept = Math.min(length, coordinateOctets)
    der.copy(numbers, end - kept, at - kept, at)
  }
  return numbers
}

/** The fields of an RRSIG. */
export function signatureFields(rdata: Uint8Array): {
  readonly covered: number
  readonly algorithm: number
  readonly ttlSeconds: number
  readonly expiration: number
  readonly inception: number
  readonly tag: number
} {
  const view = new DataView(rdata.buffer, rdata.byteOffset, rdata.length)
  return {
    covered: view.getUint16(0),
    algorithm: view.getUint8(2),
    ttlSeconds: view.getUint32(4),
    expiration: view.getUint32(8),
    inception: view.getUint32(12),
    tag: view.getUint16(16),
  }
}

/** RFC 4034 appendix B. */
function keyTag(dnskey: Uint8Array): number {
  let sum = 0
  for (const [i, octet] of dnskey.entries()) sum += (i & 1) === 0 ? octet << 8 : octet
  return (sum + (sum >>> 16)) & 0xffff
}

/** The public key in the form of DNSKEY (RFC 6605 section 4, RFC 8080 section 3, RFC 3110 section 2). */
function publicOctets(privateKey: KeyObject): Buffer {
  const { x = '', y = '', n = '', e = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  if (privateKey.asymmetricKeyType === 'ec') return Buffer.concat([coordinate(x), coordinate(y)])
  if (privateKey.asymmetricKeyType === 'ed25519') return Buffer.from(x, 'base64url')
  const exponent = Buffer.from(e, 'base64url')
  return Buffer.concat([Buffer.from([exponent.length]), exponent, Buffer.from(n, 'base64url')])
}

function coordinate(text: string): Buffer {
  const octets = Buffer.from(text, 'base64url')
  return Buffer.concat([Buffer.alloc(coordinateOctets - octets.length), octets])
}

/** Types that the server makes at the apex of a zone that it signs, by the keys that sign DNSKEY (RFC 7344 section 4.1). */
export const apexKeyTypes: ReadonlySet<number> = new Set([types.DNSKEY, types.CDS, types.CDNSKEY])
