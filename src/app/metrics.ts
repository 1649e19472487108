import { rcodes } from '../dns/codes.ts'
import { readOnlyReasonOf, type Writing } from '../durable/writability.ts'
import { type Durations, durationBounds } from '../durations.ts'
import { Metrics, type Reading } from '../metrics/metrics.ts'
import { expiresAtOf } from '../model/refresh.ts'
import { nowSeconds } from '../rating/period.ts'
import { ratedUntil } from '../rating/scopes/catch-up.ts'
import type { SecondaryEvent } from '../service/secondaries/master-refresh.ts'
import type { ExternalTargets } from '../service/targets/external-targets.ts'
import { everything } from '../store/indexes.ts'
import type { Store } from '../store/store.ts'
import { version } from '../version.ts'
import { readerCounts, tcpReaderCounts } from '../zone/table/counters.ts'
import type { Readers } from '../zone/table/readers.ts'
import { addDnsMetrics } from './dns-metrics.ts'
import type { CommonParts } from './options.ts'
import type { DnsListeners } from './servers.ts'
import type { Services } from './services.ts'
import type { OutgoingZones } from './transfers.ts'

// The composition root's part for metrics: the part that supplies each number.

export type MetricsParts = Pick<CommonParts, 'cluster' | 'clock'> & {
  readonly store: Store & { readonly appendDurations: Durations }
  readonly readers: Readers
  readonly dns: DnsListeners
  readonly services: Services
  /** All parts that write to the disk. */
  readonly durable: readonly Writing[]
  /** Secondary zones' transfers by their result, counted by `TransferCounts`. */
  readonly transfers: TransferCounts
  readonly outgoing: Pick<OutgoingZones, 'counts'>
  readonly externalTargets: Pick<ExternalTargets, 'lags' | 'notifyCounts'>
  /** Queries that the query log lacks, by where there was no room for them. */
  readonly lostQueries: () => Readonly<Record<string, number>>
}

/** Counts the results of transfers of SECONDARY zones. */
export class TransferCounts {
  readonly #byResult = { transferred: 0, updated: 0, failed: 0, expired: 0, broken: 0 }

  note(event: SecondaryEvent): void {
    const isDifference = event.kind === 'transferred' && event.content === 'difference'
    this.#byResult[isDifference ? 'updated' : event.kind] += 1
  }

