import { entry } from '../../zone/table/layout.ts'
import type { TableMemory } from '../../zone/table/memory.ts'
import type { TableLookup } from '../../zone/table/table-lookup.ts'
import type { Transport } from '../process-query.ts'
import { PlainRequest } from './plain-request.ts'

/** Requests that can be read before the first of them is answered. */
export const maxBatchRequests = 64

/** Words of a cache line. */
const lineWords = 16

/** The requests of a batch, each in a place of its own. A table of any size is in no cache, and one name looked up
 *  behind the other waits twice for memory each: for its slot in the index, and for its node. What is asked for of
 *  many names at once the processor fetches at once, and finds in its cache when it is their turn. */
export class RequestBatch {
  readonly requests: readonly PlainRequest[]
  /** Written so that no compiler thinks the reading was for nothing. */
  lastFetched = 0
  readonly #words: Int32Array
  readonly #lookup: TableLookup
  readonly #target: number
  /** Of each request: where in the index its name should be, then what is there. */
  readonly #places = new Int32Array(maxBatchRequests)

  constructor(parts: {
    readonly memory: TableMemory
    readonly lookup: TableLookup
    readonly target: number
  }) {
    this.requests = Array.from({ length: maxBatchRequests }, () => new PlainRequest(parts.memory))
    this.#words = parts.memory.words
    this.#lookup = parts.lookup
    this.#target = parts.target
  }

  /** What `Responder.take` says. */
  take(i: number, octets: Uint8Array, octetCount: number, transport: Transport): void {
    const request = this.requests[i] as PlainRequest
    request.read(octets, octetCount, transport)
    if (request.isPlain) request.zone = this.#lookup.findZone(this.#target, request.key)
  }

  /** Has the processor fetch what answering the first `count` requests will look at. Changes nothing, and what it
   *  finds is not relied on: names that meet in the index, or are not there, are found out when they are answered. */
  prefetch(count: number): void {
    for (let i = 0; i < count; i += 1) this.#places[i] = this.#placeOf(this.requests[i])
    this.#fetchSlots(count)
    this.#fetchNodes(count)
  }

  #placeOf(request: PlainRequest | undefined): number {
    if (request?.isPlain !== true || request.zone === 0) return 0
    return this.#lookup.placeOf(request.zone, request.key)
  }

  #fetchSlots(count: number): void {
    const words = this.#words
    const places = this.#places
    for (let i = 0; i < count; i += 1) places[i] = words[places[i] as number] as number
  }

  /** A node with its name and one RRset takes two lines of the cache. */
  #fetchNodes(count: number): void {
    const words = this.#words
    const places = this.#places
    let fetched = 0
    for (let i = 0; i < count; i += 1) {
      const node = places[i] as number
      fetched ^= (words[node + entry.shape] as number) ^ (words[node + lineWords] as number)
    }
    this.lastFetched = fetched
  }
}
