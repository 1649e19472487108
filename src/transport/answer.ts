import type { Transport } from '../nameserver/process-query.ts'
import type { Responder } from '../nameserver/responder.ts'

/** Answers one request, without its TCP length, or returns undefined where silence is the answer.
 *  Synchronous and never throws. It may write into `buffer`, which has 65,535 octets, and return a view of it;
 *  the caller has copied or sent the octets before it hands out the same buffer again. */
export type Answer = (
  request: Uint8Array,
  transport: Transport,
  buffer: Uint8Array,
) => Uint8Array | undefined

/** Told of what went wrong behind a listener's back: a broken program or machine, never a bad query. Not
 *  called for what any stranger can cause at will, so it may log. */
export type Report = (error: unknown) => void

/** Where to listen: an IP literal, and a port, 0 for one the system picks. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** Answers from a seat of the zone table, each request a batch of its own. */
export function answerFrom(responder: Responder): Answer {
  return (request, transport, buffer) => {
    responder.enter()
    try {
      responder.take(0, request, request.length, transport)
      const octets = responder.respond(0, buffer)
      return octets === 0 ? undefined : buffer.subarray(0, octets)
    } finally {
      responder.leave()
    }
  }
}
