import { classes, extendedErrors, rcodes, tsigErrors, types } from '../dns/codes.ts'
import type { TsigSecret } from '../dns/tsig-mac.ts'
import { TsigSigner } from '../dns/tsig-signer.ts'
import { OnDemandSigner } from '../dnssec/on-demand.ts'
import { ReaderEpoch } from '../zone/table/epochs.ts'
import type { ZoneTableHandle } from '../zone/table/handle.ts'
import { TableMemory } from '../zone/table/memory.ts'
import { TableLookup } from '../zone/table/table-lookup.ts'
import { Answer } from './answer.ts'
import { AwaitedZones } from './awaited-zones.ts'
import { BatchTimer } from './batch-timer.ts'
import { Cookies } from './cookies.ts'
import { KeyRing } from './key-ring.ts'
import { judgeNotify, judgeUpdate } from './notify-update.ts'
import { QueryTap } from './query-tap.ts'
import { sections } from './record-writer.ts'
import { clientCookieOctets, type Request, type Transport } from './request.ts'
import { RequestBatch } from './request-batch.ts'
import type { ResponderHost } from './responder-host.ts'
import { Response } from './response.ts'
import { ResponseCounter } from './response-counter.ts'
import { ResponseOptions } from './response-options.ts'
import { type RateLimitHandle, ResponseRateLimit, verdicts } from './response-rate-limit.ts'
import { ChaosNames, type ServerFacts } from './server-facts.ts'
import { judgeTransfer, transferRequestOf } from './transfer.ts'
import { acceptTsig, refuseUnsigned } from './tsig.ts'

/** Answers requests in one thread, without allocating anything except where it signs. A batch is `enter`; `take` for each waiting
 *  request, `prefetch`, and `respond` for each; then `leave`; and `sent`. Data that the writer of the zones removes meanwhile stays
 *  readable until `leave`, so a thread must leave before it waits for anything. */
export type Responder = {
  /** To be set by the owner of the socket. */
  host?: ResponderHost | undefined
  /** Begins a batch, which sees everything published before. */
  enter(): void
  /** Ends the batch; its responses are counted for their zones then. Between `leave` and `enter` a thread delays no
   *  reclaiming, however long it sleeps. */
  leave(): void
  /** Reads the request in the first `octetCount` octets of `request` as number `i` of the batch, from 0 and below
   *  `maxBatchRequests`, replacing the former one of that number. It stays where it is until its response is
   *  written. */
  take(i: number, request: Uint8Array, octetCount: number, transport: Transport): void
  /** Makes the first `count` requests quick to answer. A single request gains nothing. */
  prefetch(count: number): void
  /** Answers request `i` and writes the response to the start of `response`, which has 1,232 octets for UDP and 65,535
   *  for TCP. Returns its length; 0 where nothing is to be sent. Never throws. Request and response must not overlap. */
  respond(i: number, response: Uint8Array): number
  /** Ends the timing of the batch: its responses are sent. After `leave`. */
  sent(): void
}

/** The handle that a responder is opened with. */
export type ResponderHandle = ZoneTableHandle & ResponderSettings

/** The settings of answers. They can be cloned. */
export type ResponderSettings = {
  /** How responses over UDP are limited; without it they are not. */
  readonly rateLimit?: RateLimitHandle | undefined
  /** The keys of signed requests (`KeyRing`); without it no key is known. */
  readonly keyRing?: SharedArrayBuffer | undefined
  /** The keys of zones that are signed on demand (`OnDemandKeys`); without them no zone is. */
  readonly onDemandKeys?: SharedArrayBuffer | undefined
  /** The zones without a copy (`AwaitedZones`); without it there are none. */
  readonly awaitedZones?: SharedArrayBuffer | undefined
  /** The memory in which answers are recorded (`reserveTap`). */
  readonly tap?: SharedArrayBuffer | undefined
  readonly facts?: ServerFacts | undefined
  /** The secrets of DNS cookies (`Cookies`); without them there are none. */
  readonly cookieSecrets?: readonly Uint8Array[] | undefined
  /** How long a connection may be idle, in tenths of a second; without it the option is not sent. */
  readonly keepaliveTenths?: number | undefined
}

