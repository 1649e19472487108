import { rcodes } from '../dns/codes.ts'
import type { Metrics, Reading } from '../metrics/metrics.ts'
import { threadRestartCount } from '../transport/threads/supervised-thread.ts'
import {
  firstLatencyMicros,
  latencyCount,
  readerCounts,
  tcpReaderCounts,
} from '../zone/table/counters.ts'
import { queryTypes } from '../zone/table/query-types.ts'
import type { Readers } from '../zone/table/readers.ts'
import type { DnsListeners } from './servers.ts'

// The composition root's part for metrics of answers, which the answering threads count (`zone/table/counters.ts`).

const transports = [
  ['udp', 0],
  ['tcp', tcpReaderCounts],
] as const

const latencyBounds = Array.from(
  { length: latencyCount - 1 },
  (_, i) => (firstLatencyMicros * 2 ** i) / 1e6,
)

/** Adds the metrics of queries and their answers. TLS and HTTPS count as tcp. */
export function addDnsMetrics(
  metrics: Metrics,
  { readers, dns }: { readonly readers: Readers; readonly dns: DnsListeners },
): void {
  const byTransport = (index: number): readonly Reading[] =>
    transports.map(([transport, from]) => ({
      labels: { transport },
      value: readers.countOfReaders(from + index),
    }))
  addByName(metrics, byTransport)
  for (const [name, help, index] of counters)
    metrics.add({
      name,
      help,
      kind: 'counter',
      labels: ['transport'],
      read: () => byTransport(index),
    })
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
  metrics.add({
    name: 'zonewright_dns_thread_responses_total',
    help: 'DNS responses of each answering thread; those of a thread that has ended go on with its successor',
    kind: 'counter',
    labels: ['thread'],
    read: () =>
      readers.responses().map((value, thread) => ({ labels: { thread: String(thread) }, value })),
  })
  metrics.add({
    name: 'zonewright_thread_restarts_total',
    help: 'Answering threads that ended by themselves and were started again',
    kind: 'counter',
    read: () => [{ value: threadRestartCount() }],
  })
  addTls(metrics, dns)
}

const counters = [
  ['zonewright_dns_response_bytes_total', 'Octets of DNS responses', readerCounts.octets],
  ['zonewright_dns_unanswered_total', 'DNS requests without a response', readerCounts.unanswered],
  ['zonewright_dns_rate_limited_total', 'Responses dropped by rate limiting', readerCounts.dropped],
  ['zonewright_dns_slipped_total', 'Responses truncated by rate limiting', readerCounts.truncated],
  ['zonewright_dns_notifies_received_total', 'NOTIFY messages', readerCounts.notifies],
  ['zonewright_dns_updates_received_total', 'UPDATE messages', readerCounts.updates],
] as const

function addByName(metrics: Metrics, byTransport: (index: number) => readonly Reading[]): void {
  metrics.add({
    name: 'zonewright_dns_responses_total',
    help: 'DNS responses; TLS counts as tcp',
    kind: 'counter',
    labels: ['transport', 'rcode'],
    *read() {
      for (const [rcode, number] of Object.entries(rcodes))
        for (const { labels, value } of byTransport(readerCounts.rcodes + number))
          yield { labels: { ...labels, rcode: rcode.toUpperCase() }, value }
    },
  })
  metrics.add({
    name: 'zonewright_dns_queries_total',
    help: 'DNS queries that were answered, by type; the rare ones together as other',
    kind: 'counter',
    labels: ['transport', 'type'],
    *read() {
      for (const [index, type] of queryTypes.entries())
        for (const { labels, value } of byTransport(readerCounts.types + index))
          yield { labels: { ...labels, type }, value }
    },
  })
}

function addTls(metrics: Metrics, dns: DnsListeners): void {
  metrics.add({
    name: 'zonewright_dns_tls_handshakes_total',
    help: 'TLS handshakes of DNS clients',
    kind: 'counter',
    labels: ['result'],
    *read() {
      const counters = dns.tlsCounters
      if (counters === undefined) return
      const { handshakeCount, resumedCount, failedCount } = counters
      yield { labels: { result: 'full' }, value: handshakeCount - resumedCount }
      yield { labels: { result: 'resumed' }, value: resumedCount }
      yield { labels: { result: 'failed' }, value: failedCount }
    },
  })
  metrics.add({
    name: 'zonewright_dns_tls_certificate_expiry_seconds',
    help: 'When the certificate of DNS over TLS expires, in seconds since the epoch',
    kind: 'gauge',
    *read() {
      const at = dns.certificateExpiresAt
      if (at !== undefined) yield { value: at.getTime() / 1000 }
    },
  })
}
