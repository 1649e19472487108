import { classes, types } from '../dns/codes.ts'
import { flags, headerOctets, opcodeOf, rcodeOf } from '../dns/header.ts'
import { skipName } from '../dns/octets.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { minSoaOctets, soaNumbersOctets } from './soa.ts'

// The progress of a transfer, found without reading its messages in full: they are only read when all have arrived
// (`transfer-in.ts`), possibly elsewhere.

/** Type, class, TTL and the length of the rdata. */
const recordOctets = 10

type TransferBounds = {
  readonly maxRecords: number
  readonly maxOctets: number
  /** Messages without records. */
  readonly maxEmptyMessages: number
  /** Of IXFR: the serial of the copy at hand. */
  readonly knownSerial?: number | undefined
}

/** Decides when to stop waiting for messages of a transfer: its last SOA has arrived, it is too long, or a message is so wrong
 *  that reading it will report the error. The last SOA of a zone is the second one (RFC 5936 section 2.2). The last SOA of a
 *  difference has the serial of the first, where the old version of another sequence might begin: the even ones after the
 *  first begin the added records (RFC 1995 section 4). */
export class TransferEnd {
  readonly #id: number
  readonly #bounds: TransferBounds
  #octetCount = 0
  #recordCount = 0
  #soaCount = 0
  #serial = 0
  #isDifference = false
  #hasEnded = false
  #emptyCount = 0

  constructor(id: number, bounds: TransferBounds) {
    this.#id = id
    this.#bounds = bounds
  }

  /** Takes the next message, without its length; returns whether it is the last. */
  isAt(octets: Uint8Array): boolean {
    const view = new DataView(octets.buffer, octets.byteOffset, octets.length)
    this.#octetCount += octets.length
    if (octets.length < headerOctets || !this.#isAnswer(view)) return true
    const answerCount = view.getUint16(6)
    if (answerCount === 0) this.#emptyCount += 1
    let at = headerOctets
    for (let left = view.getUint16(4); left > 0; left -= 1) {
      const nameEnd = skipName(octets, at, octets.length)
      if (nameEnd < 0) return true
      at = nameEnd + 4
    }
    for (let left = answerCount; left > 0; left -= 1) {
      const typeAt = skipName(octets, at, octets.length)
      if (typeAt < 0 || typeAt + recordOctets > octets.length) return true
      const start = typeAt + recordOctets
      at = start + view.getUint16(start - 2)
      if (view.getUint16(typeAt) === types.SOA) {
        if (at > octets.length || at - start < minSoaOctets) return true
        this.#takeSoa(view.getUint32(at - soaNumbersOctets))
      }
      if (this.#soaCount === 0 || view.getUint16(typeAt + 2) !== classes.in) return true
      this.#recordCount += 1
    }
    return at > octets.length || this.#hasEnded || this.#isOver()
  }

  #takeSoa(serial: number): void {
    this.#soaCount += 1
    if (this.#soaCount === 1) {
      this.#serial = serial
      return
    }
    const { knownSerial } = this.#bounds
    if (this.#soaCount === 2 && this.#recordCount === 1) {
      this.#isDifference = knownSerial !== undefined && serial !== this.#serial
    }
    this.#hasEnded ||= !this.#isDifference || (this.#soaCount % 2 === 0 && serial === this.#serial)
  }

  /** Whether the response has only a serial, and that is not newer (RFC 1995 section 2). */
  get #isCurrent(): boolean {
    const { knownSerial } = this.#bounds
    return (
      knownSerial !== undefined &&
      this.#recordCount === 1 &&
      !isNewerSerial(this.#serial, knownSerial)
    )
  }

  #isAnswer(view: DataView): boolean {
    const bits = view.getUint16(2)
    const isResponse = (bits & flags.response) !== 0 && (bits & flags.truncated) === 0
    return (
      isResponse && view.getUint16(0) === this.#id && opcodeOf(bits) === 0 && rcodeOf(bits) === 0
    )
  }

  #isOver(): boolean {
    const { maxOctets, maxRecords, maxEmptyMessages } = this.#bounds
    return (
      this.#soaCount === 0 ||
      this.#isCurrent ||
      this.#octetCount > maxOctets ||
      this.#recordCount > maxRecords ||
      this.#emptyCount > maxEmptyMessages
    )
  }
}
