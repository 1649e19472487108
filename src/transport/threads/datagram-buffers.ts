import { maxUdpPayloadOctets } from '../../nameserver/request.ts'
import { maxBatchRequests } from '../../nameserver/request-batch.ts'

/** Datagrams that one system call takes in or hands out. */
export const batchSize = maxBatchRequests

/** The longest datagram there is, and a cache line more: were all buffers a power of two apart, their
 *  first octets would all compete for the same few places of the cache. Memory that is never written
 *  to costs nothing, and queries are short. */
const requestOctets = 0x1_0000 + 64
/** What a response over UDP may have, rounded up to whole cache lines. */
const responseOctets = 1280

/** Room for the requests of one batch and their responses, used by one thread for all of its sockets. */
export type DatagramBuffers = {
  readonly requests: readonly Uint8Array[]
  readonly responses: readonly Uint8Array[]
}

export function newDatagramBuffers(): DatagramBuffers {
  const memory = new SharedArrayBuffer(batchSize * (requestOctets + responseOctets))
  const indexes = Array.from({ length: batchSize }, (_, i) => i)
  const responsesAt = batchSize * requestOctets
  return {
    requests: indexes.map(i => new Uint8Array(memory, i * requestOctets, requestOctets)),
    responses: indexes.map(
      i => new Uint8Array(memory, responsesAt + i * responseOctets, maxUdpPayloadOctets),
    ),
  }
}
