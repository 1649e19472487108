import { classes, ednsOptions, rcodes, types } from '../../dns/codes.ts'
import type { Edns } from '../../dns/edns.ts'
import { FormatError } from '../../dns/format-error.ts'
import { encodeMessage, encodeQuery } from '../../dns/message.ts'
import { signed, TsigSigner } from '../../dns/tsig-signer.ts'
import { TsigAnswers } from '../../dns/tsig-verifier.ts'
import { TimeSlice } from '../../time-slice.ts'
import { soaNumbersOctets } from '../../zone/soa.ts'
import { TransferEnd } from '../../zone/transfer-end.ts'
import {
  maxEmptyMessages,
  type SerialRequest,
  type TransferLimits,
  type TransferRequest,
  type TransferResult,
} from '../../zone/transfer-in.ts'
import { TransferPieces } from '../../zone/transfer-pieces.ts'
import {
  compareSerial,
  judgeSoaResponse,
  type SerialVerdict,
  type TransferFailure,
  type TransferQuestion,
} from '../../zone/transfer-response.ts'
import { unixSeconds } from '../answer.ts'
import { hmac } from '../hmac.ts'
import type { TlsCredentials } from '../tls-gate.ts'
import {
  MasterConnection,
  MasterConnectionError,
  type MasterTimeouts,
} from './master-connection.ts'
import type { Reach } from './reach.ts'

// Queries a master for its serial and, if that is newer, for the changes or the zone, on one connection (RFC 1995,
// RFC 5936 section 4.1). Messages are only checked for the end here, and parsed where a zone of a million records blocks
// nothing else.

export type AxfrClientOptions = {
  /** Returns 32 random bits: for message ids, which must be unpredictable (RFC 5452 section 9.2), and for the hash of names,
   *  which a master chooses. */
  readonly randomWord: () => number
  readonly limits?: TransferLimits
  readonly timeouts?: Partial<MasterTimeouts>
  readonly pace?: TransferPace
  /** The certificate of this server over TLS, if a master requests one (RFC 9103 section 9.3.3). */
  readonly credentials?: () => TlsCredentials | undefined
  /** Which masters may be connected to, by who has named them. */
  readonly reaches: Readonly<Record<TransferRequest['namedBy'], Reach>>
}

/** Limits that fit the memory of a small machine. */
const defaultLimits: TransferLimits = { maxRecords: 2_000_000, maxOctets: 512 * 1024 * 1024 }

const defaultTimeouts: MasterTimeouts = { connectMs: 5_000, messageMs: 20_000, totalMs: 600_000 }

/** The minimum rate of a master: 13 kbit per second, which the slowest lines provide. */
const defaultPace: TransferPace = { windowMs: 10_000, minOctets: 16 * 1024 }

/** The minimum octets to receive per window of waiting. Time spent on processing them does not count. */
export type TransferPace = { readonly windowMs: number; readonly minOctets: number }

/** Fetches zones from their masters. Stateless between calls. */
export class AxfrClient {
  readonly #randomWord: () => number
  readonly #limits: TransferLimits
  readonly #timeouts: MasterTimeouts
  readonly #pace: TransferPace
  readonly #reaches: AxfrClientOptions['reaches']
  readonly #credentials: NonNullable<AxfrClientOptions['credentials']>

  constructor({
    randomWord,
    limits = defaultLimits,
    timeouts = {},
    pace = defaultPace,
    reaches,
    credentials = () => undefined,
  }: AxfrClientOptions) {
    this.#credentials = credentials
    this.#randomWord = randomWord
    this.#limits = limits
    this.#pace = pace
    this.#reaches = reaches
    this.#timeouts = { ...defaultTimeouts, ...timeouts }
  }

  /** Never rejects for what a master does or fails to do. */
  transfer(request: TransferRequest, signal: AbortSignal): Promise<TransferResult> {
    return this.#connected(request, signal, connection => this.#transferOver(connection, request))
  }

