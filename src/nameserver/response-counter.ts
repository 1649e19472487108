import { rcodes } from '../dns/codes.ts'
import {
  Counters,
  readerCounts,
  tcpCounts,
  tcpReaderCounts,
  zoneCounts,
} from '../zone/table/counters.ts'
import { zone as zoneBlock } from '../zone/table/layout.ts'
import type { TableMemory } from '../zone/table/memory.ts'
import { queryTypeIndex, zoneTypeIndex } from '../zone/table/query-types.ts'
import type { Request, Transport } from './request.ts'

/** The most responses that are noted and not counted yet. */
const maxPending = 256
const pendingNumbers = 5
const noZoneNumber = -1
/** The type for a message that is not a query, or has no question. */
const noType = -1

/** Counts the answers of one thread, and their zones, for metering. An answer to a question about the names of a zone
 *  counts for that zone, SERVFAIL of an expired one included. No zone is counted for a request that is refused by its
 *  form or kind, is for none of our zones, or is not a query: transfers, NOTIFY, UPDATE.
 *
 *  The counters of many zones do not fit in a cache. Updated one by one, between other work, each would be a wait for
 *  memory; at the end of a batch the processor fetches many at a time. */
export class ResponseCounter {
  readonly #counters: Counters
  readonly #words: Int32Array
  /** For each response: octets, rcode, transport, zone number, type. */
  readonly #pending = new Int32Array(maxPending * pendingNumbers)
  #pendingEnd = 0

  constructor(counters: SharedArrayBuffer, { words }: TableMemory) {
    this.#counters = new Counters(counters)
    this.#words = words
  }

  /** Notes a response of so many octets to a request. It is counted by `settle`. */
  countResponse(request: Request, octets: number, rcode: number): void {
    const { transport } = request
    // NOTIFY and UPDATE also name a zone in their question, but are not queries.
    const isQuery = !request.isNotify && !request.isUpdate
    const zone = isQuery ? request.zone : 0
    const pending = this.#pending
    if (this.#pendingEnd === pending.length) this.settle()
    const at = this.#pendingEnd
    pending[at] = octets
    pending[at + 1] = rcode
    pending[at + 2] = transport === 'tcp' ? 1 : 0
    pending[at + 3] = zone === 0 ? noZoneNumber : (this.#words[zone + zoneBlock.number] as number)
    pending[at + 4] = isQuery && request.hasQuestion ? request.qtype : noType
    if (!isQuery) this.#countMessage(request)
    this.#pendingEnd = at + pendingNumbers
  }

  /** Counts the last noted response, which must not be settled yet, as not sent. */
  dropLast(): void {
    const at = this.#pendingEnd - pendingNumbers
    this.#pendingEnd = at
    const ofReader = this.#pending[at + 2] === 1 ? tcpReaderCounts : 0
    this.#counters.count(ofReader + readerCounts.unanswered, 1)
    this.#counters.count(ofReader + readerCounts.dropped, 1)
  }

  /** Counts the last noted response, which must not be settled yet, with fewer octets, and perhaps another rcode. */
  truncateLast(octets: number, rcode: number): void {
    const at = this.#pendingEnd - pendingNumbers
    this.#pending[at] = octets
    this.#pending[at + 1] = rcode
    const ofReader = this.#pending[at + 2] === 1 ? tcpReaderCounts : 0
    this.#counters.count(ofReader + readerCounts.truncated, 1)
  }

  /** Counts the noted responses. */
  settle(): void {
    const counters = this.#counters
    const pending = this.#pending
    for (let at = 0; at < this.#pendingEnd; at += pendingNumbers) {
      const octets = pending[at] as number
      const rcode = pending[at + 1] as number
      const isTcp = pending[at + 2] === 1
      const zoneNumber = pending[at + 3] as number
      const ofReader = isTcp ? tcpReaderCounts : 0
      counters.count(ofReader + readerCounts.octets, octets)
      counters.count(ofReader + readerCounts.rcodes + rcode, 1)
      const type = pending[at + 4] as number
      if (type !== noType) counters.count(ofReader + readerCounts.types + queryTypeIndex(type), 1)
      const index = zoneCountOf(rcode)
      if (zoneNumber === noZoneNumber || index === -1) continue
      counters.countZone(zoneNumber, index + (isTcp ? tcpCounts : 0), octets)
      counters.countZoneType(zoneNumber, zoneTypeIndex(type))
    }
    this.#pendingEnd = 0
  }

  /** Counts a request that is answered elsewhere. */
  countHandedOn(request: Request): void {
    if (request.isNotify || request.isUpdate) this.#countMessage(request)
    else {
      const ofReader = request.transport === 'tcp' ? tcpReaderCounts : 0
      this.#counters.count(ofReader + readerCounts.types + queryTypeIndex(request.qtype), 1)
    }
  }

  /** Counts answers that took so long. */
  countLatency(transport: Transport, micros: number, count: number): void {
    this.#counters.countLatency(transport === 'tcp' ? tcpReaderCounts : 0, micros, count)
  }

  #countMessage({ transport, isNotify }: Request): void {
    const ofReader = transport === 'tcp' ? tcpReaderCounts : 0
    this.#counters.count(ofReader + (isNotify ? readerCounts.notifies : readerCounts.updates), 1)
  }

  /** Counts a request that gets no response. */
  countUnanswered(transport: Transport): void {
    const ofReader = transport === 'tcp' ? tcpReaderCounts : 0
    this.#counters.count(ofReader + readerCounts.unanswered, 1)
  }
}

/** The index of a zone's count for an rcode; -1 where that rcode is not counted. */
function zoneCountOf(rcode: number): number {
  switch (rcode) {
    case rcodes.noError:
      return zoneCounts.noError
    case rcodes.nxDomain:
      return zoneCounts.nxDomain
    case rcodes.servFail:
      return zoneCounts.servFail
    case rcodes.yxDomain:
      return zoneCounts.yxDomain
    default:
      return -1
  }
}
