import { maxUdpPayloadOctets } from '../../nameserver/request.ts'
import { maxBatchRequests } from '../../nameserver/request-batch.ts'

/** Maximum datagrams that one system call receives or sends. */
export const batchSize = maxBatchRequests

/** The longest possible datagram, plus a cache line: if all buffers were a power of two apart, their first
 *  octets would compete for the same few places in the cache. Memory that is never written costs nothing,
 *  and queries are short. */
const requestOctets = 0x1_0000 + 64
/** The maximum response over UDP, rounded up to whole cache lines. */
const responseOctets = 1280

/** Room for the requests of one batch and their responses, which one thread uses for all its sockets. */
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
