import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

// A self-signed certificate, as an operator's first one is. Assembled by hand (X.509, RFC 5280), because
// Node reads certificates and makes none, and a bare machine has no openssl.

export type TestCertificate = {
  /** PEM, both. */
  readonly certificate: string
  readonly key: string
}

export type TestCertificateOptions = {
  /** The subject. */
  readonly hostName?: string
  readonly expiresAt?: Date
  readonly keyType?: 'ec' | 'rsa'
}

const oids = {
  commonName: [0x55, 0x04, 0x03],
  subjectAlternativeName: [0x55, 0x1d, 0x11],
  basicConstraints: [0x55, 0x1d, 0x13],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  rsaWithSha256: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b],
} as const

const startsAt = new Date('2020-01-01T00:00:00Z')

/** Makes a key and a certificate of it for a host and 127.0.0.1. */
export function makeTestCertificate({
  hostName = 'dns.example.net',
  expiresAt = new Date('2049-12-31T23:59:59Z'),
  keyType = 'ec',
}: TestCertificateOptions = {}): TestCertificate {
  const { publicKey, privateKey } = keyPair(keyType)
  const algorithm = sequence(
    keyType === 'ec'
      ? [oid(oids.ecdsaWithSha256)]
      : [oid(oids.rsaWithSha256), element(0x05, Buffer.of())],
  )
  const name = sequence([
    element(0x31, sequence([oid(oids.commonName), element(0x0c, Buffer.from(hostName))])),
  ])
  const signed = sequence([
    // Version 3.
    element(0xa0, element(0x02, Buffer.of(2))),
    element(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    sequence([time(startsAt), time(expiresAt)]),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence([authorityExtension(), namesExtension(hostName)])),
  ])
  const signature = sign('sha256', signed, privateKey)
  const certificate = sequence([signed, algorithm, bitString(signature)])
  return {
    certificate: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

function keyPair(type: 'ec' | 'rsa'): { publicKey: KeyObject; privateKey: KeyObject } {
  return type === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 })
}

/** It may act as an authority, so that clients can be configured to trust it as theirs. */
function authorityExtension(): Buffer {
  const isAuthority = element(0x01, Buffer.of(0xff))
  return extension(oids.basicConstraints, sequence([isAuthority]))
}

function namesExtension(hostName: string): Buffer {
  const names = sequence([
    element(0x82, Buffer.from(hostName)),
    element(0x87, Buffer.of(127, 0, 0, 1)),
  ])
  return extension(oids.subjectAlternativeName, names)
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence([oid(id), element(0x04, value)])
}

/** A tag, the length and the content (X.690). */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content])
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), content])
}

function sequence(elements: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(elements))
}

function oid(octets: readonly number[]): Buffer {
  return element(0x06, Buffer.from(octets))
}

function bitString(octets: Buffer): Buffer {
  return element(0x03, Buffer.concat([Buffer.of(0), octets]))
}

/** UTCTime, which covers the years before 2050. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/\D/g, '').slice(2, 14)
  return element(0x17, Buffer.from(`${digits}Z`))
}

function pem(label: string, octets: Buffer): string {
  const lines = octets.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
