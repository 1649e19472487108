import { parseIpv4 } from '../dns/rdata/fields/ipv4.ts'
import { parseIpv6 } from '../dns/rdata/fields/ipv6.ts'
import type { Transport } from '../nameserver/request.ts'
import type { Responder } from '../nameserver/responder.ts'
import type { HandedUpdate, ResponderHost } from '../nameserver/responder-host.ts'
import type { TransferRequest } from '../nameserver/transfer.ts'
import { HandedThrottle } from './handed-throttle.ts'
import { hmac } from './hmac.ts'
import { type NotifyEvent, NotifyThrottle, onEventLoop } from './notify-throttle.ts'

/** Answers one request, without its TCP length, of the client at `address`, an IP literal; undefined where the request
 *  gets no answer. Synchronous and never throws. It may write into `buffer`, which has 65,535 octets, and return a view
 *  of it; the caller copies or sends the octets before it passes the same buffer again. Over TCP it may return a request
 *  for a zone, which is answered in many messages (`transfers.ts`). */
export type Answer = {
  (
    request: Uint8Array,
    transport: Transport,
    buffer: Uint8Array,
    address: string,
    later?: Later,
    isEncrypted?: boolean,
  ): Uint8Array | TransferRequest | undefined
  /** For requests that arrived together, which are answered faster as a batch. */
  readonly together?: Together | undefined
}

/** Between `begin` and `end` the caller answers only these requests, in order, possibly not the last of them, and does
 *  not wait for anything. */
export type Together = {
  /** @param requests of which the first `count`, at most `maxBatchRequests`, are used */
  begin(requests: readonly Uint8Array[], count: number, transport: Transport): void
  end(): void
}

/** To be called once with the response to a request that was deferred, or with undefined where there is none. Does nothing once
 *  the client is gone. */
export type Respond = (response: Uint8Array | undefined) => void

/** Defers the answer to the current request. */
export type Later = () => Respond

/** Called with a request, in its own memory, that is answered elsewhere. */
export type OnHanded = (request: HandedRequest, respond: Respond) => void

/** An UPDATE of a zone of ours (RFC 2136), or an IXFR over UDP (RFC 1995). */
export type HandedRequest = HandedUpdate & {
  /** Of IXFR: the client's serial. */
  readonly serial?: number
  readonly address: string
  readonly transport: Transport
}

/** Called with errors of this program or its machine, never for a bad query. Not called for errors that any client can
 *  cause at will, so it may log. */
export type Report = (error: unknown) => void

/** Where to listen: an IP literal and a port; with port 0 the system picks one. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** Called when a master may have a newer zone, at a bounded rate per second (`NotifyThrottle`). */
export type OnNotify = (event: NotifyEvent) => void

/** Answers from a reader of the zone table, on an event loop; each request is a batch, except those that arrived together. */
export function answerFrom(
  responder: Responder,
  onNotify: OnNotify = () => undefined,
  onHanded?: OnHanded,
): Answer {
  const throttle = new NotifyThrottle({ tell: onNotify, later: onEventLoop })
  const updates = new HandedThrottle()
  const transfers = new HandedThrottle()
  let client = ''
  let transfer: TransferRequest | undefined
  let way: Transport = 'udp'
  let takeOver: Later | undefined
  const handOn = (request: Omit<HandedRequest, 'address' | 'transport'>) => {
    const respond = onHanded && takeOver?.()
    if (respond === undefined) return false
    const octets = new Uint8Array(request.octets)
    onHanded?.({ ...request, octets, address: client, transport: way }, respond)
    return true
  }
  const host: ResponderHost = {
    onUpdate(_, update) {
      // The client repeats a request above the bound. Over TCP it proves its address, so it is not like any other.
      const isAbove = !updates.take(update.apex, update.keyId !== undefined || way === 'tcp')
      return isAbove || handOn(update)
    },
    onNotified: (apex, _, keyId) => throttle.take(apex, client, keyId),
    onTransfer(request) {
      if (way === 'udp') {
        const isTaken = transfers.take(request.apex, request.signer !== undefined)
        return isTaken && handOn(handedTransfer(request))
      }
      transfer = request
      return true
    },
    readClient: (_, into) => readAddress(client, into),
    nowSeconds: monotonicSeconds,
    nowMillis: monotonicMillis,
    unixMillis: Date.now,
    unixSeconds,
    hmac,
  }
  responder.host = host
  const batch = new ResponderBatch(responder)
  const answer: Answer = (request, transport, buffer, address, later, isEncrypted = false) => {
    client = address
    host.isEncrypted = isEncrypted
    transfer = undefined
    way = transport
    takeOver = later
    const octets = batch.respond(request, transport, buffer)
    return octets === 0 ? transfer : new Uint8Array(buffer.buffer, buffer.byteOffset, octets)
  }
  return Object.assign(answer, { together: batch })
}

/** Requests answered between one `enter` and `leave` of a responder. */
class ResponderBatch implements Together {
  readonly #responder: Responder
  #count = 0
  #next = 0

  constructor(responder: Responder) {
    this.#responder = responder
  }

  begin(requests: readonly Uint8Array[], count: number, transport: Transport): void {
    const responder = this.#responder
    responder.enter()
    for (let i = 0; i < count; i += 1) {
      const request = requests[i] as Uint8Array
      responder.take(i, request, request.length, transport)
    }
    if (count > 1) responder.prefetch(count)
    this.#count = count
    this.#next = 0
  }

  end(): void {
    this.#count = 0
    this.#responder.leave()
    this.#responder.sent()
  }

  /** Answers the next request of the batch, or, without a batch, `request` alone. */
  respond(request: Uint8Array, transport: Transport, buffer: Uint8Array): number {
    if (this.#count > 0) {
      const i = this.#next
      this.#next += 1
      return this.#responder.respond(i, buffer)
    }
    this.begin([request], 1, transport)
    try {
      return this.#responder.respond(0, buffer)
    } finally {
      this.end()
    }
  }
}

/** A request for a zone in a form that can be sent to another thread. */
export function handedTransfer({ octets, apex, serial = 0, signer, hasEdns }: TransferRequest) {
  return { octets, apex, serial, keyId: signer?.key.id, hasEdns }
}

/** Seconds since the machine started: the same in all threads. */
export function monotonicSeconds(): number {
  return process.hrtime()[0]
}

/** Milliseconds since the start of the thread, for shorter durations. */
export const monotonicMillis = () => performance.now()

/** Seconds since 1970. */
export function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

function readAddress(address: string, into: Uint8Array): number {
  const [literal = ''] = address.split('%')
  const octets = parseIpv4(literal) ?? parseIpv6(literal)
  if (octets === undefined) return 0
  into.set(octets)
  return octets.length
}
