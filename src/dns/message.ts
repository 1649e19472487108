import { classes, types } from './codes.ts'
import { decodeEdns, type Edns, encodeEdns } from './edns.ts'
import { FormatError } from './format-error.ts'
import { decodeHeader, encodeHeader, type Header, rcodeOf } from './header.ts'
import { type Name, rootName } from './name.ts'
import { readRdata, writeRdata } from './rdata/index.ts'
import { Reader } from './reader.ts'
import { Writer } from './writer.ts'

// A whole message as a value: for transfers, updates, probes and tests. Queries are answered without it.

/** RFC 1035 section 4.2.2: the two-octet length in front of a message over TCP. */
export const maxMessageOctets = 0xffff

export type Question = { readonly name: Name; readonly type: number; readonly class: number }

/** One record; `rdata` is uncompressed. Names keep the case they came with. */
export type ResourceRecord = {
  readonly owner: Name
  readonly type: number
  readonly class: number
  readonly ttlSeconds: number
  readonly rdata: Uint8Array
}

export type Message = {
  /** Counts are those of the sections, so they are not repeated here. */
  readonly header: Pick<Header, 'id' | 'flags'>
  readonly questions: readonly Question[]
  readonly answers: readonly ResourceRecord[]
  readonly authorities: readonly ResourceRecord[]
  /** The additional section without OPT, which is `edns`. */
  readonly additionals: readonly ResourceRecord[]
  readonly edns?: Edns
}

/** Decodes a whole message.
 *  @throws FormatError cut off, octets left over, a count that is too high, an rdata that does not have its
 *  type's form, an OPT that is not alone in the additional section (RFC 6891 section 6.1.1). */
export function decodeMessage(octets: Uint8Array): Message {
  const reader = new Reader(octets)
  const header = decodeHeader(reader)
  const questions = times(header.questionCount, () => decodeQuestion(reader))
  const answers = times(header.answerCount, () => decodeRecord(reader))
  const { id, flags } = header
  return { header: { id, flags }, questions, answers, ...decodeRest(reader, header) }
}

/** Decodes the sections behind the answers.
 *  @throws FormatError as `decodeMessage` */
export function decodeRest(
  reader: Reader,
  header: Header,
): Pick<Message, 'authorities' | 'additionals' | 'edns'> {
  const authorities = times(header.authorityCount, () => decodeRecord(reader))
  const { additionals, edns } = decodeAdditionals(reader, header.additionalCount)
  if (reader.remainingOctets > 0) {
    throw new FormatError(`${reader.remainingOctets} octets too many at offset ${reader.offset}`)
  }
  return { authorities, additionals, ...(edns === undefined ? {} : { edns }) }
}

/** A message is built here and copied out, since most have a thousandth of the maximum length. */
const scratch = new Uint8Array(maxMessageOctets)

/** Encodes a whole message, names compressed.
 *  @throws RangeError it is longer than a message can be */
export function encodeMessage(message: Message): Uint8Array {
  const { header, questions, answers, authorities, additionals, edns } = message
  const writer = new Writer(scratch)
  encodeHeader(writer, {
    ...header,
    questionCount: questions.length,
    answerCount: answers.length,
    authorityCount: authorities.length,
    additionalCount: additionals.length + (edns === undefined ? 0 : 1),
  })
  for (const question of questions) encodeQuestion(writer, question)
  for (const record of [...answers, ...authorities, ...additionals]) encodeRecord(writer, record)
  if (edns !== undefined) encodeEdns(writer, edns)
  if (writer.hasOverflowed) throw new RangeError(`a message has at most ${maxMessageOctets} octets`)
  return writer.finish().slice()
}

type QueryInput = {
  readonly id: number
  readonly name: Name
  readonly type: number
  readonly class?: number
  /** Flags such as RD; the opcode is QUERY. */
  readonly flags?: number
  readonly edns?: Edns
}

