import { maxBatchRequests } from '../../../src/nameserver/request-batch.ts'
import type { Responder } from '../../../src/nameserver/responder.ts'

const room = new Uint8Array(1232)

/** Answers all requests as an answering thread does: as many at a time as it takes from the kernel at once. */
export function answerInBatches(responder: Responder, requests: readonly Uint8Array[]): void {
  for (let start = 0; start < requests.length; start += maxBatchRequests) {
    const count = Math.min(maxBatchRequests, requests.length - start)
    responder.enter()
    for (let i = 0; i < count; i += 1) {
      const request = requests[start + i] as Uint8Array
      responder.take(i, request, request.length, 'udp')
    }
    responder.prefetch(count)
    for (let i = 0; i < count; i += 1) responder.respond(i, room)
    responder.leave()
  }
}
