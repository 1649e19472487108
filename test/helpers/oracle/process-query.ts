import {
  classes,
  extendedErrors,
  opcodes,
  rcodes,
  tsigErrors,
  types,
} from '../../../src/dns/codes.ts'
import { opcodeOf } from '../../../src/dns/header.ts'
import { decodeMessage, maxMessageOctets, type Question } from '../../../src/dns/message.ts'
import { lowerCaseName, type Name, parseName } from '../../../src/dns/name.ts'
import type { Tsig } from '../../../src/dns/tsig.ts'
import type { Transport } from '../../../src/nameserver/request.ts'
import { serverSettings } from '../asked-server.ts'
import { answer } from './answer.ts'
import { judgeNotify, type OnNotified } from './notify.ts'
import { judgeCookie } from './options.ts'
import { type Query, readQuery } from './query.ts'
import { maxUdpPayloadOctets, Response } from './response.ts'
import type { ServedZone, ServedZones } from './served-zone.ts'

/** RFC 1035 section 4.2.1: what every client takes over UDP. */
const minUdpPayloadOctets = 512

/** The sources and settings for answering a request. */
export type QueryContext = {
  readonly zones: ServedZones
  readonly transport: Transport
  /** 65,535 octets, the caller's own: the response is a view of it, so it must be sent or copied before
   *  the next request is processed with the same buffer. */
  readonly buffer: Uint8Array
  readonly onNotified?: OnNotified | undefined
  /** Called with an error that should be impossible. The client gets SERVFAIL. */
  readonly reportDefect?: (defect: unknown) => void
}

/** Answers one request in wire form; undefined means that nothing is to be sent. Never throws. */
export function processQuery(request: Uint8Array, context: QueryContext): Uint8Array | undefined {
  const query = readQuery(request)
  if (query === undefined) return undefined
  try {
    return respond(query, request, context)
  } catch (defect) {
    context.reportDefect?.(defect)
    return emptyResponse({ ...query, rcode: rcodes.servFail }, context)
  }
}

function respond(query: Query, request: Uint8Array, context: QueryContext): Uint8Array | undefined {
  const { question, tsig } = query
  if (query.rcode !== rcodes.noError) return emptyResponse(query, context)
  // RFC 8945 section 5.2: before the request is processed further.
  if (tsig !== undefined) return refuseTsig(query, tsig, context)
  if (question === undefined) return sendCookie(query, context)
  if (opcodeOf(query.flags) === opcodes.notify) return respondToNotify(query, context)
  if (opcodeOf(query.flags) === opcodes.update) {
    return emptyResponse({ ...query, rcode: judgeUpdate(question, context.zones) }, context)
  }
  if (question !== undefined && isTransfer(question, context.transport)) {
    return respondToTransfer({ ...query, question }, request, context)
  }
  const rcode = refusal(question, context.transport)
  if (rcode !== rcodes.noError) return refuse({ ...query, rcode }, question, context)
  const response = begin(query, context)
  answer(question, context.zones, response)
  const apex = lowerCaseName(question.name)
  const zone = context.zones.find(apex)
  const isSoa = question.type === types.SOA && question.class === classes.in
  if (isSoa && zone?.apex === apex && response.rcode === rcodes.noError) putExpire(zone, response)
  return response.finish()
}

function putExpire(zone: ServedZone, response: Response): void {
  const found = zone.lookup(zone.apex, types.SOA)
  if (found.kind === 'hit') response.putExpire(found.rrset)
}

function isTransfer({ type, class: qclass }: Question, transport: Transport): boolean {
  if (qclass !== classes.in) return false
  return type === types.IXFR || (type === types.AXFR && transport === 'tcp')
}

/** No client may transfer a zone here; over UDP the response is its SOA (RFC 1995 section 2). */
function respondToTransfer(
  query: Query & { readonly question: Question },
  request: Uint8Array,
  context: QueryContext,
): Uint8Array {
  const { name, type } = query.question
  const apex = lowerCaseName(name)
  const zone = context.zones.find(apex)
  const end = (rcode: number) => emptyResponse({ ...query, rcode }, context)
  if (zone?.apex !== apex) return end(rcodes.notAuth)
  if (zone.isExpired) return end(rcodes.servFail)
  if (type === types.IXFR && !hasSoa(request)) return end(rcodes.formErr)
  if (context.transport === 'tcp')
    return refuse({ ...query, rcode: rcodes.refused }, query.question, context)
  const response = begin(query, context)
  response.isAuthoritative = true
  const found = zone.lookup(apex, types.SOA)
  if (found.kind === 'hit') response.putRequired('answer', apex, found.rrset)
  putExpire(zone, response)
  return response.finish()
}

