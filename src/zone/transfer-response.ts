import { AnswerReader } from '../dns/answer-reader.ts'
import { classes, ednsOptions, opcodes, rcodes, types } from '../dns/codes.ts'
import { FormatError } from '../dns/format-error.ts'
import { flags, opcodeOf } from '../dns/header.ts'
import { decodeMessage, type Message, type Question, rcodeOfMessage } from '../dns/message.ts'
import { formatName, lowerCaseName, type Name } from '../dns/name.ts'
import { rcodeText } from '../dns/rcode-text.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { soaNumbersIn } from './soa.ts'

/** Why a master gave no copy of the zone. `reason` is for people and names what was found. */
export type TransferFailure = {
  readonly kind: TransferFailureKind
  readonly reason: string
  /** Of kind 'refused': what the master has answered. */
  readonly rcode?: number
}

export type TransferFailureKind =
  /** Its address is one that the zone's project may not have asked. */
  | 'refused-address'
  /** No connection: refused, no such host, no route, or timeout. */
  | 'unreachable'
  /** Connected, but the response timed out. */
  | 'silent'
  /** The connection ended before the answer did. */
  | 'closed'
  /** Not the form of a DNS message or record. */
  | 'malformed'
  /** Not the response to the request: id, QR, opcode, question, or truncated over TCP. */
  | 'mismatched'
  /** The master refuses; the reason has its response code. */
  | 'refused'
  /** The master does not claim authority. */
  | 'not-authoritative'
  /** The records are not those of a transfer, or not in its order. */
  | 'not-a-transfer'
  /** More records or octets than this server accepts. */
  | 'too-large'
  /** More than the zone's project may have. */
  | 'over-quota'
  /** All transfers in progress together have as many octets as this server holds. */
  | 'no-room'
  /** The records do not make a sound zone. */
  | 'unsound'
  /** The master has an older serial than we have (RFC 1982). */
  | 'behind'

export function failure(kind: TransferFailureKind, reason: string): TransferFailure {
  return { kind, reason }
}

/** The request that a response is checked against. `zone` is lower-case. */
export type TransferQuestion = { readonly id: number; readonly zone: Name; readonly type: number }

type ResponseVerdict =
  | { readonly kind: 'accepted'; readonly message: Message }
  | { readonly kind: 'failed'; readonly failure: TransferFailure }

/** Decodes a message and checks its header and question against the request. Messages of a transfer after the first may
 *  leave the question out (RFC 5936 section 2.2.2). */
export function judgeResponse(
  octets: Uint8Array,
  asked: TransferQuestion,
  { isFirst }: { readonly isFirst: boolean },
): ResponseVerdict {
  try {
    const message = decodeMessage(octets)
    const problem = headerProblem(message, asked) ?? questionProblem(message, asked, isFirst)
    return problem === undefined
      ? { kind: 'accepted', message }
      : { kind: 'failed', failure: problem }
  } catch (error) {
    return { kind: 'failed', failure: malformed(error) }
  }
}

/** As `judgeResponse`, for a message with very many answers: each is read in place.
 *  @param take returns what is wrong with an answer; later answers are not read then */
export function judgeAnswers(
  octets: Uint8Array,
  { isFirst, ...asked }: TransferQuestion & { readonly isFirst: boolean },
  take: (answer: AnswerReader) => TransferFailure | undefined,
): TransferFailure | undefined {
  try {
    const reader = new AnswerReader(octets)
    const problem = headerProblem(reader, asked) ?? questionProblem(reader, asked, isFirst)
    if (problem !== undefined) return problem
    while (reader.next()) {
      const wrong = take(reader)
      if (wrong !== undefined) return wrong
    }
    const edns = reader.finish()
    return edns && headerProblem({ header: reader.header, edns }, asked)
  } catch (error) {
    return malformed(error)
  }
}

/** @throws Error it is another one */
function malformed(error: unknown): TransferFailure {
  if (!(error instanceof FormatError)) throw error
  return failure('malformed', `malformed message: ${error.message}`)
}

