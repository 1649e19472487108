import { additionalCountAt } from './header.ts'
import { put16, u16 } from './octets.ts'
import { encodeTsig, type Tsig } from './tsig.ts'
import { type Hmac, macOctets, macOf, type TsigSecret } from './tsig-mac.ts'
import { Writer } from './writer.ts'

/** RFC 8945 section 10 recommends it. */
const fudgeSeconds = 300

/** Class, type, TTL and length of the record, and the parts of its rdata beside algorithm and MAC. */
const fixedOctets = 10 + 16
const otherOctets = 6
const noOctets = new Uint8Array()

export type Signing = {
  readonly nowSeconds: number
  /** One of `tsigErrors`, if something is wrong with the request. */
  readonly error?: number
  /** The time in the record where it is not the present time. */
  readonly timeSigned?: number
  readonly otherData?: Uint8Array
}

/** Signs a request, or the messages of one response in turn (RFC 8945 sections 5.1, 5.3, 5.3.1). */
export class TsigSigner {
  readonly key: TsigSecret
  readonly #hmac: Hmac
  #priorMac: Uint8Array | undefined
  #isLater = false

  /** @param requestMac of the answered request, as it was sent; undefined to sign a request */
  constructor(key: TsigSecret, hmac: Hmac, requestMac?: Uint8Array) {
    this.key = key
    this.#hmac = hmac
    // The request's memory is reused.
    this.#priorMac = requestMac && new Uint8Array(requestMac)
  }

  /** The most octets that a record takes. */
  get recordOctets(): number {
    const { name, algorithm } = this.key
    return name.length + fixedOctets + algorithm.length + macOctets(this.key) + otherOctets
  }

  /** The octets of a record without other data, which only BADTIME has. */
  get usualOctets(): number {
    return this.recordOctets - otherOctets
  }

  /** The last MAC. */
  get mac(): Uint8Array {
    return this.#priorMac ?? noOctets
  }

  /** Returns the TSIG record to append to the message, whose header does not count it yet. */
  sign(message: Uint8Array, { nowSeconds, ...given }: Signing): Uint8Array {
    const { key } = this
    const { error = 0, timeSigned = nowSeconds, otherData = noOctets } = given
    const tsig: Omit<Tsig, 'mac'> = {
      keyName: key.name,
      algorithm: key.algorithm,
      timeSigned,
      fudgeSeconds,
      originalId: u16(message, 0),
      error,
      otherData,
    }
    const isLater = this.#isLater
    const messages = [message]
    const mac = macOf({ key, hmac: this.#hmac, priorMac: this.#priorMac, messages, tsig, isLater })
    this.#priorMac = mac
    this.#isLater = true
    const writer = new Writer(new Uint8Array(this.recordOctets))
    encodeTsig(writer, { ...tsig, mac })
    return writer.finish()
  }
}

/** Returns the message with its TSIG, in memory of its own. */
export function signed(message: Uint8Array, signer: TsigSigner, signing: Signing): Uint8Array {
  const record = signer.sign(message, signing)
  const octets = new Uint8Array(message.length + record.length)
  octets.set(message)
  octets.set(record, message.length)
  put16(octets, additionalCountAt, u16(octets, additionalCountAt) + 1)
  return octets
}