function hasSoa(request: Uint8Array): boolean {
  try {
    return decodeMessage(request).authorities.some(({ type }) => type === types.SOA)
  } catch {
    return false
  }
}

/** The response is the request, with its header made one and without its records (RFC 1996 section 4.7). */
function respondToNotify(query: Query, context: QueryContext): Uint8Array | undefined {
  const { question } = query
  if (question === undefined) return emptyResponse({ ...query, rcode: rcodes.formErr }, context)
  const { rcode, apex } = judgeNotify(question, context.zones)
  if (apex === undefined) return emptyResponse({ ...query, rcode }, context)
  if (context.onNotified?.(apex) === false) return undefined
  const response = begin(query, context)
  response.isAuthoritative = true
  return response.finish()
}

/** No client may change anything here (RFC 2136 section 3.3). */
function judgeUpdate(question: Question | undefined, zones: ServedZones): number {
  if (question?.type !== types.SOA) return rcodes.formErr
  const { apex } = judgeNotify(question, zones)
  return apex === undefined ? rcodes.notAuth : rcodes.refused
}

/** No key is known to the answering threads yet. The error goes out unsigned, with the time and the fudge of the request
 *  and an empty MAC (RFC 8945 sections 5.2.1 and 5.3.2). */
function refuseTsig(query: Query, tsig: Tsig, context: QueryContext): Uint8Array {
  const response = begin(query, context)
  response.rcode = rcodes.notAuth
  response.tsig = {
    ...tsig,
    mac: noOctets,
    originalId: query.id,
    error: tsigErrors.badKey,
    otherData: noOctets,
  }
  return response.finish()
}

const noOctets = new Uint8Array()

function emptyResponse(query: Query, context: QueryContext): Uint8Array {
  const response = begin(query, context)
  response.rcode = query.rcode
  return response.finish()
}

/** RFC 6891 section 6.2.3: a payload size below 512 means 512. */
function sizeLimit({ edns }: Query, transport: Transport): number {
  if (transport === 'tcp') return maxMessageOctets
  const wantedOctets = edns?.payloadOctets ?? minUdpPayloadOctets
  return Math.max(minUdpPayloadOctets, Math.min(wantedOctets, maxUdpPayloadOctets))
}

function begin(query: Query, { buffer, transport }: QueryContext): Response {
  return new Response(query, buffer, sizeLimit(query, transport), transport)
}

/** A client that asks only for a cookie gets one, and learns whether its own is bad (RFC 7873 section 5.4). */
function sendCookie(query: Query, context: QueryContext): Uint8Array {
  const cookie = judgeCookie(query.edns)
  const isBad = cookie.kind === 'given' && cookie.hasServerPart && !cookie.isOwn
  return emptyResponse({ ...query, rcode: isBad ? rcodes.badCookie : rcodes.noError }, context)
}

/** Texts about the server in class CH (RFC 4892); for other refusals the reason. */
const chaosTexts = new Map<Name, Uint8Array>([
  [parseName('id.server.'), serverSettings.facts.identity],
  [parseName('hostname.bind.'), serverSettings.facts.identity],
  [parseName('version.server.'), serverSettings.facts.version],
  [parseName('version.bind.'), serverSettings.facts.version],
])

function refuse(query: Query, question: Question, context: QueryContext): Uint8Array {
  const response = begin(query, context)
  response.rcode = query.rcode
  if (query.rcode !== rcodes.refused) return response.finish()
  const isText = question.type === types.TXT || question.type === types.ANY
  const isChaos = question.class === classes.chaos
  const text = isChaos && isText ? chaosTexts.get(lowerCaseName(question.name)) : undefined
  if (text === undefined) response.extendedError = extendedErrors.prohibited
  else {
    response.rcode = rcodes.noError
    response.isAuthoritative = true
    response.putChaosText(text)
  }
  return response.finish()
}

/** Returns the rcode of a well-formed question before any zone lookup: NOERROR to continue. */
function refusal(question: Question, transport: Transport): number {
  // Class ANY is answered from the only stored class, IN. Chaos names (version.bind) reveal nothing.
  if (question.class !== classes.in && question.class !== classes.any) return rcodes.refused
  switch (question.type) {
    // RFC 5936 section 4.2: there is no AXFR over UDP.
    case types.AXFR:
      return transport === 'udp' ? rcodes.formErr : rcodes.refused
    case types.IXFR:
      // Of class ANY.
      return rcodes.refused
    // RFC 973 made them obsolete; nothing can be stored under them.
    case types.MAILA:
    case types.MAILB:
      return rcodes.notImp
    // Parts of a message are not data that a client can query.
    case types.OPT:
    case types.TSIG:
      return rcodes.formErr
    default:
      return rcodes.noError
  }
}
