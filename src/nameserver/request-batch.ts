import { entry, listTag, target } from '../zone/table/layout.ts'
import type { TableMemory } from '../zone/table/memory.ts'
import type { TableLookup } from '../zone/table/table-lookup.ts'
import { Request, type Transport } from './request.ts'

/** The most requests that can be read before the first of them is answered. */
export const maxBatchRequests = 64

/** Words of a cache line. */
const lineWords = 16
/** For up to so many zones the words looked at, several lines each, stay in the cache without help. */
const zonesInCache = 256

/** The requests of a batch, each in a place of its own. A large table does not fit in a cache, and names looked up one
 *  after the other each wait for memory several times: for the slot of their zone in the index and its entry, for their
 *  own slot and their node. Reads for many names at once are fetched by the processor at once, and are in its cache
 *  when their requests are answered.
 *
 *  Reading ahead changes nothing, and no answer relies on what it finds in the index: names that collide or are missing
 *  there are detected when they are answered. */
export class RequestBatch {
  /** Written so that no compiler removes the reads as unused. */
  lastRead = 0
  readonly #requests: readonly Request[]
  readonly #words: Int32Array
  readonly #lookup: TableLookup
  readonly #target: number
  /** For each request: where in the table something is that it needs. 0 for nothing, which is the table's header. */
  readonly #places = new Int32Array(maxBatchRequests)

  constructor(parts: {
    readonly memory: TableMemory
    readonly lookup: TableLookup
    readonly target: number
  }) {
    this.#requests = Array.from({ length: maxBatchRequests }, () => new Request(parts.memory))
    this.#words = parts.memory.words
    this.#lookup = parts.lookup
    this.#target = parts.target
  }

  /** See `Responder.take`. */
  take(i: number, octets: Uint8Array, octetCount: number, transport: Transport): void {
    this.#at(i).read(octets, octetCount, transport)
  }

  /** Returns a request that was taken, with its zone if it has one. */
  get(i: number): Request {
    const request = this.#at(i)
    this.#findZone(request)
    return request
  }

  /** See `Responder.prefetch`. */
  prefetch(count: number): void {
    if ((this.#words[this.#target + target.zoneCount] as number) > zonesInCache) {
      this.#prefetchZones(count)
    }
    const places = this.#places
    for (let i = 0; i < count; i += 1) {
      const request = this.#at(i)
      const zone = this.#findZone(request)
      places[i] = zone === 0 ? 0 : this.#lookup.placeOf(zone, request.key)
    }
    this.#follow(count)
    this.#read(count)
    this.#readData(count)
  }

  #prefetchZones(count: number): void {
    const places = this.#places
    for (let i = 0; i < count; i += 1) {
      const { isOfZone, key } = this.#at(i)
      places[i] = isOfZone ? this.#lookup.placeOfApex(this.#target, key) : 0
    }
    this.#follow(count)
    this.#read(count)
    for (let i = 0; i < count; i += 1) places[i] = this.#findZone(this.#at(i))
    this.#read(count)
  }

  #at(i: number): Request {
    return this.#requests[i] as Request
  }

  /** Returns the zone of a request's name; 0 for none. */
  #findZone(request: Request): number {
    if (!request.isOfZone) return 0
    if (!request.hasZone) {
      request.zone = this.#lookup.findZone(this.#target, request.key)
      request.hasZone = true
    }
    return request.zone
  }

  /** Replaces these places of the index with the entries in them. */
  #follow(count: number): void {
    const words = this.#words
    const places = this.#places
    for (let i = 0; i < count; i += 1) places[i] = words[places[i] as number] as number
  }

  /** Names with several RRsets, or with signatures, have them in a list. */
  #readData(count: number): void {
    const words = this.#words
    const places = this.#places
    let read = 0
    for (let i = 0; i < count; i += 1) {
      const data = words[(places[i] as number) + entry.data] as number
      read ^= words[data & ~listTag] as number
    }
    this.lastRead = read
  }

  /** A name with one RRset takes two lines of the cache. */
  #read(count: number): void {
    const words = this.#words
    const places = this.#places
    let read = 0
    for (let i = 0; i < count; i += 1) {
      const at = places[i] as number
      read ^= (words[at + entry.shape] as number) ^ (words[at + lineWords] as number)
    }
    this.lastRead = read
  }
}