/** Encodes a query for one name and type; class IN and no flags unless given. */
export function encodeQuery({ id, name, type, ...given }: QueryInput): Uint8Array {
  return encodeMessage({
    header: { id, flags: given.flags ?? 0 },
    questions: [{ name, type, class: given.class ?? classes.in }],
    answers: [],
    authorities: [],
    additionals: [],
    ...(given.edns === undefined ? {} : { edns: given.edns }),
  })
}

/** Returns the whole response code, the upper bits from OPT (RFC 6891 section 6.1.3). */
export function rcodeOfMessage(message: Pick<Message, 'header' | 'edns'>): number {
  return ((message.edns?.extendedRcode ?? 0) << 4) | rcodeOf(message.header.flags)
}

/** RFC 2181 section 8: a TTL has 31 bits; with the top bit set it reads as zero. */
const maxTtlSeconds = 0x7fff_ffff

function times<T>(count: number, decode: () => T): T[] {
  const values: T[] = []
  for (let i = 0; i < count; i += 1) values.push(decode())
  return values
}

/** @throws FormatError past the end. */
export function decodeQuestion(reader: Reader): Question {
  return { name: reader.name(), type: reader.u16(), class: reader.u16() }
}

function decodeAdditionals(
  reader: Reader,
  count: number,
): { additionals: ResourceRecord[]; edns: Edns | undefined } {
  const additionals: ResourceRecord[] = []
  let edns: Edns | undefined
  for (let i = 0; i < count; i += 1) {
    const at = reader.offset
    const owner = reader.name()
    const type = reader.u16()
    if (type !== types.OPT) {
      additionals.push(decodeRecordRest(reader, owner, type))
      continue
    }
    if (edns !== undefined) throw new FormatError(`a second OPT record at offset ${at}`)
    if (owner !== rootName) throw new FormatError(`an OPT record with an owner at offset ${at}`)
    edns = decodeEdns(reader)
  }
  return { additionals, edns }
}

function decodeRecord(reader: Reader): ResourceRecord {
  const at = reader.offset
  const owner = reader.name()
  const type = reader.u16()
  if (type === types.OPT) {
    throw new FormatError(`an OPT record outside the additional section at offset ${at}`)
  }
  return decodeRecordRest(reader, owner, type)
}

function decodeRecordRest(reader: Reader, owner: Name, type: number): ResourceRecord {
  const rrClass = reader.u16()
  const ttlSeconds = ttlOf(reader.u32())
  const rdata = decodeRdata(reader, { type, class: rrClass, length: reader.u16() })
  return { owner, type, class: rrClass, ttlSeconds, rdata }
}

/** The TTL in 32 bits. */
export function ttlOf(ttl: number): number {
  return ttl > maxTtlSeconds ? 0 : ttl
}

/** Decodes rdata behind its length.
 *  @throws FormatError it does not have the form of its type */
export function decodeRdata(
  reader: Reader,
  {
    type,
    class: rrClass,
    length: lengthOctets,
  }: { readonly type: number; readonly class: number; readonly length: number },
): Uint8Array {
  const isUpdateClass = rrClass === classes.none || rrClass === classes.any
  // RFC 2136 sections 2.4 and 2.5: prerequisites and deletions have no rdata.
  if (isUpdateClass && lengthOctets === 0) return new Uint8Array()
  // Another class may give a type another form (RFC 3597 section 2).
  if (rrClass !== classes.in && !isUpdateClass) return reader.take(lengthOctets).slice()
  return readRdata(reader, type, lengthOctets)
}

function encodeQuestion(writer: Writer, question: Question): void {
  writer.compressedName(question.name)
  writer.u16(question.type)
  writer.u16(question.class)
}

function encodeRecord(writer: Writer, record: ResourceRecord): void {
  writer.compressedName(record.owner)
  writer.u16(record.type)
  writer.u16(record.class)
  writer.u32(record.ttlSeconds)
  const lengthAt = writer.offset
  writer.u16(0)
  writeRdata(writer, record.type, record.rdata)
  if (!writer.hasOverflowed) writer.patch16(lengthAt, writer.offset - lengthAt - 2)
}
