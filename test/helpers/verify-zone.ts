import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { types } from '../../src/dns/codes.ts'
import { lowerCaseName, type Name } from '../../src/dns/name.ts'
import { isNewerSerial } from '../../src/dns/serial.ts'
import { canonicalRecords } from '../../src/dnssec/canonical.ts'
import { algorithms, type SignatureTimes, signatureFields } from '../../src/dnssec/key.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import { type SigningOptions, signZone } from './sign-zone.ts'
import { rrsetsFromText } from './zone.ts'
import { contentsOf, sameOrThrow } from './zone-comparison.ts'

/** Reads the lines of a transfer; RRSIGs form one RRset per covered type. */
export function signedRrsetsFrom(lines: readonly string[]): OwnedRrset[] {
  const data = rrsetsFromText(lines.filter(line => line.split(' ')[2] !== 'RRSIG').join('\n'))
  const signatures = lines
    .filter(line => line.split(' ')[2] === 'RRSIG')
    .flatMap(line => rrsetsFromText(line))
  return [...data, ...signatures]
}

/** Compares a zone that is signed with its keys with the zone that the helper signs: the same NSEC or NSEC3, the same RRsets with a
 *  signature, and each signature valid.
 *  @param verified signatures known to be valid; newly verified ones are added
 *  @throws Error it is not */
export function requireSigned(
  rrsets: readonly OwnedRrset[],
  nowSeconds: number,
  verified = new Set<string>(),
  denial: SigningOptions['denial'] = 'nsec',
): void {
  const data = rrsets.filter(({ type }) => !madeTypes.has(type))
  const dnskey = rrsets.find(({ type }) => type === types.DNSKEY)
  if (dnskey === undefined) throw new Error('there is no DNSKEY')
  const inLowerCase = data.map(rrset => ({ ...rrset, owner: lowerCaseName(rrset.owner) }))
  const wanted = signZone(inLowerCase, { denial, hasAllNonTerminals: true })
  sameOrThrow('chain', chainOf(rrsets), chainOf(wanted))
  sameOrThrow('signed', signedOf(rrsets), signedOf(wanted))
  const publicKeys = dnskey.rdatas.map(publicKeyOf)
  const apex = dnskey.owner
  const byKey = new Map(rrsets.map(rrset => [`${lowerCaseName(rrset.owner)} ${rrset.type}`, rrset]))
  for (const rrset of rrsets) {
    if (rrset.type !== types.RRSIG) continue
    for (const rdata of rrset.rdatas) {
      const fields = signatureFields(rdata)
      const { covered, ttlSeconds } = fields
      const about = `${rrset.owner} ${covered}`
      const of = byKey.get(`${lowerCaseName(rrset.owner)} ${covered}`)
      if (of === undefined) throw new Error(`${about}: signed and not there`)
      sameOrThrow(`${about} TTL`, [ttlSeconds, rrset.ttlSeconds], [of.ttlSeconds, of.ttlSeconds])
      requireInTime(about, fields, nowSeconds)
      const headOctets = 18 + apex.length
      const signed = Buffer.concat([rdata.subarray(0, headOctets), canonicalRecords(of.owner, of)])
      const known = `${signed.toString('latin1')} ${Buffer.from(rdata).toString('latin1')}`
      if (verified.has(known)) continue
      verified.add(known)
      const signature = rdata.subarray(headOctets)
      if (!publicKeys.some(key => isSignedBy(key, signed, signature))) {
        throw new Error(`${about}: the signature is bad`)
      }
    }
  }
}

/** @throws Error a signature is not valid at this time */
export function requireInTime(
  about: string,
  { inception, expiration }: SignatureTimes,
  nowSeconds: number,
): void {
  if (isNewerSerial(nowSeconds, expiration)) throw new Error(`${about} has expired`)
  if (isNewerSerial(inception, nowSeconds)) throw new Error(`${about} is not valid yet`)
}

const chainTypes: ReadonlySet<number> = new Set([types.NSEC, types.NSEC3, types.NSEC3PARAM])
const madeTypes: ReadonlySet<number> = new Set([types.RRSIG, types.DNSKEY, ...chainTypes])

function chainOf(rrsets: readonly OwnedRrset[]): string[] {
  const links = rrsets.filter(({ type }) => chainTypes.has(type))
  return contentsOf(links.map(rrset => ({ ...rrset, ttlSeconds: 0 }))).map(line =>
    line.toLowerCase(),
  )
}

function signedOf(rrsets: readonly OwnedRrset[]): string[] {
  const covered = (owner: Name, rdata: Uint8Array) =>
    `${lowerCaseName(owner)} ${signatureFields(rdata).covered}`
  return rrsets
    .filter(({ type }) => type === types.RRSIG)
    .flatMap(({ owner, rdatas }) => rdatas.map(rdata => covered(owner, rdata)))
    .sort()
}

/** Of a P-256 or Ed25519 key. */
export function publicKeyOf(dnskey: Uint8Array): KeyObject {
  const part = (from: number) => Buffer.from(dnskey.subarray(from, from + 32)).toString('base64url')
  const isEd25519 = dnskey[3] === algorithms.ed25519
  const jwk = isEd25519
    ? { kty: 'OKP', crv: 'Ed25519', x: part(4) }
    : { kty: 'EC', crv: 'P-256', x: part(4), y: part(36) }
  return createPublicKey({ key: jwk, format: 'jwk' })
}

/** Of a P-256 or Ed25519 key. */
export function isSignedBy(key: KeyObject, data: Buffer, signature: Uint8Array): boolean {
  const isEd25519 = key.asymmetricKeyType === 'ed25519'
  return verify(isEd25519 ? null : 'sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature)
}
