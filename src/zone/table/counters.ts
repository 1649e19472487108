// What answering threads count. Each thread writes memory of its own, so counting takes no lock and no atomic step; a
// total is the sum over all readers. Counts only ever grow, also when a thread ends and another takes its reader; a
// zone's counts continue those of the previous zone with the same zone number.

/** What is counted of a zone, once for UDP and once for TCP: responses by each rcode that a zone can produce, and their
 *  octets. */
export const zoneCounts = { noError: 0, nxDomain: 1, servFail: 2, yxDomain: 3, octets: 4 } as const
/** Added to the above for TCP. */
export const tcpCounts = 8
/** From here on the queries for a zone over any transport, by `zoneTypes`. */
export const zoneTypeCounts = 16
/** Numbers of one zone: a line for each transport, and one for the types. */
const countsPerZone = 24

/** What is counted of a reader, once for UDP and once for TCP. What nearly every response is counted in is one line of
 *  the cache. Requests are responses and unanswered ones together. */
export const readerCounts = {
  octets: 0,
  /** Requests that got no response. */
  unanswered: 1,
  /** And from here on the responses by their rcode, up to BADCOOKIE. */
  rcodes: 2,
  /** Responses that `ResponseRateLimit` dropped, whose requests count as unanswered too; and those it truncated. */
  dropped: 26,
  truncated: 27,
  /** Messages that are no queries. */
  notifies: 28,
  updates: 29,
  /** And from here on the queries by `queryTypes`. */
  types: 32,
  /** How long answers took in all, in microseconds, and from here on how many took so long: the first at most
   *  `firstLatencyMicros`, each further one at most twice as long as the one before it, the last any time. */
  latencyMicros: 64,
  latencies: 65,
} as const
/** Added to the above for TCP. */
export const tcpReaderCounts = 96
const countsPerReader = 192

/** How many latency counts there are. */
export const latencyCount = 18
export const firstLatencyMicros = 8

/** How many zones a table can have. */
export const maxZones = 2 ** 21

/** Reserves the counters of one reader; only what is counted in takes memory. */
export function reserveCounters(): SharedArrayBuffer {
  const numbers = countsPerReader + maxZones * countsPerZone
  return new SharedArrayBuffer(numbers * Float64Array.BYTES_PER_ELEMENT)
}

/** Whole numbers below 2^53 in 64 bits, which both our processors read and write in one step. */
export class Counters {
  readonly #numbers: Float64Array

  constructor(buffer: SharedArrayBuffer) {
    this.#numbers = new Float64Array(buffer)
  }

  /** Adds to one of `readerCounts`. */
  count(index: number, by: number): void {
    const numbers = this.#numbers
    numbers[index] = (numbers[index] as number) + by
  }

  /** Adds a response to a zone's counts. */
  countZone(zoneNumber: number, index: number, octets: number): void {
    const numbers = this.#numbers
    const at = countsPerReader + zoneNumber * countsPerZone
    numbers[at + index] = (numbers[at + index] as number) + 1
    const octetsAt = at + (index & tcpCounts) + zoneCounts.octets
    numbers[octetsAt] = (numbers[octetsAt] as number) + octets
  }

  /** Adds a query for one of `zoneTypes`. */
  countZoneType(zoneNumber: number, index: number): void {
    const numbers = this.#numbers
    const at = countsPerReader + zoneNumber * countsPerZone + zoneTypeCounts + index
    numbers[at] = (numbers[at] as number) + 1
  }

  /** Adds answers that took so long. */
  countLatency(ofReader: number, micros: number, count: number): void {
    const steps = 32 - Math.clz32(Math.ceil(micros / firstLatencyMicros) - 1)
    const bucket = Math.min(Math.max(steps, 0), latencyCount - 1)
    this.count(ofReader + readerCounts.latencies + bucket, count)
    this.count(ofReader + readerCounts.latencyMicros, micros * count)
  }

  /** One of `readerCounts`. */
  get(index: number): number {
    return this.#numbers[index] as number
  }

  /** A number of a zone. */
  getOfZone(zoneNumber: number, index: number): number {
    return this.#numbers[countsPerReader + zoneNumber * countsPerZone + index] as number
  }
}
