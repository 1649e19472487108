import { classes, types } from '../dns/codes.ts'
import { flags, opcodeOf, rcodeOf } from '../dns/header.ts'

// How far a transfer is, seen at a glance: its messages are only read when all of them are there (`transfer-in.ts`), which
// may be elsewhere.

const headerOctets = 12
const pointer = 0xc0
/** Type, class, TTL and the length of the rdata. */
const recordOctets = 10

export type TransferBounds = {
  readonly maxRecords: number
  readonly maxOctets: number
  /** Messages without records. */
  readonly maxEmptyMessages: number
}

/** Tells when no more messages of a transfer are to be waited for: its second SOA is there (RFC 5936 section 2.2), there is
 *  too much of it, or what has come is so wrong that reading it will say so. */
export class TransferEnd {
  readonly #id: number
  readonly #bounds: TransferBounds
  #octetCount = 0
  #recordCount = 0
  #soaCount = 0
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
    for (let left = view.getUint16(4); left > 0; left -= 1) at = nameEnd(octets, at) + 4
    for (let left = answerCount; left > 0; left -= 1) {
      const typeAt = nameEnd(octets, at)
      if (typeAt + recordOctets > octets.length) return true
      if (view.getUint16(typeAt) === types.SOA) this.#soaCount += 1
      if (this.#soaCount === 0 || view.getUint16(typeAt + 2) !== classes.in) return true
      at = typeAt + recordOctets + view.getUint16(typeAt + recordOctets - 2)
    }
    this.#recordCount += answerCount
    return at > octets.length || this.#isOver()
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
      this.#soaCount !== 1 ||
      this.#octetCount > maxOctets ||
      this.#recordCount > maxRecords ||
      this.#emptyCount > maxEmptyMessages
    )
  }
}

/** Where a name ends in its message, perhaps with a pointer; beyond the end for one that is cut off. */
function nameEnd(octets: Uint8Array, start: number): number {
  for (let at = start; at < octets.length; ) {
    const length = octets[at] as number
    if (length === 0) return at + 1
    if (length >= pointer) return at + 2
    at += 1 + length
  }
  return octets.length + 1
}
