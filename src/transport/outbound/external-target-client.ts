import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { classes, opcodes, rcodes, types } from '../../dns/codes.ts'
import { ifWellFormed } from '../../dns/format-error.ts'
import { flags, opcodeFlags, opcodeOf } from '../../dns/header.ts'
import { decodeMessage, encodeMessage, type Message, rcodeOfMessage } from '../../dns/message.ts'
import { lowerCaseName, type Name } from '../../dns/name.ts'
import { rcodeText } from '../../dns/rcode-text.ts'
import type { TsigSecret } from '../../dns/tsig-mac.ts'
import { signed, TsigSigner } from '../../dns/tsig-signer.ts'
import { TsigAnswers } from '../../dns/tsig-verifier.ts'
import { soaNumbersIn } from '../../zone/soa.ts'
import { unixSeconds } from '../answer.ts'
import { hmac } from '../hmac.ts'
import {
  type Asking,
  type NamedBy,
  type Reach,
  RefusedAddressError,
  reachableAddresses,
} from './reach.ts'

// Queries and notifies name servers elsewhere over UDP. dns2's client could send the queries, but it decodes a
// datagram before it compares the id, which can block the event loop for seconds with a forged one; it also has
// no NOTIFY. Here the kernel drops datagrams from other addresses (the socket is connected), and the id and the
// question are compared before a response is used.

export type ExternalTargetClientOptions = Asking & {
  readonly timeouts?: ExternalTargetTimeouts
}

export type ExternalTargetTimeouts = {
  readonly probeMs: number
  /** The timeout of each attempt to notify (RFC 1996 section 3.6: a limited number, at increasing intervals). */
  readonly notifyMs: readonly number[]
}

type NotifyTarget = Server & {
  readonly namedBy: NamedBy
  /** The key that signs its NOTIFY, and must sign the answer. */
  readonly key?: TsigSecret | undefined
}

export type Server = { readonly host: string; readonly port: number }

type ProbeResult =
  | { readonly kind: 'serves'; readonly serial: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly reason: string }

const defaultTimeouts: ExternalTargetTimeouts = {
  probeMs: 2_000,
  notifyMs: [1_000, 2_000, 4_000, 8_000, 16_000],
}

/** Stateless between calls; each call opens a socket. */
export class ExternalTargetClient {
  readonly #randomId: () => number
  readonly #timeouts: ExternalTargetTimeouts
  readonly #reaches: ExternalTargetClientOptions['reaches']

  constructor({ randomId, timeouts = defaultTimeouts, reaches }: ExternalTargetClientOptions) {
    this.#reaches = reaches
    this.#randomId = randomId
    this.#timeouts = timeouts
  }

