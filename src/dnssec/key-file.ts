import { createPrivateKey, type KeyObject } from 'node:crypto'
import { algorithmOf, algorithms, type ZoneKey } from './key.ts'

// Private keys as text: PEM, and the form of BIND's `.private` files, which Knot and PowerDNS read as well.

const bindNames: Readonly<Record<number, string>> = {
  [algorithms.rsaSha256]: 'RSASHA256',
  [algorithms.ecdsaP256]: 'ECDSAP256SHA256',
  [algorithms.ed25519]: 'ED25519',
}

/** The numbers of an RSA key, by their names in BIND's form and in JWK. */
const rsaNumbers = [
  ['Modulus', 'n'],
  ['PublicExponent', 'e'],
  ['PrivateExponent', 'd'],
  ['Prime1', 'p'],
  ['Prime2', 'q'],
  ['Exponent1', 'dp'],
  ['Exponent2', 'dq'],
  ['Coefficient', 'qi'],
] as const

/** Reads a private key, PEM or BIND's; returns it as PKCS#8 in DER.
 *  @throws Error it is neither, or of a kind that zones are not signed with; the message contains no part of the key */
export function readPrivateKey(text: string): Buffer {
  const key = text.includes('-----BEGIN') ? fromPem(text) : fromBind(text)
  if (algorithmOf(key) === undefined) {
    throw new Error(
      'zones are signed with keys of ECDSA P-256, Ed25519 and RSA of 2048 to 4096 bits',
    )
  }
  return key.export({ format: 'der', type: 'pkcs8' })
}

/** @throws Error it cannot be read */
function fromPem(text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    throw new Error('it is no private key in PEM, or one with a passphrase')
  }
}

function fromBind(text: string): KeyObject {
  const fields = new Map(
    text.split(/\r?\n/).flatMap(line => {
      const at = line.indexOf(':')
      return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const]
    }),
  )
  const algorithm = Number.parseInt(fields.get('Algorithm') ?? '', 10)
  const octetsOf = (name: string) => Buffer.from(fields.get(name) ?? '', 'base64')
  try {
    if (algorithm === algorithms.rsaSha256) {
      const numbers = rsaNumbers.map(([name, jwk]) => [jwk, octetsOf(name).toString('base64url')])
      return createPrivateKey({
        key: { kty: 'RSA', ...Object.fromEntries(numbers) },
        format: 'jwk',
      })
    }
    const d = octetsOf('PrivateKey')
    if (algorithm === algorithms.ed25519) return fromOctets(ed25519Head, d)
    if (algorithm === algorithms.ecdsaP256) return fromOctets(ecdsaHead, d)
  } catch {
    throw new Error('the numbers of the key do not fit together')
  }
  throw new Error(
    'it is neither PEM nor the private key of a name server, of algorithm 8, 13 or 15',
  )
}

/** PKCS#8 in front of the 32 octets of a key (RFC 8410 section 7; RFC 5915 section 3, whose public part may be left out). */
const ed25519Head = '302e020100300506032b657004220420'
const ecdsaHead = '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'

function fromOctets(head: string, octets: Buffer): KeyObject {
  if (octets.length !== 32) throw new Error('a key has 32 octets')
  const der = Buffer.concat([Buffer.from(head, 'hex'), octets])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

/** A PEM text that `readPrivateKey` reads. */
export function pemOf({ privateKey }: ZoneKey): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

export function bindPrivateKeyOf({ privateKey, algorithm }: ZoneKey): string {
  const jwk = privateKey.export({ format: 'jwk' }) as Readonly<Record<string, string>>
  const octets = (name: string) => Buffer.from(jwk[name] ?? '', 'base64url').toString('base64')
  const lines =
    algorithm === algorithms.rsaSha256
      ? rsaNumbers.map(([name, number]) => `${name}: ${octets(number)}`)
      : [`PrivateKey: ${octets('d')}`]
  const head = ['Private-key-format: v1.3', `Algorithm: ${algorithm} (${bindNames[algorithm]})`]
  return `${[...head, ...lines].join('\n')}\n`
}
