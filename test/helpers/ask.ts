import { classes, opcodes, rcodes } from '../../src/dns/codes.ts'
import type { Edns, EdnsOption } from '../../src/dns/edns.ts'
import { flags, opcodeFlags } from '../../src/dns/header.ts'
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type ResourceRecord,
  rcodeOfMessage,
} from '../../src/dns/message.ts'
import { formatName, parseName } from '../../src/dns/name.ts'
import { formatRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import type { Transport } from '../../src/nameserver/request.ts'
import { processQuery } from './oracle/process-query.ts'
import type { ZoneSet } from './oracle/zone-set.ts'
import { requireSameFromTable } from './table-twin.ts'
import { codeOf } from './zone.ts'

// Asks the nameserver as a client would, from octets to octets, without a socket.

/** The parts of a query that a test may change. */
export type AskOptions = {
  readonly id?: number
  readonly transport?: Transport
  readonly class?: number
  readonly opcode?: number
  /** Header flags beside the opcode, as masks of `flags`. */
  readonly flags?: number
  /** Present: the query has an OPT. */
  readonly edns?: EdnsInput
}

export type EdnsInput = {
  readonly payloadOctets?: number
  readonly version?: number
  readonly isDnssecOk?: boolean
  readonly options?: readonly EdnsOption[]
}

/** A decoded response, with the parts that tests compare as text. */
export type Reply = {
  readonly rcode: string
  /** Names of the flags that are set, QR left out, in the order of the header: `aa tc rd`. */
  readonly flags: string
  readonly question: string
  readonly answer: readonly string[]
  readonly authority: readonly string[]
  readonly additional: readonly string[]
  readonly edns: Edns | undefined
  readonly message: Message
  readonly octets: Uint8Array
}

/** Asks `www.example. A` and decodes the response. */
export function ask(zones: ZoneSet, question: string, options: AskOptions = {}): Reply {
  return exchange(zones, queryFor(question, options), options)
}

/** Sends any octets and decodes the response, which must be a single one. */
export function exchange(
  zones: ZoneSet,
  request: Uint8Array,
  { transport = 'udp' }: AskOptions = {},
): Reply {
  const octets = processQuery(request, {
    zones,
    transport,
    buffer: new Uint8Array(0xffff),
    reportDefect: defect => {
      throw defect
    },
  })
  if (octets === undefined) throw new Error('no response')
  requireSameFromTable(zones, request, { transport, octets })
  return replyFrom(octets)
}

/** Encodes a query for `www.example. A`. */
export function queryFor(question: string, options: AskOptions = {}): Uint8Array {
  const [name = '', type = 'A'] = question.split(' ')
  const { id = 0x1234, class: qclass = classes.in, opcode = opcodes.query, edns } = options
  return encodeMessage({
    header: { id, flags: opcodeFlags(opcode) | (options.flags ?? 0) },
    questions: [{ name: parseName(name), type: codeOf(type), class: qclass }],
    answers: [],
    authorities: [],
    additionals: [],
    ...(edns === undefined ? {} : { edns: ednsFor(edns) }),
  })
}

/** Decodes a response. */
export function replyFrom(octets: Uint8Array): Reply {
  const message = decodeMessage(octets)
  const [question] = message.questions
  return {
    rcode: rcodeName(rcodeOfMessage(message)),
    flags: flagNames(message.header.flags),
    question: question ? `${formatName(question.name)} ${typeMnemonic(question.type)}` : '',
    answer: message.answers.map(recordText),
    authority: message.authorities.map(recordText),
    additional: message.additionals.map(recordText),
    edns: message.edns,
    message,
    octets,
  }
}

function ednsFor({
  payloadOctets = 1232,
  version = 0,
  isDnssecOk = false,
  ...rest
}: EdnsInput): Edns {
  return { payloadOctets, extendedRcode: 0, version, isDnssecOk, options: rest.options ?? [] }
}

function recordText({ owner, ttlSeconds, type, rdata }: ResourceRecord): string {
  return `${formatName(owner)} ${ttlSeconds} ${typeMnemonic(type)} ${formatRdata(type, rdata)}`
}

const rcodeNames = new Map<number, string>(
  Object.entries(rcodes).map(([name, code]) => [code, name.toUpperCase()]),
)

function rcodeName(code: number): string {
  return rcodeNames.get(code) ?? String(code)
}

const shownFlags = [
  ['aa', flags.authoritative],
  ['tc', flags.truncated],
  ['rd', flags.recursionDesired],
  ['ra', flags.recursionAvailable],
  ['z', 0x0040],
  ['ad', flags.authenticData],
  ['cd', flags.checkingDisabled],
] as const

function flagNames(headerFlags: number): string {
  return shownFlags
    .filter(([, mask]) => (headerFlags & mask) !== 0)
    .map(([name]) => name)
    .join(' ')
}