export type SerialVerdict =
  | {
      readonly kind: 'serial'
      readonly serial: number
      /** How long the master's zone is good (RFC 7314), where the master says so. */
      readonly expireSeconds?: number
    }
  | { readonly kind: 'failed'; readonly failure: TransferFailure }

/** Reads the master's serial from its answer to a SOA query. */
export function judgeSoaResponse(octets: Uint8Array, asked: TransferQuestion): SerialVerdict {
  const verdict = judgeResponse(octets, asked, { isFirst: true })
  if (verdict.kind === 'failed') return verdict
  const soas = verdict.message.answers.filter(
    record =>
      record.type === types.SOA &&
      record.class === classes.in &&
      lowerCaseName(record.owner) === asked.zone,
  )
  const [soa] = soas
  if (soa === undefined || soas.length > 1) {
    const reason = `${soas.length} SOA records where one was expected`
    return { kind: 'failed', failure: failure('not-a-transfer', reason) }
  }
  const { serial } = soaNumbersIn(soa.rdata)
  const expireSeconds = expireOf(verdict.message)
  return { kind: 'serial', serial, ...(expireSeconds !== undefined && { expireSeconds }) }
}

/** RFC 7314 section 3: four octets; any other length is ignored. */
function expireOf({ edns }: Message): number | undefined {
  const { octets } = edns?.options.find(({ code }) => code === ednsOptions.expire) ?? {}
  if (octets?.length !== expireOctets) return undefined
  return new DataView(octets.buffer, octets.byteOffset).getUint32(0)
}

const expireOctets = 4

/** The verdict of a master's serial on the copy at hand; undefined where the serial is newer, or there is no copy (RFC
 *  1982). */
export function compareSerial(
  serial: number,
  known: number | undefined,
):
  | { readonly kind: 'current'; readonly serial: number }
  | { readonly kind: 'failed'; readonly failure: TransferFailure }
  | undefined {
  if (known === undefined || isNewerSerial(serial, known)) return undefined
  if (serial === known) return { kind: 'current', serial }
  const advice = '`zone retransfer --whole` takes it'
  const reason = `the master has serial ${serial}, which is older than ${known} (${advice})`
  return { kind: 'failed', failure: failure('behind', reason) }
}

function headerProblem(
  message: Pick<Message, 'header' | 'edns'>,
  asked: TransferQuestion,
): TransferFailure | undefined {
  const { header } = message
  if (header.id !== asked.id) return failure('mismatched', 'the answer has the id of another query')
  if ((header.flags & flags.response) === 0) return failure('mismatched', 'a query for an answer')
  if (opcodeOf(header.flags) !== opcodes.query) {
    return failure('mismatched', `an answer with opcode ${opcodeOf(header.flags)}`)
  }
  const rcode = rcodeOfMessage(message)
  if (rcode !== rcodes.noError)
    return { ...failure('refused', `the master answers ${rcodeText(rcode)}`), rcode }
  if ((header.flags & flags.truncated) !== 0) {
    return failure('mismatched', 'a truncated answer over TCP')
  }
  // The answer to SOA, on the same connection, speaks for the messages that follow: RFC 5936 section 2.2.1
  // wants AA in each, but Knot DNS sets it in none of a transfer.
  if (asked.type === types.SOA && (header.flags & flags.authoritative) === 0) {
    return failure('not-authoritative', 'the master is not authoritative for the zone')
  }
  return undefined
}

function questionProblem(
  { questions }: Pick<Message, 'questions'>,
  asked: TransferQuestion,
  isFirst: boolean,
): TransferFailure | undefined {
  const [question] = questions
  if (question === undefined && !isFirst) return undefined
  if (questions.length === 1 && question !== undefined && isSame(question, asked)) return undefined
  const found = question === undefined ? 'no question' : `question ${formatName(question.name)}`
  return failure('mismatched', `${found} in the answer for ${formatName(asked.zone)}`)
}

function isSame(question: Question, asked: TransferQuestion): boolean {
  return (
    question.type === asked.type &&
    question.class === classes.in &&
    lowerCaseName(question.name) === asked.zone
  )
}