/** Opens the reader of the handle.
 *  @param reportDefect called with an error that should be impossible; the client gets SERVFAIL */
export function openResponder(
  handle: ResponderHandle,
  reportDefect?: (defect: unknown) => void,
): Responder {
  return new TableResponder(handle, reportDefect)
}

class TableResponder implements Responder {
  host: ResponderHost | undefined = undefined
  readonly #epoch: ReaderEpoch
  readonly #lookup: TableLookup
  readonly #batch: RequestBatch
  readonly #response: Response
  readonly #answer: Answer
  readonly #counter: ResponseCounter
  readonly #timer: BatchTimer
  readonly #limit: ResponseRateLimit | undefined
  readonly #tap: QueryTap | undefined
  readonly #keyRing: KeyRing | undefined
  readonly #awaited: AwaitedZones
  readonly #chaosNames: ChaosNames
  readonly #cookies: Cookies
  /** The client's address and the time, where they matter. */
  readonly #client = new Uint8Array(maxAddressOctets)
  #nowSeconds = 0
  /** Whether the current request is signed with a key of ours, or has a cookie of ours. */
  #isVerified = false
  /** The key that the request is signed with. */
  #key: TsigSecret | undefined
  /** Whether the request is answered elsewhere. */
  #isHandedOn = false
  readonly #reportDefect: ((defect: unknown) => void) | undefined

