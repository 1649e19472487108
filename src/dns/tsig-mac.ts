import type { Name } from './name.ts'
import { parseName } from './name.ts'
import { put16 } from './octets.ts'
import type { Tsig } from './tsig.ts'

// The input of a TSIG's MAC (RFC 8945 section 4.3).

/** A hash function, by its OpenSSL name. */
type TsigHash = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512'

/** Returns the HMAC of the concatenated parts. */
export type Hmac = (
  hash: TsigHash,
  secret: Uint8Array,
  parts: readonly Uint8Array[],
) => Uint8Array<ArrayBuffer>

/** A shared secret that signs messages. */
export type TsigSecret = {
  /** The id of the key's row; the use of the key is not known here. */
  readonly id: string
  /** Lower-case. */
  readonly name: Name
  /** As in a TSIG, lower-case: one of `tsigAlgorithmNames`. */
  readonly algorithm: Name
  readonly secret: Uint8Array
}

/** The algorithms, by Designate's names for them, as they are on the wire (RFC 8945 section 6). */
export const tsigAlgorithmNames = {
  'hmac-md5': parseName('hmac-md5.sig-alg.reg.int.'),
  'hmac-sha1': parseName('hmac-sha1.'),
  'hmac-sha224': parseName('hmac-sha224.'),
  'hmac-sha256': parseName('hmac-sha256.'),
  'hmac-sha384': parseName('hmac-sha384.'),
  'hmac-sha512': parseName('hmac-sha512.'),
} as const

const hashes: ReadonlyMap<Name, { readonly hash: TsigHash; readonly octets: number }> = new Map([
  [tsigAlgorithmNames['hmac-md5'], { hash: 'md5', octets: 16 }],
  [tsigAlgorithmNames['hmac-sha1'], { hash: 'sha1', octets: 20 }],
  [tsigAlgorithmNames['hmac-sha224'], { hash: 'sha224', octets: 28 }],
  [tsigAlgorithmNames['hmac-sha256'], { hash: 'sha256', octets: 32 }],
  [tsigAlgorithmNames['hmac-sha384'], { hash: 'sha384', octets: 48 }],
  [tsigAlgorithmNames['hmac-sha512'], { hash: 'sha512', octets: 64 }],
])

/** Octets of a MAC that is not truncated.
 *  @throws Error the key's algorithm is not supported. */
export function macOctets({ algorithm }: TsigSecret): number {
  return hashOf(algorithm).octets
}

type MacInput = {
  readonly key: TsigSecret
  readonly hmac: Hmac
  /** The MAC of the request or of the previous message; undefined for a request. */
  readonly priorMac: Uint8Array | undefined
  /** The octets of whole messages, without TSIG, one behind the other. */
  readonly messages: readonly Uint8Array[]
  readonly tsig: Omit<Tsig, 'mac'>
  /** Whether it is a later message of a stream, whose MAC omits the unchanging fields (section 5.3.1). */
  readonly isLater: boolean
}

/** Returns the whole MAC. */
export function macOf({ key, hmac, priorMac, messages, tsig, isLater }: MacInput): Uint8Array {
  const prior = priorMac === undefined ? [] : [u16Octets(priorMac.length), priorMac]
  const rest = isLater ? timersOf(tsig) : variablesOf(tsig)
  return hmac(hashOf(key.algorithm).hash, key.secret, [...prior, ...messages, rest])
}

/** Whether the MAC begins with these octets; takes the same time wherever they differ. */
export function isMac(mac: Uint8Array, given: Uint8Array): boolean {
  let difference = given.length > mac.length ? 1 : 0
  for (let i = 0; i < given.length; i += 1) {
    difference |= (mac[i] ?? 0) ^ (given[i] as number)
  }
  return difference === 0
}

function hashOf(algorithm: Name): { readonly hash: TsigHash; readonly octets: number } {
  const hash = hashes.get(algorithm)
  if (hash === undefined) throw new Error('a key of an unknown algorithm')
  return hash
}

const classAny = 255
/** Class, TTL, time and fudge, error, and the length of other data. */
const fixedOctets = 2 + 4 + 8 + 2 + 2
const timerOctets = 8

/** Section 4.3.3. */
function variablesOf(tsig: Omit<Tsig, 'mac'>): Uint8Array {
  const { keyName, algorithm, error, otherData } = tsig
  const octets = new Uint8Array(keyName.length + algorithm.length + fixedOctets + otherData.length)
  const classAt = putName(octets, 0, keyName)
  put16(octets, classAt, classAny)
  // The TTL is 0.
  const timersAt = putName(octets, classAt + 2 + 4, algorithm)
  octets.set(timersOf(tsig), timersAt)
  put16(octets, timersAt + timerOctets, error)
  put16(octets, timersAt + timerOctets + 2, otherData.length)
  octets.set(otherData, octets.length - otherData.length)
  return octets
}

function timersOf({ timeSigned, fudgeSeconds }: Omit<Tsig, 'mac'>): Uint8Array {
  const octets = new Uint8Array(timerOctets)
  putU48(octets, timeSigned)
  put16(octets, 6, fudgeSeconds)
  return octets
}

/** Seconds in the form of a TSIG. */
export function u48Octets(seconds: number): Uint8Array {
  const octets = new Uint8Array(6)
  putU48(octets, seconds)
  return octets
}

// Octet by octet: a DataView moves a small array out of V8's heap, and a Writer notes names for compression.

/** Returns where the name ends. */
function putName(octets: Uint8Array, at: number, name: Name): number {
  for (let i = 0; i < name.length; i += 1) octets[at + i] = name.charCodeAt(i)
  return at + name.length
}

function putU48(octets: Uint8Array, value: number): void {
  put16(octets, 0, Math.floor(value / 2 ** 32))
  put16(octets, 2, value >>> 16)
  put16(octets, 4, value)
}

function u16Octets(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value & 0xff)
}
