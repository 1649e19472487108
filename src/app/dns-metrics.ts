import { rcodes } from '../dns/codes.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Listeners } from '../transport/listeners.ts'
import { threadRestartCount } from '../transport/threads/supervised-thread.ts'
import {
  firstLatencyMicros,
  latencyCount,
  readerCounts,
  tcpReaderCounts,
} from '../zone/table/counters.ts'
import { queryTypes } from '../zone/table/query-types.ts'
import type { Readers } from '../zone/table/readers.ts'
import type { TlsParts } from './servers.ts'

// The composition root's part for metrics of answers, which the answering threads count (`zone/table/counters.ts`).

const transports = [
  ['udp', 0],
  ['tcp', tcpReaderCounts],
] as const

const latencyBounds = Array.from(
  { length: latencyCount - 1 },
  (_, i) => (firstLatencyMicros * 2 ** i) / 1e6,
)

/** The parts that count answers. */
export type DnsParts = {
  readonly readers: Readers
  readonly dns: Listeners
  readonly tls: TlsParts | undefined
}

/** Adds the metrics of queries and their answers. TLS and HTTPS count as tcp. */
export function addDnsMetrics(metrics: Metrics, { readers, dns, tls }: DnsParts): void {
  const byTransport = (index: number) =>
    transports.map(
      ([transport, from]) => [transport, readers.countOfReaders(from + index)] as const,
    )
  addByName(metrics, byTransport)
  for (const [name, help, index] of counters)
    metrics.addNumbers(name, help, 'transport', () => byTransport(index))
  metrics.addHistogram({
    name: 'zonewright_dns_response_duration_seconds',
    help: 'Time from reading a query to sending its response, of one batch in 16',
    bounds: latencyBounds,
    *read() {
      for (const [transport, from] of transports)
        yield {
          labels: { transport },
          counts: Array.from({ length: latencyCount }, (_, i) =>
            readers.countOfReaders(from + readerCounts.latencies + i),
          ),
          sum: readers.countOfReaders(from + readerCounts.latencyMicros) / 1e6,
        }
    },
  })
  metrics.addNumbers(
    'zonewright_dns_thread_responses_total',
    'DNS responses of each answering thread; those of a thread that has ended go on with its successor',
    'thread',
    () => readers.responses().map((count, thread) => [String(thread), count]),
  )
  metrics.addNumber(
    'zonewright_thread_restarts_total',
    'Answering threads that ended by themselves and were started again',
    threadRestartCount,
  )
  addTls(metrics, dns, tls)
}

const counters = [
  ['zonewright_dns_response_bytes_total', 'Octets of DNS responses', readerCounts.octets],
  ['zonewright_dns_unanswered_total', 'DNS requests without a response', readerCounts.unanswered],
  ['zonewright_dns_rate_limited_total', 'Responses dropped by rate limiting', readerCounts.dropped],
  ['zonewright_dns_slipped_total', 'Responses truncated by rate limiting', readerCounts.truncated],
  ['zonewright_dns_notifies_received_total', 'NOTIFY messages', readerCounts.notifies],
  ['zonewright_dns_updates_received_total', 'UPDATE messages', readerCounts.updates],
] as const

/** Adds the counters of responses by rcode and of queries by type. */
function addByName(
  metrics: Metrics,
  byTransport: (index: number) => readonly (readonly [string, number])[],
): void {
  metrics.add({
    name: 'zonewright_dns_responses_total',
    help: 'DNS responses; TLS counts as tcp',
    labels: ['transport', 'rcode'],
    *read() {
      for (const [rcode, number] of Object.entries(rcodes))
        for (const [transport, value] of byTransport(readerCounts.rcodes + number))
          yield { labels: { transport, rcode: rcode.toUpperCase() }, value }
    },
  })
  metrics.add({
    name: 'zonewright_dns_queries_total',
    help: 'DNS queries that were answered, by type; the rare ones together as other',
    labels: ['transport', 'type'],
    *read() {
      for (const [index, type] of queryTypes.entries())
        for (const [transport, value] of byTransport(readerCounts.types + index))
          yield { labels: { transport, type }, value }
    },
  })
}

function addTls(metrics: Metrics, dns: Listeners, tls: TlsParts | undefined): void {
  metrics.addNumbers(
    'zonewright_dns_tls_handshakes_total',
    'TLS handshakes of DNS clients',
    'result',
    () => {
      const { tlsCounters } = dns
      if (tlsCounters === undefined) return []
      const { handshakeCount, resumedCount, failedCount } = tlsCounters
      const full = handshakeCount - resumedCount
      return Object.entries({ full, resumed: resumedCount, failed: failedCount })
    },
  )
  metrics.addNumber(
    'zonewright_dns_tls_certificate_expiry_seconds',
    'When the certificate of DNS over TLS expires, in seconds since the epoch',
    () => tls && tls.files.expiresAt.getTime() / 1000,
  )
}
