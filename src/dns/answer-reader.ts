import { classes, types } from './codes.ts'
import type { Edns } from './edns.ts'
import { FormatError } from './format-error.ts'
import { decodeHeader, type Header } from './header.ts'
import { decodeQuestion, decodeRdata, decodeRest, type Question, ttlOf } from './message.ts'
import { formatName, maxNameOctets, nameFromOctets } from './name.ts'
import { addressOctetsOf, typeMnemonic } from './rdata/index.ts'
import { Reader } from './reader.ts'

/** Reads the answers of a message one after the other, without a value for each: a transfer has a million of them. The fields of a
 *  record are valid until the next one is read. */
export class AnswerReader {
  readonly header: Header
  readonly questions: readonly Question[]
  /** The owner, uncompressed, in the case received, is the first so many octets. */
  readonly owner: Uint8Array = owner
  ownerOctets = 0
  type = 0
  class = 0
  ttlSeconds = 0
  /** The octets with the uncompressed rdata, from `rdataAt` to `rdataEnd`. */
  rdata: Uint8Array
  rdataAt = 0
  rdataEnd = 0
  readonly #reader: Reader
  #answersLeft: number

  /** Reads up to the answers.
   *  @throws FormatError */
  constructor(octets: Uint8Array) {
    this.#reader = new Reader(octets)
    this.rdata = octets
    this.header = decodeHeader(this.#reader)
    this.#answersLeft = this.header.answerCount
    this.questions = Array.from({ length: this.header.questionCount }, () =>
      decodeQuestion(this.#reader),
    )
  }

  /** Reads the next answer; returns false behind the last.
   *  @throws FormatError as `decodeMessage` */
  next(): boolean {
    if (this.#answersLeft === 0) return false
    this.#answersLeft -= 1
    const reader = this.#reader
    const at = reader.offset
    this.ownerOctets = reader.nameInto(owner)
    this.type = reader.u16()
    if (this.type === types.OPT) {
      throw new FormatError(`an OPT record outside the additional section at offset ${at}`)
    }
    this.class = reader.u16()
    this.ttlSeconds = ttlOf(reader.u32())
    const length = reader.u16()
    if (this.class === classes.in && length > 0 && addressOctetsOf(this.type) === length) {
      this.rdata = reader.octets
      this.rdataAt = reader.offset
      reader.skip(length)
      this.rdataEnd = reader.offset
    } else {
      this.rdata = this.#decodeRdata(length)
      this.rdataAt = 0
      this.rdataEnd = this.rdata.length
    }
    return true
  }

  /** @throws FormatError it names the record: a message of a transfer has hundreds */
  #decodeRdata(length: number): Uint8Array {
    const { type, class: rrClass } = this
    try {
      return decodeRdata(this.#reader, { type, class: rrClass, length })
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      const name = formatName(nameFromOctets(owner, 0))
      throw new FormatError(`${name} ${typeMnemonic(type)}: ${error.message}`, { cause: error })
    }
  }

  /** Reads the sections behind the answers, which must have been read.
   *  @throws FormatError as `decodeMessage` */
  finish(): Edns | undefined {
    return decodeRest(this.#reader, this.header).edns
  }
}

/** Shared by all readers: a message is read before the next. */
const owner = new Uint8Array(maxNameOctets)