  constructor(handle: ResponderHandle, reportDefect: ((defect: unknown) => void) | undefined) {
    const memory = new TableMemory(handle.memory)
    this.#lookup = new TableLookup(memory)
    const signer = handle.onDemandKeys && new OnDemandSigner(handle.onDemandKeys)
    const parts = { memory, target: handle.target, lookup: this.#lookup, signer }
    this.#epoch = new ReaderEpoch(memory, handle.reader)
    this.#batch = new RequestBatch(parts)
    const { facts = {}, cookieSecrets = [], keepaliveTenths = 0 } = handle
    this.#chaosNames = new ChaosNames(facts, memory)
    this.#cookies = new Cookies(cookieSecrets)
    const { identity } = facts
    const options = new ResponseOptions({ identity, cookies: this.#cookies, keepaliveTenths })
    this.#response = new Response(memory, options, this.#batch.get(0))
    this.#answer = new Answer(parts, this.#response, this.#batch.get(0))
    this.#counter = new ResponseCounter(handle.counters, memory)
    this.#timer = new BatchTimer(this.#counter)
    this.#limit = handle.rateLimit && new ResponseRateLimit(handle.rateLimit)
    this.#tap = handle.tap && new QueryTap(handle.tap, handle.reader, memory)
    this.#keyRing = handle.keyRing && new KeyRing(handle.keyRing)
    this.#awaited = new AwaitedZones(handle.awaitedZones)
    this.#reportDefect = reportDefect
  }

  enter(): void {
    this.#epoch.enter()
    this.#timer.begin(this.host?.nowMillis)
    if (this.#limit !== undefined) this.#nowSeconds = this.host?.nowSeconds() ?? 0
  }

  leave(): void {
    // Before leaving the epoch: after that a zone's counters may become another zone's.
    this.#counter.settle()
    this.#epoch.leave()
  }

  sent(): void {
    this.#timer.end(this.host?.nowMillis)
  }

  take(i: number, request: Uint8Array, octetCount: number, transport: Transport): void {
    this.#batch.take(i, request, octetCount, transport)
  }

  prefetch(count: number): void {
    this.#batch.prefetch(count)
  }

  respond(i: number, response: Uint8Array): number {
    const request = this.#batch.get(i)
    const { transport } = request
    this.#isHandedOn = false
    const octets = request.isAnswerable ? this.#write(i, request, response) : 0
    if (octets === 0) {
      if (this.#isHandedOn) this.#counter.countHandedOn(request)
      else this.#counter.countUnanswered(transport)
      return 0
    }
    const { rcode, paddingOctets } = this.#response
    this.#counter.countResponse(request, octets - paddingOctets, rcode)
    this.#timer.answered(transport)
    // The address of such a request is not forged.
    const isLimited = transport === 'udp' && !this.#isVerified
    const sentOctets =
      isLimited && this.#limit !== undefined
        ? this.#limited(this.#limit, i, request, octets)
        : octets
    if (sentOctets > 0 && this.#tap?.isDue()) this.#note(this.#tap, i, response, sentOctets)
    return sentOctets
  }

  #note(tap: QueryTap, i: number, response: Uint8Array, sentOctets: number): void {
    const { host } = this
    const addressOctets = host?.readClient(i, tap.client) ?? 0
    tap.note(this.#batch.get(i), {
      response,
      sentOctets,
      rcode: this.#response.rcode,
      addressOctets,
      atMillis: host?.unixMillis?.() ?? 0,
    })
  }

  #write(i: number, request: Request, octets: Uint8Array): number {
    const response = this.#response
    this.#isVerified = request.cookieAt > 0 && this.#hasOwnCookie(i, request)
    response.begin(request, octets)
    response.isPadded = this.#isPadded(request)
    this.#key = undefined
    try {
      if (!this.#put(i, request)) return 0
    } catch (defect) {
      this.#reportDefect?.(defect)
      response.begin(request, octets)
      response.isPadded = this.#isPadded(request)
      response.rcode = rcodes.servFail
    }
    return response.finish()
  }

  #isPadded({ wantsPadding }: Request): boolean {
    return wantsPadding && (this.host?.isEncrypted ?? false)
  }

  /** Puts the contents of the response, and returns whether to send it. */
  #put(i: number, request: Request): boolean {
    const response = this.#response
    if (request.rcode !== rcodes.noError) return this.#refuse(request)
    // RFC 8945 section 5.2: before the request is interpreted.
    if (request.tsig !== undefined) {
      if (this.#accept(request) === undefined) return true
      request.passTsig()
      response.rcode = request.rcode
      if (request.rcode !== rcodes.noError) return this.#refuse(request)
      this.#batch.get(i)
    }
    if (!request.hasQuestion) return this.#putNothing(request)
    if (request.isNotify) return this.#putNotify(i, request)
    if (request.isTransfer) return this.#putTransfer(i, request)
    if (request.isUpdate) return this.#putUpdate(i, request)
    const isForSoa = request.wantsExpire && this.#isForSoa(request)
    this.#answer.put(request, this.#key !== undefined, this.host)
    if (isForSoa && response.rcode === rcodes.noError) this.#putExpire(request.zone)
    return true
  }

  /** RFC 7314 section 3.2: EXPIRE is for the types that secondaries ask for. */
  #isForSoa({ qtype, qclass, zone, key }: Request): boolean {
    return qtype === types.SOA && qclass === classes.in && this.#lookup.isApex(zone, key)
  }

  #putExpire(zone: number): void {
    this.#response.putExpire(this.#lookup.expireSeconds(zone, this.host?.unixSeconds() ?? 0))
  }

  /** Hands on a request for a zone, or puts the error. A request over UDP that cannot be handed on gets the SOA, so that
   *  its client asks over TCP (RFC 1995 section 2). */
  #putTransfer(i: number, request: Request): boolean {
    const response = this.#response
    response.rcode = judgeTransfer(request, this.#lookup)
    if (response.rcode !== rcodes.noError) return true
    const hmac = this.host?.hmac
    const signer = this.#key && hmac && new TsigSigner(this.#key, hmac, request.tsig?.mac)
    const transfer = transferRequestOf(request, signer)
    this.#isHandedOn = this.host?.onTransfer?.(transfer, i) ?? false
    if (this.#isHandedOn) return false
    if (request.transport === 'udp') {
      response.isAuthoritative = true
      const soa = this.#lookup.findSoa(request.zone)
      response.putRequired(sections.answer, response.ownerInQuestion(0), soa)
      if (request.wantsExpire) this.#putExpire(request.zone)
      return true
    }
    response.rcode = rcodes.refused
    response.extendedError = extendedErrors.prohibited
    return true
  }

  /** Puts the reason, or the requested text about the server itself. */
  #refuse(request: Request): true {
    const response = this.#response
    if (request.rcode !== rcodes.refused) return true
    const text = this.#chaosNames.textFor(request)
    if (text === undefined) {
      response.extendedError = extendedErrors.prohibited
      return true
    }
    response.rcode = rcodes.noError
    response.isAuthoritative = true
    response.putChaosText(text)
    return true
  }

  /** A client that asks for a cookie alone gets it (RFC 7873 section 5.4). */
  #putNothing({ cookieAt, cookieLength }: Request): true {
    const hasServerCookie = cookieLength > clientCookieOctets
    if (cookieAt === 0) this.#response.rcode = rcodes.formErr
    else if (hasServerCookie && !this.#isVerified) this.#response.rcode = rcodes.badCookie
    return true
  }

  /** Makes the cookie that is sent back. Where that is impossible the request counts as having none. */
  #hasOwnCookie(i: number, request: Request): boolean {
    const { host } = this
    const addressOctets = this.#cookies.isReady ? (host?.readClient(i, this.#client) ?? 0) : 0
    if (host !== undefined && addressOctets > 0) {
      return this.#cookies.judge(request, this.#client, addressOctets, host.unixSeconds())
    }
    request.cookieAt = 0
    return false
  }

