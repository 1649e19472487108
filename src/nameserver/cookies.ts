import { clientCookieOctets, type Request } from './request.ts'
import { SipHash } from './siphash.ts'

// DNS cookies (RFC 7873) in the interoperable form of RFC 9018: a client that returns the cookie given to its address has
// shown that the address is not forged. The server keeps no state for it, and servers with the same secret accept each
// other's cookies.

/** Of a secret. */
export const cookieSecretOctets = 16
/** The cookie sent back: the client's part and ours. */
export const cookieOctets = 24
/** Version, three reserved octets and the time, in front of the hash. */
const hashAt = 16
const timeAt = 12
const version = 1
/** RFC 9018 section 4.3: a cookie from the future is attributed to a wrong clock, and an aging one is replaced in time. */
const maxAgeSeconds = 3600
const freshSeconds = 1800
const maxAheadSeconds = 300
const maxHashedOctets = 32
const noMaker = -1

/** Where in a request its cookie is. */
export type SentCookie = Pick<Request, 'octets' | 'cookieAt' | 'cookieLength'>

/** Judges the cookies of one thread's requests, and makes them. It allocates nothing. */
export class Cookies {
  /** The cookie to be sent back: the client's part and ours. */
  readonly octets = new Uint8Array(cookieOctets)
  readonly #hashes: readonly SipHash[]
  readonly #hashed = new Uint8Array(maxHashedOctets)
  readonly #wanted = new Uint8Array(cookieOctets)

  /** @param secrets of 16 octets each: the first one makes cookies, all are accepted (RFC 9018 section 5) */
  constructor(secrets: readonly Uint8Array[]) {
    this.#hashes = secrets.map(secret => new SipHash(secret))
  }

  /** Whether there is a secret to make cookies with. */
  get isReady(): boolean {
    return this.#hashes.length > 0
  }

  /** Fills `octets` for the client at the address in the first 4 or 16 octets of `client`, and returns whether its request
   *  carries a cookie that this server has given to that address. */
  judge(
    request: SentCookie,
    client: Uint8Array,
    addressOctets: number,
    unixSeconds: number,
  ): boolean {
    const { octets } = this
    const { octets: sent, cookieAt, cookieLength } = request
    for (let i = 0; i < clientCookieOctets; i += 1) octets[i] = sent[cookieAt + i] as number
    if (cookieLength !== cookieOctets || sent[cookieAt + clientCookieOctets] !== version) {
      this.#make(client, addressOctets, unixSeconds)
      return false
    }
    for (let i = clientCookieOctets; i < cookieOctets; i += 1) {
      octets[i] = sent[cookieAt + i] as number
    }
    const ageSeconds = (unixSeconds - readTime(octets)) | 0
    const isTimely = ageSeconds >= -maxAheadSeconds && ageSeconds <= maxAgeSeconds
    const maker = isTimely ? this.#makerOf(client, addressOctets) : noMaker
    if (maker !== 0 || ageSeconds > freshSeconds) this.#make(client, addressOctets, unixSeconds)
    return maker !== noMaker
  }

  #make(client: Uint8Array, addressOctets: number, unixSeconds: number): void {
    const { octets } = this
    octets[clientCookieOctets] = version
    for (let i = 1; i < 4; i += 1) octets[clientCookieOctets + i] = 0
    for (let i = 0; i < 4; i += 1) octets[timeAt + i] = unixSeconds >>> (24 - 8 * i)
    this.#hash(0, client, addressOctets, octets)
  }

  /** The number of the secret that the cookie in `octets` was made with. */
  #makerOf(client: Uint8Array, addressOctets: number): number {
    for (let n = 0; n < this.#hashes.length; n += 1) {
      this.#hash(n, client, addressOctets, this.#wanted)
      let difference = 0
      // Compares all octets in any case, so that the time taken reveals nothing.
      for (let i = hashAt; i < cookieOctets; i += 1) {
        difference |= (this.#wanted[i] as number) ^ (this.octets[i] as number)
      }
      if (difference === 0) return n
    }
    return noMaker
  }

  /** Hashes the octets in front of the hash in `octets`, and the address. */
  #hash(n: number, client: Uint8Array, addressOctets: number, into: Uint8Array): void {
    const hashed = this.#hashed
    for (let i = 0; i < hashAt; i += 1) hashed[i] = this.octets[i] as number
    for (let i = 0; i < addressOctets; i += 1) hashed[hashAt + i] = client[i] as number
    const hash = this.#hashes[n] as SipHash
    hash.hash(hashed, hashAt + addressOctets, into, hashAt)
  }
}

function readTime(octets: Uint8Array): number {
  let seconds = 0
  for (let i = 0; i < 4; i += 1) seconds = (seconds << 8) | (octets[timeAt + i] as number)
  return seconds
}