  /** Queries a zone's serial. Never rejects for what a master does or fails to do. */
  askSerial(request: SerialRequest, signal: AbortSignal): Promise<SerialVerdict> {
    return this.#connected(request, signal, connection => this.#askSerial(connection, request))
  }

  async #connected<Result>(
    { master, namedBy }: SerialRequest,
    signal: AbortSignal,
    use: (connection: MasterConnection) => Promise<Result>,
  ): Promise<Result | Failed> {
    let connection: MasterConnection | undefined
    try {
      const reach = this.#reaches[namedBy]
      connection = await MasterConnection.open({
        master,
        timeouts: this.#timeouts,
        signal,
        reach,
        own: this.#credentials(),
      })
      return await use(connection)
    } catch (error) {
      if (!(error instanceof MasterConnectionError)) throw error
      return { kind: 'failed', failure: error.failure }
    } finally {
      connection?.close()
    }
  }

  async #transferOver(
    connection: MasterConnection,
    request: TransferRequest,
  ): Promise<TransferResult> {
    const verdict = await this.#askSerial(connection, request)
    if (verdict.kind === 'failed') return verdict
    const known = compareSerial(verdict.serial, request.knownSerial)
    const { expireSeconds } = verdict
    const expiry = expireSeconds !== undefined && { expireSeconds }
    if (known !== undefined) return { ...known, ...expiry }
    const result = await this.#receiveOrFail(connection, request)
    return { ...result, ...expiry }
  }

  async #askSerial(connection: MasterConnection, request: SerialRequest): Promise<SerialVerdict> {
    const verdict = await this.#askSoa(connection, request, { edns: askingForExpiry })
    // RFC 6891 section 7: a server without EDNS returns FORMERR.
    return verdict.kind === 'failed' && verdict.failure.rcode === rcodes.formErr
      ? this.#askSoa(connection, request, {})
      : verdict
  }

  async #askSoa(
    connection: MasterConnection,
    request: SerialRequest,
    more: MoreAsked,
  ): Promise<SerialVerdict> {
    const asked = this.#ask(connection, request, types.SOA, more)
    const answer = await connection.receive()
    asked.verify(answer)
    return judgeSoaResponse(answer, asked)
  }

  /** Tells the failure of a master that gave its serial, but not what has changed, from others. */
  async #receiveOrFail(
    connection: MasterConnection,
    request: TransferRequest,
  ): Promise<TransferResult> {
    try {
      return await this.#receive(connection, request)
    } catch (error) {
      if (!(error instanceof MasterConnectionError) || typeOf(request) === types.AXFR) throw error
      return { kind: 'failed', failure: error.failure, isOfChanges: true }
    }
  }

  /** Receives all messages without interpreting their records. */
  async #receive(connection: MasterConnection, request: TransferRequest): Promise<TransferResult> {
    const type = typeOf(request)
    const serial = type === types.IXFR ? request.knownSerial : undefined
    const { id, zone, verify, isVerified } = this.#ask(connection, request, type, { serial })
    const hashSeed = this.#randomWord()
    const limits = this.#limits
    const { quota, knownSerial, hold } = request
    const maxOctets = Math.min(limits.maxOctets, quota.maxOctets)
    const end = new TransferEnd(id, {
      ...limits,
      maxOctets,
      maxEmptyMessages,
      knownSerial: serial,
    })
    const messages = new TransferPieces()
    // The first message may take longer: some masters assemble a large zone before they begin.
    const first = await connection.receive()
    const pace = new PaceWatch(this.#pace)
    const slice = new TimeSlice()
    for (let message = first; ; message = await pace.next(connection)) {
      if (!hold(message.length)) return noRoom
      messages.add(message)
      verify(message)
      if (end.isAt(message)) break
      if (slice.isSpent) await slice.yield()
    }
    if (!isVerified()) throw badSignature('the last message has no TSIG')
    const { pieces } = messages
    const received = { zone, id, type, limits, quota, hashSeed, pieces, knownSerial }
    return { kind: 'received', transfer: received }
  }

  #ask(
    connection: MasterConnection,
    { zone, key }: SerialRequest,
    type: number,
    more: MoreAsked,
  ): Asked {
    const id = this.#randomWord() & 0xffff
    const query = queryOf({ id, zone, type }, more)
    if (key === undefined) {
      connection.send(query)
      return { id, zone, type, verify: () => undefined, isVerified: () => true }
    }
    const signer = new TsigSigner(key, hmac)
    connection.send(signed(query, signer, { nowSeconds: unixSeconds() }))
    const answers = new TsigAnswers(key, hmac, signer.mac)
    const verify = (message: Uint8Array) => {
      try {
        answers.take(message, unixSeconds())
      } catch (error) {
        if (error instanceof FormatError) throw badSignature(error.message)
        throw error
      }
    }
    return { id, zone, type, verify, isVerified: () => answers.isVerified }
  }
}

