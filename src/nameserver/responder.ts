import type { Name } from '../dns/name.ts'
import { AttachedZones } from '../zone/table/attached-zones.ts'
import { ReaderEpoch } from '../zone/table/epochs.ts'
import type { ZoneTableHandle } from '../zone/table/handle.ts'
import { TableMemory } from '../zone/table/memory.ts'
import { TableReader } from '../zone/table/zone-view.ts'
import { processQuery, type Transport } from './process-query.ts'
import { QuickAnswer } from './quick/quick-answer.ts'
import { RequestBatch } from './quick/request-batch.ts'
import { ResponseCounter } from './response-counter.ts'
import { type ClientSource, ResponseLimiter } from './response-limiter.ts'
import type { RateLimitHandle } from './response-rate-limit.ts'

/** Answers requests in one thread, without allocating anything for the common ones. A batch is `enter`; `take` for
 *  each request that is there, `prefetch`, and `respond` for each; then `leave`. What the writer of the zones takes away
 *  meanwhile stays readable until `leave`, so a thread must leave before it waits for anything. */
export type Responder = {
  /** To be set by whoever holds the socket. */
  host?: ResponderHost | undefined
  /** Begins a batch: what was published before is seen. */
  enter(): void
  /** Ends the batch; its responses are counted for their zones then. Between `leave` and `enter` a thread holds
   *  nothing back, however long it sleeps. */
  leave(): void
  /** Reads the request in the first `octetCount` octets of `request` as number `i` of the batch, from 0 and below
   *  `maxBatchRequests`, in the stead of the last one of that number. It stays where it is until its response is
   *  written. */
  take(i: number, request: Uint8Array, octetCount: number, transport: Transport): void
  /** Makes the first `count` requests quick to answer. A request by itself is none the better for it. */
  prefetch(count: number): void
  /** Answers request `i` and writes the response to the start of `response`, which has 1,232 octets for UDP and
   *  65,535 for TCP. Returns its length; 0 where nothing is to be sent. Never throws. The two must not overlap. */
  respond(i: number, response: Uint8Array): number
}

/** What surrounds a responder. Clients are asked for where responses are limited. */
export type ResponderHost = ClientSource & {
  /** Told of a NOTIFY while request `i` is answered: what `OnNotified` says. */
  onNotified(apex: Name, i: number): boolean
}

/** What a responder is opened with. */
export type ResponderHandle = ZoneTableHandle & {
  /** How responses over UDP are limited; without it they are not. */
  readonly rateLimit?: RateLimitHandle | undefined
}

/** Opens the seat that the handle stands for.
 *  @param reportDefect told of what should be impossible; the client gets SERVFAIL */
export function openResponder(
  handle: ResponderHandle,
  reportDefect?: (defect: unknown) => void,
): Responder {
  return new TableResponder(handle, reportDefect)
}

class TableResponder implements Responder {
  host: ResponderHost | undefined = undefined
  readonly #epoch: ReaderEpoch
  readonly #batch: RequestBatch
  readonly #quick: QuickAnswer
  readonly #zones: AttachedZones
  readonly #counter: ResponseCounter
  readonly #limiter: ResponseLimiter | undefined
  readonly #reportDefect: ((defect: unknown) => void) | undefined

  constructor(handle: ResponderHandle, reportDefect: ((defect: unknown) => void) | undefined) {
    const memory = new TableMemory(handle.memory)
    const reader = new TableReader(memory)
    const { target } = handle
    const parts = { memory, target, lookup: reader.lookup }
    this.#epoch = new ReaderEpoch(memory, handle.seat)
    this.#batch = new RequestBatch(parts)
    this.#quick = new QuickAnswer(parts)
    this.#zones = new AttachedZones(reader, target)
    this.#counter = new ResponseCounter(handle.counters, { reader, target })
    this.#limiter =
      handle.rateLimit && new ResponseLimiter(handle.rateLimit, { reader, target }, this.#counter)
    this.#reportDefect = reportDefect
  }

  enter(): void {
    this.#epoch.enter()
    if (this.#limiter !== undefined && this.host !== undefined) this.#limiter.begin(this.host)
  }

  leave(): void {
    // Before the epoch is left: after that a zone's counters may become another's.
    this.#counter.settle()
    this.#epoch.leave()
  }

  take(i: number, request: Uint8Array, octetCount: number, transport: Transport): void {
    this.#batch.take(i, request, octetCount, transport)
  }

  prefetch(count: number): void {
    this.#batch.prefetch(count)
  }

  respond(i: number, response: Uint8Array): number {
    const octets = this.#respond(i, response)
    const limiter = this.#limiter
    if (limiter === undefined || octets === 0) return octets
    return this.#batch.get(i).transport === 'udp' ? limiter.limit(i, response, octets) : octets
  }

  #respond(i: number, response: Uint8Array): number {
    const request = this.#batch.get(i)
    try {
      if (request.isPlain) {
        const octets = this.#quick.respond(request, response)
        if (octets > 0) {
          const { transport, zone } = request
          this.#counter.countResponse(transport, octets, this.#quick.rcode, zone)
          return octets
        }
      }
    } catch (defect) {
      this.#reportDefect?.(defect)
    }
    return this.#respondGenerally(i, response)
  }

  #respondGenerally(i: number, buffer: Uint8Array): number {
    const { octets, end, transport } = this.#batch.get(i)
    const reportDefect = this.#reportDefect
    const response = processQuery(octets.subarray(0, end), {
      zones: this.#zones,
      transport,
      buffer,
      onNotified: apex => this.host?.onNotified(apex, i) ?? true,
      ...(reportDefect !== undefined && { reportDefect }),
    })
    this.#counter.countGeneral(transport, response)
    return response?.length ?? 0
  }
}