  /** Returns the key of a signed request that is accepted. */
  #accept(request: Request): TsigSecret | undefined {
    const { host } = this
    const keys = this.#keyRing
    if (keys === undefined || host?.hmac === undefined) {
      refuseUnsigned(request, this.#response, tsigErrors.badKey)
      return undefined
    }
    const key = acceptTsig(request, this.#response, {
      findKey: (name, algorithm) => keys.find(name, algorithm),
      hmac: host.hmac,
      nowSeconds: host.unixSeconds(),
    })
    this.#isVerified ||= key !== undefined
    this.#key = key
    return key
  }

  /** The response is the request with a response header and without its records (RFC 1996 section 4.7). */
  #putNotify(i: number, request: Request): boolean {
    const response = this.#response
    response.rcode = judgeNotify(request, this.#lookup, this.#awaited)
    if (response.rcode !== rcodes.noError) return true
    response.isAuthoritative = true
    return this.host?.onNotified(request.key.nameFrom(0), i, this.#key?.id) ?? true
  }

  /** An UPDATE of a zone of ours is handed on. */
  #putUpdate(i: number, request: Request): boolean {
    const response = this.#response
    response.rcode = judgeUpdate(request, this.#lookup)
    if (response.rcode !== rcodes.noError) return true
    const octets = request.octets.subarray(0, request.end)
    const { key, hasEdns } = request
    const isPadded = this.#isPadded(request)
    const update = { octets, apex: key.nameFrom(0), keyId: this.#key?.id, hasEdns, isPadded }
    this.#isHandedOn = this.host?.onUpdate?.(i, update) ?? false
    if (this.#isHandedOn) return false
    response.rcode = rcodes.refused
    return true
  }

  /** Returns how many octets of the response are to be sent: all, fewer, or 0. */
  #limited(limit: ResponseRateLimit, i: number, request: Request, octets: number): number {
    const addressOctets = this.host?.readClient(i, this.#client) ?? 0
    if (addressOctets === 0) return octets
    const content = this.#contentOf(request)
    switch (limit.judge(this.#client, addressOctets, content, this.#nowSeconds)) {
      case verdicts.send:
        return octets
      case verdicts.truncate: {
        if (request.cookieAt > 0) this.#response.demandCookie()
        else this.#response.cutShort()
        const left = this.#response.finish()
        this.#counter.truncateLast(left, this.#response.rcode)
        return left
      }
      default:
        this.#counter.dropLast()
        return 0
    }
  }

  /** The content of the response as a number: all refusals of one kind are the same. */
  #contentOf(request: Request): number {
    const { rcode } = this.#response
    const isAnswer = rcode === rcodes.noError || rcode === rcodes.nxDomain
    const isQuery = !request.isNotify && !request.isUpdate
    return isAnswer && request.hasZone && isQuery ? this.#answer.identity : rcode
  }
}

const maxAddressOctets = 16