  /** Queries once for the serial that a server serves of a zone. */
  async probe(server: Server, zone: Name, signal: AbortSignal): Promise<ProbeResult> {
    const { probeMs } = this.#timeouts
    const request = requestFor(zone, { id: this.#randomId(), type: types.SOA })
    const reach = this.#reaches.operator
    const answer = await exchange(server, request, { timeoutMs: probeMs, signal, reach })
    if (answer.kind === 'answered') return judgeProbe(answer.message)
    return { kind: 'failed', reason: answer.reason }
  }

  /** Notifies a server that a zone has changed; returns why the server has not acknowledged it, if it has not.
   *  @param type the type that changed: SOA for the whole zone */
  async notify(
    { namedBy, key, ...server }: NotifyTarget,
    zone: Name,
    {
      signal,
      maxAttempts,
      type = types.SOA,
    }: {
      readonly signal: AbortSignal
      readonly maxAttempts?: number
      readonly type?: number
    },
  ): Promise<string | undefined> {
    const reach = this.#reaches[namedBy]
    let problem = 'it was not sent'
    for (const timeoutMs of this.#timeouts.notifyMs.slice(0, maxAttempts)) {
      if (signal.aborted) return problem
      const id = this.#randomId()
      const request = requestFor(zone, { id, opcode: opcodes.notify, type })
      const answer = await exchange(server, request, { timeoutMs, signal, reach, key })
      // RFC 1996 section 3.6: any answer with the right id and question ends the attempts.
      if (answer.kind === 'answered') {
        const rcode = rcodeOfMessage(answer.message)
        return rcode === rcodes.noError ? undefined : answersWith(rcode)
      }
      problem = answer.reason
      if (answer.isImmediate) await pause(timeoutMs, signal)
    }
    return problem
  }
}

/** A query to another server, or a NOTIFY. */
export function requestFor(
  name: Name,
  {
    id,
    opcode = opcodes.query,
    type,
  }: { readonly id: number; readonly opcode?: number; readonly type: number },
): Message {
  // RFC 1996 section 3.7: the sender of a NOTIFY is authoritative for the zone.
  const authoritative = opcode === opcodes.notify ? flags.authoritative : 0
  return {
    header: { id, flags: opcodeFlags(opcode) | authoritative },
    questions: [{ name, type, class: classes.in }],
    answers: [],
    authorities: [],
    additionals: [],
  }
}

/** RFC 1034 section 4.3.1: only an authoritative answer shows what a server serves. */
function judgeProbe(message: Message): ProbeResult {
  const rcode = rcodeOfMessage(message)
  const absentRcodes: readonly number[] = [rcodes.refused, rcodes.notAuth, rcodes.nxDomain]
  if (absentRcodes.includes(rcode)) return { kind: 'absent' }
  if (rcode !== rcodes.noError) return { kind: 'failed', reason: answersWith(rcode) }
  const [question] = message.questions
  const soa = message.answers.find(
    record =>
      record.type === types.SOA &&
      question !== undefined &&
      lowerCaseName(record.owner) === lowerCaseName(question.name),
  )
  const isAuthoritative = (message.header.flags & flags.authoritative) !== 0
  if (soa === undefined || !isAuthoritative) return { kind: 'absent' }
  return { kind: 'serves', serial: soaNumbersIn(soa.rdata).serial }
}

function answersWith(rcode: number): string {
  return `it answers ${rcodeText(rcode)}`
}

type Exchange =
  | { readonly kind: 'answered'; readonly message: Message }
  /** `isImmediate`: reported by the network, before the timeout. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isImmediate: boolean }

type ExchangeOptions = {
  readonly timeoutMs: number
  /** Ends the wait early. */
  readonly signal?: AbortSignal
  readonly reach: Reach
  readonly key?: TsigSecret | undefined
}

/** Sends a datagram and waits for its answer. Never rejects. */
export async function exchange(
  server: Server,
  request: Message,
  { timeoutMs, signal, reach, key }: ExchangeOptions,
): Promise<Exchange> {
  const timeUp = AbortSignal.timeout(timeoutMs)
  const ended = signal === undefined ? timeUp : AbortSignal.any([timeUp, signal])
  let socket: Socket | undefined
  let unsigned: string | undefined
  try {
    const address = await addressOf(server.host, reach)
    socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    socket.on('error', ignore)
    socket.connect(server.port, address)
    await once(socket, 'connect', { signal: ended })
    const signer = key && new TsigSigner(key, hmac)
    const octets = encodeMessage(request)
    socket.send(signer ? signed(octets, signer, { nowSeconds: unixSeconds() }) : octets)
    return await answerTo(request, {
      socket,
      ended,
      signer,
      onUnsigned: message => {
        unsigned = `${answersWith(rcodeOfMessage(message))}, not signed with the key`
      },
    })
  } catch (error) {
    const failure = failureOf(error, { timeUp, timeoutMs })
    return { kind: 'failed', ...failure, ...(unsigned !== undefined && { reason: unsigned }) }
  } finally {
    socket?.close()
  }
}

async function answerTo(
  request: Message,
  {
    socket,
    ended,
    signer,
    onUnsigned,
  }: {
    readonly socket: Socket
    readonly ended: AbortSignal
    readonly signer: TsigSigner | undefined
    readonly onUnsigned: (message: Message) => void
  },
): Promise<Exchange> {
  for (;;) {
    // An error of the network, such as a closed port, rejects this.
    const [octets] = (await once(socket, 'message', { signal: ended })) as [Uint8Array]
    const message = decoded(octets, request)
    if (message === undefined) continue
    if (isSignedAs(octets, signer)) return { kind: 'answered', message }
    // Anybody may have sent it (RFC 8945 section 5.4): it explains a failure, and ends no wait.
    onUnsigned(message)
  }
}

/** Whether the answer to a signed request is signed. */
function isSignedAs(octets: Uint8Array, signer: TsigSigner | undefined): boolean {
  if (signer === undefined) return true
  const answers = new TsigAnswers(signer.key, hmac, signer.mac)
  const isTaken = ifWellFormed(() => {
    answers.take(octets, unixSeconds())
    return true
  })
  return isTaken ?? false
}

/** The answer, or undefined for a datagram that does not answer this request. */
function decoded(octets: Uint8Array, request: Message): Message | undefined {
  const id = ((octets[0] ?? 0) << 8) | (octets[1] ?? 0)
  if (octets.length < 2 || id !== request.header.id) return undefined
  const message = ifWellFormed(() => decodeMessage(octets))
  if (message === undefined) return undefined
  const isResponse = (message.header.flags & flags.response) !== 0
  const isSame = opcodeOf(message.header.flags) === opcodeOf(request.header.flags)
  return isResponse && isSame && hasQuestionOf(message, request) ? message : undefined
}

/** An error may come without the question. */
function hasQuestionOf(message: Message, request: Message): boolean {
  const [asked] = request.questions
  const [told] = message.questions
  if (told === undefined) return rcodeOfMessage(message) !== rcodes.noError
  return (
    asked !== undefined &&
    lowerCaseName(told.name) === lowerCaseName(asked.name) &&
    told.type === asked.type
  )
}

/** @throws RefusedAddressError, Error with a code of the resolver */
async function addressOf(host: string, reach: Reach): Promise<string> {
  const [address] = await reachableAddresses(host, reach)
  if (address !== undefined) return address
  throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' })
}

function failureOf(
  error: unknown,
  { timeUp, timeoutMs }: { readonly timeUp: AbortSignal; readonly timeoutMs: number },
): { readonly reason: string; readonly isImmediate: boolean } {
  if (timeUp.aborted)
    return { reason: `no answer within ${timeoutMs / 1000} s`, isImmediate: false }
  if (error instanceof RefusedAddressError) return { reason: error.message, isImmediate: true }
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return { reason: explanations[code] ?? code, isImmediate: true }
}

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name has no address',
  EAI_AGAIN: 'its name cannot be looked up',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
}

function ignore(): void {
  // Errors are reported where a result is awaited; one in between must not end the process.
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const ended = AbortSignal.any([AbortSignal.timeout(ms), signal])
  if (!ended.aborted) await once(ended, 'abort')
}
