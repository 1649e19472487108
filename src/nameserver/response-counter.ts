import { opcodes, rcodes, types } from '../dns/codes.ts'
import { headerOctets, opcodeOf, rcodeOf } from '../dns/header.ts'
import {
  Counters,
  seatCounts,
  tcpCounts,
  tcpSeatCounts,
  zoneCounts,
} from '../zone/table/counters.ts'
import { zone as zoneBlock } from '../zone/table/layout.ts'
import type { TableReader } from '../zone/table/zone-view.ts'
import type { Transport } from './process-query.ts'

/** Responses that are noted and not counted yet. */
const maxPending = 256
const pendingNumbers = 4
const noSlot = -1

/** Counts what one thread answers, and for which zone: what is metered. A zone is counted for what it had to say
 *  to a question about its names, SERVFAIL of an expired one included. Nobody is for what is refused by its
 *  form or kind, or asked of no zone of ours, nor for what is no query: transfers, NOTIFY, UPDATE.
 *
 *  The counters of many zones are in no cache. Touched one by one, between other work, each would be waited for; at
 *  the end of a batch the processor fetches many at a time. */
export class ResponseCounter {
  readonly #counters: Counters
  readonly #reader: TableReader
  readonly #target: number
  /** Of each: octets, rcode, transport, slot. */
  readonly #pending = new Int32Array(maxPending * pendingNumbers)
  #pendingEnd = 0

  constructor(
    counters: SharedArrayBuffer,
    { reader, target }: { readonly reader: TableReader; readonly target: number },
  ) {
    this.#counters = new Counters(counters)
    this.#reader = reader
    this.#target = target
  }

  /** Notes a response of so many octets for a zone, 0 for none. It is counted by `settle`. */
  countResponse(transport: Transport, octets: number, rcode: number, zone: number): void {
    const pending = this.#pending
    if (this.#pendingEnd === pending.length) this.settle()
    const at = this.#pendingEnd
    pending[at] = octets
    pending[at + 1] = rcode
    pending[at + 2] = transport === 'tcp' ? 1 : 0
    pending[at + 3] =
      zone === 0 ? noSlot : (this.#reader.memory.words[zone + zoneBlock.slot] as number)
    this.#pendingEnd = at + pendingNumbers
  }

  /** Counts the response that was noted last as one that was not sent. It must not be settled yet. */
  dropLast(): void {
    const at = this.#pendingEnd - pendingNumbers
    this.#pendingEnd = at
    const ofSeat = this.#pending[at + 2] === 1 ? tcpSeatCounts : 0
    this.#counters.count(ofSeat + seatCounts.unanswered, 1)
    this.#counters.count(ofSeat + seatCounts.dropped, 1)
  }

  /** Counts the response that was noted last with fewer octets. It must not be settled yet. */
  truncateLast(octets: number): void {
    const at = this.#pendingEnd - pendingNumbers
    this.#pending[at] = octets
    const ofSeat = this.#pending[at + 2] === 1 ? tcpSeatCounts : 0
    this.#counters.count(ofSeat + seatCounts.truncated, 1)
  }

  /** Counts what was noted. */
  settle(): void {
    const counters = this.#counters
    const pending = this.#pending
    for (let at = 0; at < this.#pendingEnd; at += pendingNumbers) {
      const octets = pending[at] as number
      const rcode = pending[at + 1] as number
      const isTcp = pending[at + 2] === 1
      const slot = pending[at + 3] as number
      const ofSeat = isTcp ? tcpSeatCounts : 0
      counters.count(ofSeat + seatCounts.octets, octets)
      counters.count(ofSeat + seatCounts.rcodes + rcode, 1)
      const index = zoneCountOf(rcode)
      if (slot === noSlot || index === -1) continue
      counters.countZone(slot, index + (isTcp ? tcpCounts : 0), octets)
    }
    this.#pendingEnd = 0
  }

  /** Counts what came of a request that took the general way. */
  countGeneral(transport: Transport, response: Uint8Array | undefined): void {
    const ofSeat = transport === 'tcp' ? tcpSeatCounts : 0
    this.#counters.count(ofSeat + seatCounts.general, 1)
    if (response === undefined) this.#counters.count(ofSeat + seatCounts.unanswered, 1)
    else {
      const rcode = rcodeIn(response)
      this.countResponse(transport, response.length, rcode, this.#zoneOf(response, rcode))
    }
  }

  #zoneOf(response: Uint8Array, rcode: number): number {
    const { key, lookup } = this.#reader
    const hasQuestion = u16(response, 4) === 1
    if (zoneCountOf(rcode) === -1 || !hasQuestion) return 0
    // NOTIFY and UPDATE name a zone in their question, too, and are no queries; neither are transfers.
    if (opcodeOf(u16(response, 2)) !== opcodes.query) return 0
    if (!key.readOctets(response, headerOctets, response.length)) return 0
    const type = u16(response, headerOctets + key.lengthOctets)
    if (type === types.AXFR || type === types.IXFR) return 0
    return lookup.findZone(this.#target, key)
  }
}

/** Where a zone's responses of an rcode are counted; -1 where they are not. */
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

/** BADVERS, which comes with nothing but an OPT, has its upper bits there. */
function rcodeIn(response: Uint8Array): number {
  const rcode = rcodeOf(u16(response, 2))
  // What ends in a TSIG is no BADVERS, whatever its octets look like.
  if (rcode !== rcodes.noError) return rcode
  const optAt = response.length - 11
  const isBare = u16(response, 6) === 0 && u16(response, 8) === 0 && u16(response, 10) === 1
  if (!isBare || u16(response, optAt + 1) !== types.OPT) return rcode
  return ((response[optAt + 5] as number) << 4) | rcode
}

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}
