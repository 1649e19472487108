// Counters of DNS over TLS handshakes. They are in shared memory, since a thread may be answering, and its successor
// continues to count.

export type TlsCounters = {
  /** Handshakes that were completed. */
  readonly handshakeCount: number
  /** Completed handshakes that resumed an earlier session. */
  readonly resumedCount: number
  /** Connections that ended before the handshake was completed: no TLS, unsupported TLS, too slow, or closed. */
  readonly failedCount: number
  readonly responseCount: number
}

/** The place of each counter. Doubles count exactly to 2^53 and are read and written whole. */
const places = {
  handshakeCount: 0,
  resumedCount: 1,
  failedCount: 2,
  responseCount: 3,
} as const satisfies Record<keyof TlsCounters, number>

/** One writer at a time, any number of readers. */
export type TlsCounts = Float64Array<SharedArrayBuffer>

export function newTlsCounts(): TlsCounts {
  return new Float64Array(
    new SharedArrayBuffer(Object.keys(places).length * Float64Array.BYTES_PER_ELEMENT),
  )
}

export function countTls(counts: TlsCounts, what: keyof TlsCounters): void {
  const place = places[what]
  counts[place] = (counts[place] ?? 0) + 1
}

export function readTlsCounters(counts: TlsCounts): TlsCounters {
  const entries = Object.entries(places).map(([name, place]) => [name, counts[place] ?? 0])
  return Object.fromEntries(entries) as TlsCounters
}