function typeOf({ isWhole, knownSerial }: TransferRequest): number {
  return isWhole || knownSerial === undefined ? types.AXFR : types.IXFR
}

const askingForExpiry: Edns = {
  payloadOctets: 1232,
  extendedRcode: 0,
  version: 0,
  isDnssecOk: false,
  options: [{ code: ednsOptions.expire, octets: new Uint8Array() }],
}

type MoreAsked = {
  readonly edns?: Edns
  /** Of IXFR: the serial of the local copy. */
  readonly serial?: number | undefined
}

/** RFC 1995 section 3: servers read only the serial of the SOA. */
function queryOf({ id, zone, type }: TransferQuestion, { serial, edns }: MoreAsked): Uint8Array {
  if (serial === undefined) return encodeQuery({ id, name: zone, type, ...(edns && { edns }) })
  const rdata = new Uint8Array(2 + soaNumbersOctets)
  new DataView(rdata.buffer).setUint32(2, serial)
  const soa = { owner: zone, type: types.SOA, class: classes.in, ttlSeconds: 0, rdata }
  return encodeMessage({
    header: { id, flags: 0 },
    questions: [{ name: zone, type, class: classes.in }],
    answers: [],
    authorities: [soa],
    additionals: [],
  })
}

type Asked = TransferQuestion & {
  /** Must be called with each message of the response.
   *  @throws MasterConnectionError the message is not signed as required */
  readonly verify: (message: Uint8Array) => void
  readonly isVerified: () => boolean
}

function badSignature(reason: string): MasterConnectionError {
  return new MasterConnectionError({ kind: 'refused', reason })
}

const noRoom: TransferResult = failed({
  kind: 'no-room',
  reason: 'this server holds as many zones on their way in as it can; it will try again',
})

/** Ends transfers that are too slow. A timeout for silence does not catch a master that sends single records. */
class PaceWatch {
  readonly #pace: TransferPace
  #waitedMs = 0
  #octets = 0

  constructor(pace: TransferPace) {
    this.#pace = pace
  }

  /** Returns the next message.
   *  @throws MasterConnectionError also kind 'silent' when too little has arrived */
  async next(connection: MasterConnection): Promise<Uint8Array> {
    const fromMs = performance.now()
    const message = await connection.receive()
    this.#waitedMs += performance.now() - fromMs
    this.#octets += message.length
    const { windowMs, minOctets } = this.#pace
    if (this.#waitedMs < windowMs) return message
    if (this.#octets < minOctets) {
      const reason = `it sent ${this.#octets} octets in ${Math.round(this.#waitedMs / 1000)} s`
      throw new MasterConnectionError({ kind: 'silent', reason })
    }
    this.#waitedMs = 0
    this.#octets = 0
    return message
  }
}

type Failed = { readonly kind: 'failed'; readonly failure: TransferFailure }

function failed(failure: TransferFailure): Failed {
  return { kind: 'failed', failure }
}
