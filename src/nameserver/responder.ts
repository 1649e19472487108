import { AttachedZones } from '../zone/table/attached-zones.ts'
import { ReaderEpoch } from '../zone/table/epochs.ts'
import type { ZoneTableHandle } from '../zone/table/handle.ts'
import { TableMemory } from '../zone/table/memory.ts'
import { TableReader } from '../zone/table/zone-view.ts'
import { processQuery, type Transport } from './process-query.ts'
import { PlainRequest } from './quick/plain-request.ts'
import { QuickAnswer } from './quick/quick-answer.ts'
import { ResponseCounter } from './response-counter.ts'

/** Answers requests in one thread, without allocating anything for the common ones. A batch is
 *  `enter`, then `respond` as often as there are requests, then `leave`; what the writer of the zones takes
 *  away meanwhile stays readable until `leave`, so a thread must leave before it waits for anything. */
export type Responder = {
  /** Begins a batch: what was published before is seen. */
  enter(): void
  /** Ends the batch; its responses are counted for their zones then. Between `leave` and `enter` a thread holds
   *  nothing back, however long it sleeps. */
  leave(): void
  /** Answers the request in the first `requestOctets` of `request` and writes the response to the start of
   *  `response`, which has 1,232 octets for UDP and 65,535 for TCP. Returns its length; 0 where nothing is to
   *  be sent. Never throws. The two must not overlap. */
  respond(
    request: Uint8Array,
    requestOctets: number,
    response: Uint8Array,
    transport: Transport,
  ): number
}

/** Opens the seat that the handle stands for.
 *  @param reportDefect told of what should be impossible; the client gets SERVFAIL */
export function openResponder(
  handle: ZoneTableHandle,
  reportDefect?: (defect: unknown) => void,
): Responder {
  return new TableResponder(handle, reportDefect)
}

class TableResponder implements Responder {
  readonly #epoch: ReaderEpoch
  readonly #request: PlainRequest
  readonly #quick: QuickAnswer
  readonly #zones: AttachedZones
  readonly #counter: ResponseCounter
  readonly #reportDefect: ((defect: unknown) => void) | undefined

  constructor(handle: ZoneTableHandle, reportDefect: ((defect: unknown) => void) | undefined) {
    const memory = new TableMemory(handle.memory)
    const reader = new TableReader(memory)
    const { target } = handle
    this.#epoch = new ReaderEpoch(memory, handle.seat)
    this.#request = new PlainRequest(memory)
    this.#quick = new QuickAnswer({ memory, target, lookup: reader.lookup, request: this.#request })
    this.#zones = new AttachedZones(reader, target)
    this.#counter = new ResponseCounter(handle.counters, { reader, target })
    this.#reportDefect = reportDefect
  }

  enter(): void {
    this.#epoch.enter()
  }

  leave(): void {
    // Before the epoch is left: after that a zone's counters may become another's.
    this.#counter.settle()
    this.#epoch.leave()
  }

  respond(
    request: Uint8Array,
    requestOctets: number,
    response: Uint8Array,
    transport: Transport,
  ): number {
    try {
      if (this.#request.read(request, requestOctets, transport)) {
        const octets = this.#quick.respond(response)
        if (octets > 0) {
          this.#counter.countResponse(transport, octets, this.#quick.rcode, this.#quick.zone)
          return octets
        }
      }
    } catch (defect) {
      this.#reportDefect?.(defect)
    }
    return this.#respondGenerally(request.subarray(0, requestOctets), response, transport)
  }

  #respondGenerally(request: Uint8Array, buffer: Uint8Array, transport: Transport): number {
    const reportDefect = this.#reportDefect
    const response = processQuery(request, {
      zones: this.#zones,
      transport,
      buffer,
      ...(reportDefect !== undefined && { reportDefect }),
    })
    this.#counter.countGeneral(transport, response)
    return response?.length ?? 0
  }
}
