import { parseIpv4 } from '../dns/rdata/fields/ipv4.ts'
import { parseIpv6 } from '../dns/rdata/fields/ipv6.ts'
import type { Transport } from '../nameserver/request.ts'
import type { Responder } from '../nameserver/responder.ts'
import type { TransferRequest } from '../nameserver/transfer.ts'
import { hmac } from './hmac.ts'
import { type NotifyEvent, NotifyThrottle, onEventLoop } from './notify-throttle.ts'

/** Answers one request of the client at `address`, an IP literal, without its TCP length, or returns undefined where
 *  silence is the answer. Synchronous and never throws. It may write into `buffer`, which has 65,535 octets, and
 *  return a view of it; the caller has copied or sent the octets before it hands out the same buffer again. Over TCP it may return a request for
 *  a zone, which is answered in many messages (`transfers.ts`). */
export type Answer = (
  request: Uint8Array,
  transport: Transport,
  buffer: Uint8Array,
  address: string,
) => Uint8Array | TransferRequest | undefined

/** Told of what went wrong behind a listener's back: a broken program or machine, never a bad query. Not
 *  called for what any stranger can cause at will, so it may log. */
export type Report = (error: unknown) => void

/** Where to listen: an IP literal, and a port, 0 for one the system picks. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** Called when a master may have a newer zone: at most so often in a second (`NotifyThrottle`). */
export type OnNotify = (event: NotifyEvent) => void

/** Answers from a reader of the zone table, on an event loop, each request a batch of its own. */
export function answerFrom(responder: Responder, onNotify: OnNotify = () => undefined): Answer {
  const throttle = new NotifyThrottle({ tell: onNotify, later: onEventLoop })
  let client = ''
  let transfer: TransferRequest | undefined
  responder.host = {
    onNotified: apex => throttle.take(apex, client),
    onTransfer: request => {
      transfer = request
      return true
    },
    readClient: (_, into) => readAddress(client, into),
    nowSeconds: monotonicSeconds,
    unixSeconds,
    hmac,
  }
  return (request, transport, buffer, address) => {
    client = address
    transfer = undefined
    responder.enter()
    try {
      responder.take(0, request, request.length, transport)
      const octets = responder.respond(0, buffer)
      return octets === 0 ? transfer : buffer.subarray(0, octets)
    } finally {
      responder.leave()
    }
  }
}

/** Seconds since the machine started: the same in all threads. */
export function monotonicSeconds(): number {
  return process.hrtime()[0]
}

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
