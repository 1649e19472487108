import { tsigErrors, types } from './codes.ts'
import { FormatError } from './format-error.ts'
import { additionalCountAt, headerOctets } from './header.ts'
import { formatName, lowerCaseName, type Name } from './name.ts'
import { put16, u16 } from './octets.ts'
import { rcodeText } from './rcode-text.ts'
import { Reader } from './reader.ts'
import { decodeTsig, type Tsig } from './tsig.ts'
import { type Hmac, isMac, macOctets, macOf, type TsigSecret } from './tsig-mac.ts'

/** RFC 8945 section 5.2.2.1: every server refuses shorter MACs, and those below half of the whole. */
const leastMacOctets = 10
/** The shortest MAC that this server accepts (section 5.2.4): as long as half a SHA-256. */
const enoughMacOctets = 16
/** Messages of a stream that may come without a TSIG in a row (section 5.3.1). */
const maxUnsignedMessages = 99

export type KeyFinder = (name: Name, algorithm: Name) => TsigSecret | undefined

/** The verdict on a signed request. */
type TsigVerdict =
  | { readonly kind: 'verified'; readonly key: TsigSecret }
  /** The error response is unsigned: the sender of the request is unknown (RFC 8945 section 5.3.2). */
  | { readonly kind: 'unknown'; readonly error: number }
  /** The key is good but the request is refused; the error response is signed. */
  | { readonly kind: 'refused'; readonly key: TsigSecret; readonly error: number }
  | { readonly kind: 'malformed' }

/** A request and its TSIG. */
type SignedRequest = {
  /** The whole message. */
  readonly octets: Uint8Array
  readonly tsig: Tsig
  /** Where the TSIG begins, which ends the message. */
  readonly tsigAt: number
}

/** Judges a request: its key, its MAC, its time, its length, in this order (RFC 8945 section 5.2). */
export function verifyTsig(
  { octets, tsig, tsigAt }: SignedRequest,
  {
    findKey,
    hmac,
    nowSeconds,
  }: { readonly findKey: KeyFinder; readonly hmac: Hmac; readonly nowSeconds: number },
): TsigVerdict {
  const key = findKey(tsig.keyName, tsig.algorithm)
  if (key === undefined) return { kind: 'unknown', error: tsigErrors.badKey }
  if (!isSoundLength(key, tsig.mac)) return { kind: 'malformed' }
  const messages = unsignedParts(octets, { tsig, tsigAt })
  const mac = macOf({ key, hmac, priorMac: undefined, messages, tsig, isLater: false })
  if (!isMac(mac, tsig.mac)) return { kind: 'unknown', error: tsigErrors.badSig }
  if (!isInTime(tsig, nowSeconds)) return { kind: 'refused', key, error: tsigErrors.badTime }
  if (tsig.mac.length < Math.min(enoughMacOctets, mac.length)) {
    return { kind: 'refused', key, error: tsigErrors.badTrunc }
  }
  return { kind: 'verified', key }
}

/** Verifies the messages of the response to a request of ours, one after the other (RFC 8945 section 5.3.1, 5.4). */
export class TsigAnswers {
  readonly #key: TsigSecret
  readonly #hmac: Hmac
  #priorMac: Uint8Array
  #isLater = false
  /** The messages since the last TSIG. */
  #unsigned: Uint8Array[] = []

  constructor(key: TsigSecret, hmac: Hmac, requestMac: Uint8Array) {
    this.#key = key
    this.#hmac = hmac
    this.#priorMac = requestMac
  }

  /** Whether a TSIG covers all messages so far. */
  get isVerified(): boolean {
    return this.#isLater && this.#unsigned.length === 0
  }