  get readings(): readonly Reading[] {
    return Object.entries(this.#byResult).map(([result, value]) => ({ labels: { result }, value }))
  }
}

/** Everything that can be measured here. */
export function openMetrics(parts: MetricsParts): Metrics {
  const metrics = new Metrics({ version })
  addDnsMetrics(metrics, parts)
  addZones(metrics, parts)
  addExternalTargets(metrics, parts)
  addQueryLog(metrics, parts)
  addDurability(metrics, parts)
  addRating(metrics, parts)
  addNodes(metrics, parts)
  return metrics
}

function addZones(metrics: Metrics, { store, services, transfers, outgoing }: MetricsParts): void {
  const { reports } = services
  const gauges = [
    ['zonewright_zones', 'Zones', () => reports.count('zones')],
    ['zonewright_recordsets', 'Recordsets', () => reports.count('recordsets')],
    ['zonewright_records', 'Records', () => reports.count('records')],
    ['zonewright_projects', 'Projects that have zones', () => reports.count('tenants')],
    [
      'zonewright_zones_behind_elsewhere',
      'Zones of which a name server elsewhere does not have the serial yet',
      () => reports.count('zonesDelayedNotify'),
    ],
  ] as const
  for (const [name, help, read] of gauges)
    metrics.add({ name, help, kind: 'gauge', read: () => [{ value: read() }] })
  metrics.add({
    name: 'zonewright_secondary_zones',
    help: 'SECONDARY zones by the state of their copy',
    kind: 'gauge',
    labels: ['state'],
    *read() {
      const counts = { current: 0, failing: 0, expired: 0 }
      for (const { transfer } of store.list('zones', 'secondaries', everything)) {
        if (transfer?.isExpired) counts.expired += 1
        else if (transfer?.failureCount) counts.failing += 1
        else counts.current += 1
      }
      for (const [state, value] of Object.entries(counts)) yield { labels: { state }, value }
    },
  })
  metrics.add({
    name: 'zonewright_secondary_zones_expiry_seconds',
    help: 'When the first SECONDARY zone expires that no master is reached for, in seconds since the epoch',
    kind: 'gauge',
    *read() {
      let first = Number.POSITIVE_INFINITY
      for (const zone of store.list('zones', 'secondaries', everything))
        if (zone.transfer?.failureCount && !zone.transfer.isExpired)
          first = Math.min(first, expiresAtOf(zone) ?? first)
      if (Number.isFinite(first)) yield { value: first / 1e6 }
    },
  })
  metrics.add({
    name: 'zonewright_signed_zones',
    help: 'Zones that are signed here, or to be',
    kind: 'gauge',
    read: () => [{ value: store.count('zones', 'signed', everything) }],
  })
  metrics.add({
    name: 'zonewright_signatures_expiry_seconds',
    help: 'When the first signature ends of those made here, in seconds since the epoch, as of the last look at them (hourly)',
    kind: 'gauge',
    *read() {
      const { nearestExpiration } = services.dnssec
      if (nearestExpiration !== undefined) yield { value: nearestExpiration }
    },
  })
  metrics.add({
    name: 'zonewright_secondary_transfers_total',
    help: 'Transfers of SECONDARY zones from their masters; updated by what has changed',
    kind: 'counter',
    labels: ['result'],
    read: () => transfers.readings,
  })
  metrics.add({
    name: 'zonewright_transfers_sent_total',
    help: 'Answers to AXFR and IXFR by what they hold',
    kind: 'counter',
    labels: ['content'],
    *read() {
      for (const [content, value] of Object.entries(outgoing.counts))
        yield { labels: { content }, value }
    },
  })
}

/** The external servers that pools name: as many as an operator has listed. */
function addExternalTargets(metrics: Metrics, { externalTargets, clock }: MetricsParts): void {
  metrics.add({
    name: 'zonewright_notifies_sent_total',
    help: 'NOTIFY to other servers, repetitions not counted, by whether they were acknowledged',
    kind: 'counter',
    labels: ['result'],
    *read() {
      for (const [result, value] of Object.entries(externalTargets.notifyCounts))
        yield { labels: { result }, value }
    },
  })
  metrics.add({
    name: 'zonewright_external_zones_behind',
    help: 'Zones of which a server that pools ask does not have the last version',
    kind: 'gauge',
    labels: ['server'],
    *read() {
      for (const [server, { zoneCount }] of externalTargets.lags)
        yield { labels: { server }, value: zoneCount }
    },
  })
  metrics.add({
    name: 'zonewright_external_lag_seconds',
    help: 'For how long the zone that is furthest behind on a server has had a newer version',
    kind: 'gauge',
    labels: ['server'],
    *read() {
      const now = clock.nowMillis()
      for (const [server, { sinceMicros }] of externalTargets.lags)
        yield { labels: { server }, value: Math.max(0, now - sinceMicros / 1000) / 1000 }
    },
  })
}

function addQueryLog(metrics: Metrics, { lostQueries }: MetricsParts): void {
  metrics.add({
    name: 'zonewright_query_log_lost_total',
    help: 'Queries that the query log lacks, by where there was no room for them: in memory, for lines, for dnstap',
    kind: 'counter',
    labels: ['at'],
    *read() {
      for (const [at, value] of Object.entries(lostQueries())) yield { labels: { at }, value }
    },
  })
}

function addDurability(metrics: Metrics, { store, durable }: MetricsParts): void {
  metrics.addHistogram({
    name: 'zonewright_log_append_duration_seconds',
    help: 'Time to write changes to the log of the store and sync it',
    bounds: durationBounds,
    read: () => [store.appendDurations],
  })
  metrics.add({
    name: 'zonewright_commits_total',
    help: 'Changes made durable since the store was made',
    kind: 'counter',
    read: () => [{ value: store.lastLsn }],
  })
  metrics.add({
    name: 'zonewright_read_only',
    help: '1 while changes are refused',
    kind: 'gauge',
    read: () => [{ value: Number(readOnlyReasonOf(durable) !== undefined) }],
  })
}

function addRating(metrics: Metrics, { store, clock }: MetricsParts): void {
  metrics.add({
    name: 'zonewright_rating_lag_seconds',
    help: 'For how long the project that is furthest behind has not been rated',
    kind: 'gauge',
    *read() {
      const now = nowSeconds(clock)
      let until = now
      for (const state of store.list('scopeStates', 'all', everything))
        if (state.isActive) until = Math.min(until, ratedUntil(state))
      yield { value: now - until }
    },
  })
}

function addNodes(metrics: Metrics, { cluster }: MetricsParts): void {
  metrics.add({
    name: 'zonewright_duty',
    help: '1 where this server does what only one of several nodes may do',
    kind: 'gauge',
    read: () => [{ value: Number(cluster.duty.isHeld) }],
  })
  metrics.add({
    name: 'zonewright_node_up',
    help: 'Whether a node that shares the store was seen within the last minute',
    kind: 'gauge',
    labels: ['node'],
    *read() {
      for (const { name, isLive } of cluster.nodes())
        yield { labels: { node: name }, value: Number(isLive) }
    },
  })
  metrics.add({
    name: 'zonewright_node_clock_ahead_seconds',
    help: 'How far the clock of a node is ahead of that of PostgreSQL',
    kind: 'gauge',
    labels: ['node'],
    *read() {
      for (const { name, clockAheadSeconds } of cluster.nodes())
        yield { labels: { node: name }, value: clockAheadSeconds }
    },
  })
  metrics.add({
    name: 'zonewright_node_copy_behind',
    help: '1 where the copy on the disk of a node could not be written, and stays as it was until its next start',
    kind: 'gauge',
    labels: ['node'],
    *read() {
      for (const { name, isCopyBehind } of cluster.nodes())
        yield { labels: { node: name }, value: Number(isCopyBehind) }
    },
  })
  metrics.add({
    name: 'zonewright_node_commits_behind',
    help: 'How many commits a node has less than the one that has most',
    kind: 'gauge',
    labels: ['node'],
    *read() {
      const nodes = cluster.nodes()
      const end = Math.max(0, ...nodes.map(({ lsn }) => lsn))
      for (const { name, lsn } of nodes) yield { labels: { node: name }, value: end - lsn }
    },
  })
}

/** Counters for clients of PowerDNS, by its names. */
export function statisticsOf({ readers, store }: MetricsParts): () => Record<string, number> {
  const answers = (offset: number) =>
    Object.values(rcodes).reduce<number>(
      (sum, rcode) => sum + readers.countOfReaders(offset + readerCounts.rcodes + rcode),
      0,
    )
  return () => ({
    uptime: Math.floor(process.uptime()),
    'udp-answers': answers(0),
    'tcp-answers': answers(tcpReaderCounts),
    'udp-answers-bytes': readers.countOfReaders(readerCounts.octets),
    'tcp-answers-bytes': readers.countOfReaders(tcpReaderCounts + readerCounts.octets),
    'servfail-packets':
      readers.countOfReaders(readerCounts.rcodes + rcodes.servFail) +
      readers.countOfReaders(tcpReaderCounts + readerCounts.rcodes + rcodes.servFail),
    zones: store.count('zones', 'all', everything),
  })
}
