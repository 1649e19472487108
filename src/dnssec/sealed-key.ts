import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// Private keys at rest. With a secret they are sealed by AES-256-GCM, each for its key and zone only; without one they are
// like the key files of other name servers: readable by the owner of the data.

const ivOctets = 12
const tagOctets = 16
const sealed = 'aes-256-gcm:'
const plain = 'pkcs8:'

export class KeySealing {
  readonly #secret: Buffer | undefined

  /** @param secret any text; undefined: keys are not sealed */
  constructor(secret: string | undefined) {
    if (secret === undefined) return
    this.#secret = Buffer.from(hkdfSync('sha256', secret, '', 'zonewright dnssec keys', 32))
  }

  /** @param bound what the key belongs to; a sealed key opens only with the same */
  seal(pkcs8: Buffer, bound: string): string {
    if (this.#secret === undefined) return plain + pkcs8.toString('base64')
    const iv = randomBytes(ivOctets)
    const cipher = createCipheriv('aes-256-gcm', this.#secret, iv).setAAD(Buffer.from(bound))
    const octets = [iv, cipher.update(pkcs8), cipher.final(), cipher.getAuthTag()]
    return sealed + Buffer.concat(octets).toString('base64')
  }

  /** @throws Error the secret is another, or missing */
  open(text: string, bound: string): Buffer {
    if (text.startsWith(plain)) return Buffer.from(text.slice(plain.length), 'base64')
    if (this.#secret === undefined) {
      throw new Error('the private key is sealed, and ZONEWRIGHT_KEY_SECRET is not set')
    }
    const octets = Buffer.from(text.slice(sealed.length), 'base64')
    try {
      const iv = octets.subarray(0, ivOctets)
      const decipher = createDecipheriv('aes-256-gcm', this.#secret, iv)
        .setAAD(Buffer.from(bound))
        .setAuthTag(octets.subarray(-tagOctets))
      return Buffer.concat([
        decipher.update(octets.subarray(ivOctets, -tagOctets)),
        decipher.final(),
      ])
    } catch (cause) {
      const problem = 'was sealed with another ZONEWRIGHT_KEY_SECRET, or is not as it was sealed'
      throw new Error(`the private key ${problem}`, { cause })
    }
  }
}
