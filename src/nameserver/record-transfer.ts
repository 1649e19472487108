import { ednsOptions } from '../dns/codes.ts'
import { type Edns, type EdnsOption, ednsOctets, encodeEdns } from '../dns/edns.ts'
import { encodeHeader, flags } from '../dns/header.ts'
import { decodeMessage, type Message } from '../dns/message.ts'
import { nameFromOctets } from '../dns/name.ts'
import { u16 } from '../dns/octets.ts'
import { padMessage } from '../dns/padding.ts'
import { writeRdata } from '../dns/rdata/index.ts'
import { nameEnd } from '../dns/rrset-octets.ts'
import type { TsigSigner } from '../dns/tsig-signer.ts'
import { Writer } from '../dns/writer.ts'
import { maxUdpPayloadOctets } from './request.ts'

export type RecordTransferOptions = {
  /** The request, as it came. */
  readonly request: Uint8Array
  /** The records to send (`DifferenceAnswer.octets`). */
  readonly records: Uint8Array
  readonly signer: TsigSigner | undefined
  /** Whether the transport is encrypted: the response is then padded where the request is. */
  readonly isEncrypted?: boolean | undefined
  /** How long the zone is good, for clients that ask (RFC 7314); without it EXPIRE is not sent. */
  readonly expireSeconds?: number | undefined
}

/** Octets made in one step, unless a record is longer: it bounds how long others wait. */
const usualOctets = 16 * 1024
const countOffset = 6
/** Type, class, TTL and length. */
const fixedOctets = 10

/** The response to an IXFR from a list of records (RFC 1995), message by message. */
export class RecordTransfer {
  readonly #request: Message
  readonly #edns: Edns | undefined
  /** For the first message only. */
  readonly #firstOptions: readonly EdnsOption[] = []
  readonly #records: DataView
  readonly #octets: Uint8Array
  readonly #signer: TsigSigner | undefined
  readonly #isPadded: boolean
  /** Where the next record begins. */
  #at = 0

  constructor({ request, records, signer, ...others }: RecordTransferOptions) {
    const { expireSeconds, isEncrypted = false } = others
    this.#request = decodeMessage(request)
    this.#edns = responseEdns(this.#request)
    const asks = (option: number) =>
      this.#request.edns?.options.some(({ code }) => code === option) ?? false
    this.#isPadded = isEncrypted && asks(ednsOptions.padding)
    if (asks(ednsOptions.expire) && expireSeconds !== undefined)
      this.#firstOptions = [expireOption(expireSeconds)]
    this.#octets = records
    this.#records = new DataView(records.buffer, records.byteOffset, records.length)
    this.#signer = signer
  }

  /** This transfer has all it needs. */
  readonly isRevoked = false

  get hasMore(): boolean {
    return this.#at < this.#octets.length
  }

  /** Writes the next message to the start of `room`, and returns its length.
   *  @throws Error a record does not fit into it. */
  next(room: Uint8Array, nowSeconds: number): number {
    const signer = this.#signer
    const edns = this.#edns && { ...this.#edns, options: this.#at === 0 ? this.#firstOptions : [] }
    const reserved = (signer?.recordOctets ?? 0) + (edns ? ednsOctets(edns) : 0)
    const writer = new Writer(room, Math.min(room.length, usualOctets) - reserved)
    this.#begin(writer)
    let count = this.#putRecords(writer)
    if (count === 0) {
      writer.setLimit(room.length - reserved)
      count = this.#putRecord(writer) ? 1 : 0
    }
    if (count === 0) throw new Error('a record fits into no message')
    writer.patch16(countOffset, count)
    writer.setLimit(room.length)
    const optAt = writer.offset
    if (edns !== undefined) encodeEdns(writer, edns)
    const tailOctets = signer?.usualOctets ?? 0
    let end = writer.offset
    if (this.#isPadded) end = padMessage(room, { end, optAt, tailOctets })
    if (signer === undefined) return end
    const record = signer.sign(room.subarray(0, end), { nowSeconds })
    room.set(record, end)
    writer.patch16(countOffset + 4, edns === undefined ? 1 : 2)
    return end + record.length
  }

  #begin(writer: Writer): void {
    const { header, questions } = this.#request
    const counts = { questionCount: questions.length, answerCount: 0, authorityCount: 0 }
    const additionalCount = this.#edns === undefined ? 0 : 1
    const responseFlags = flags.authoritative | responseFlagsFor(header)
    encodeHeader(writer, { id: header.id, flags: responseFlags, ...counts, additionalCount })
    for (const question of questions) {
      // Names of records point at it: the client's case must not replace that of the zone.
      writer.compressedName(nameFromOctets(this.#octets, 0))
      writer.u16(question.type)
      writer.u16(question.class)
    }
  }

  #putRecords(writer: Writer): number {
    let count = 0
    while (this.hasMore && this.#putRecord(writer)) count += 1
    return count
  }

  /** Returns whether there was room for it. */
  #putRecord(writer: Writer): boolean {
    const view = this.#records
    const mark = writer.mark()
    const typeAt = nameEnd(this.#octets, this.#at)
    const rdataAt = typeAt + fixedOctets
    const end = rdataAt + view.getUint16(rdataAt - 2)
    const type = view.getUint16(typeAt)
    writer.compressedName(nameFromOctets(this.#octets, this.#at))
    writer.octets(this.#octets.subarray(typeAt, rdataAt))
    const writtenAt = writer.offset
    writeRdata(writer, type, this.#octets.subarray(rdataAt, end))
    if (writer.hasOverflowed) {
      writer.rollback(mark)
      return false
    }
    writer.patch16(writtenAt - 2, writer.offset - writtenAt)
    this.#at = end
    return true
  }
}

/** The OPT of a response, where the request has one. */
export function responseEdns({ edns }: Message): Edns | undefined {
  if (edns === undefined) return undefined
  const { isDnssecOk } = edns
  const payloadOctets = maxUdpPayloadOctets
  return { payloadOctets, extendedRcode: 0, version: 0, isDnssecOk, options: [] }
}

/** QR, and RD as in the request (RFC 1035 section 4.1.1). */
export function responseFlagsFor({ flags: requestFlags }: Message['header']): number {
  return flags.response | (requestFlags & flags.recursionDesired)
}

/** The first of some records: in an answer to IXFR the SOA of the version that is served. */
export function firstRecord(records: Uint8Array): Uint8Array {
  const rdataAt = nameEnd(records, 0) + fixedOctets
  return records.subarray(0, rdataAt + u16(records, rdataAt - 2))
}

function expireOption(seconds: number): EdnsOption {
  const octets = Buffer.alloc(4)
  octets.writeUInt32BE(seconds)
  return { code: ednsOptions.expire, octets }
}