  /** Takes the next message.
   *  @throws FormatError it is not authentic, or its sender rejected our request. */
  take(octets: Uint8Array, nowSeconds: number): void {
    const found = findTsig(octets)
    if (found === undefined) {
      if (!this.#isLater) {
        const rcode = rcodeText((octets[3] as number) & 0xf)
        throw new FormatError(`the answer to a request with a TSIG has none, and says ${rcode}`)
      }
      if (this.#unsigned.length === maxUnsignedMessages)
        throw new FormatError('more than 99 messages in a row have no TSIG')
      this.#unsigned.push(new Uint8Array(octets))
      return
    }
    const { tsig } = found
    const key = this.#key
    if (tsig.error !== 0 && tsig.mac.length === 0)
      throw new FormatError(rejection(tsig, key, nowSeconds))
    if (tsig.keyName !== key.name || tsig.algorithm !== key.algorithm)
      throw new FormatError('the TSIG of an answer is of another key')
    if (
      !isSoundLength(key, tsig.mac) ||
      tsig.mac.length < Math.min(enoughMacOctets, macOctets(key))
    )
      throw new FormatError('the MAC of a TSIG is too short')
    const messages = [...this.#unsigned, ...unsignedParts(octets, found)]
    const isLater = this.#isLater
    const mac = macOf({ key, hmac: this.#hmac, priorMac: this.#priorMac, messages, tsig, isLater })
    if (!isMac(mac, tsig.mac)) throw new FormatError('the MAC of a TSIG is wrong (BADSIG)')
    if (tsig.error !== 0) throw new FormatError(rejection(tsig, key, nowSeconds))
    if (!isInTime(tsig, nowSeconds)) throw new FormatError(clockText(tsig.timeSigned - nowSeconds))
    this.#priorMac = new Uint8Array(tsig.mac)
    this.#isLater = true
    this.#unsigned = []
  }
}

/** Finds the TSIG that ends a message.
 *  @throws FormatError the message is broken. */
export function findTsig(
  octets: Uint8Array,
): { readonly tsig: Tsig; readonly tsigAt: number } | undefined {
  const reader = new Reader(octets)
  reader.skip(4)
  const questionCount = reader.u16()
  const counts = [reader.u16(), reader.u16(), reader.u16()]
  const count = counts.reduce((sum, each) => sum + each, 0)
  if (counts[2] === 0) return undefined
  for (let i = 0; i < questionCount; i += 1) {
    reader.name()
    reader.skip(4)
  }
  for (let i = 1; i < count; i += 1) {
    reader.name()
    reader.skip(8)
    reader.skip(reader.u16())
  }
  const tsigAt = reader.offset
  const keyName = lowerCaseName(reader.name())
  if (reader.u16() !== types.TSIG) return undefined
  return { tsig: decodeTsig(reader, keyName), tsigAt }
}

/** RFC 8945 section 5.2.2.1. */
function isSoundLength(key: TsigSecret, { length }: Uint8Array): boolean {
  const whole = macOctets(key)
  return length <= whole && length >= Math.max(leastMacOctets, whole / 2)
}

function isInTime({ timeSigned, fudgeSeconds }: Tsig, nowSeconds: number): boolean {
  return Math.abs(nowSeconds - timeSigned) <= fudgeSeconds
}

/** The message as it was before it was signed: without the TSIG, and with its first id (section 4.3.2). */
function unsignedParts(
  octets: Uint8Array,
  { tsig, tsigAt }: { readonly tsig: Tsig; readonly tsigAt: number },
): readonly Uint8Array[] {
  // A Buffer's slice would be a view of the request.
  const header = new Uint8Array(octets.subarray(0, headerOctets))
  put16(header, 0, tsig.originalId)
  put16(header, additionalCountAt, u16(header, additionalCountAt) - 1)
  return [header, octets.subarray(headerOctets, tsigAt)]
}

/** Why the other server rejected a request: what its operator has to compare with us. */
function rejection({ error, otherData }: Tsig, key: TsigSecret, nowSeconds: number): string {
  const name = `TSIG key ${formatName(key.name)} of ${formatName(key.algorithm)}`
  switch (error) {
    case tsigErrors.badKey:
      return `the other server does not have our ${name} (BADKEY)`
    case tsigErrors.badSig:
      return `the other server has another secret for our ${name} (BADSIG)`
    case tsigErrors.badTime:
      return clockText(timeIn(otherData) - nowSeconds)
    default:
      return `the other server rejects our ${name} with error ${error}`
  }
}

/** RFC 8945 section 5.2.3: the server's time, in 48 bits. NaN where it is not that. */
function timeIn(otherData: Uint8Array): number {
  const view = new DataView(otherData.buffer, otherData.byteOffset, otherData.length)
  return otherData.length === 6 ? view.getUint16(0) * 2 ** 32 + view.getUint32(2) : Number.NaN
}

function clockText(aheadSeconds: number): string {
  const by = Number.isNaN(aheadSeconds) ? '' : ` by ${Math.abs(aheadSeconds)} s`
  return `the clocks of the other server and of this one differ${by} (BADTIME)`
}
