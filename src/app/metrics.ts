import type { Node } from '../cluster/cluster.ts'
import { rcodes } from '../dns/codes.ts'
import { readOnlyReasonOf, type Writing } from '../durable/writability.ts'
import { type Durations, durationBounds } from '../durations.ts'
import { Metrics } from '../metrics/metrics.ts'
import { expiresAtOf } from '../model/refresh.ts'
import { nowSeconds } from '../rating/period.ts'
import { ratedUntil } from '../rating/scopes/catch-up.ts'
import type { SecondaryEvent } from '../service/secondaries/master-refresh.ts'
import type { ExternalTargets } from '../service/targets/external-targets.ts'
import { everything } from '../store/indexes.ts'
import type { Store } from '../store/store.ts'
import { version } from '../version.ts'
import { readerCounts, tcpReaderCounts } from '../zone/table/counters.ts'
import { addDnsMetrics, type DnsParts } from './dns-metrics.ts'
import type { CommonParts } from './options.ts'
import type { Services } from './services.ts'
import type { OutgoingZones } from './transfers.ts'

// The composition root's part for metrics: the part that supplies each number.

export type MetricsParts = Pick<CommonParts, 'cluster' | 'clock'> &
  DnsParts & {
    readonly store: Store & { readonly appendDurations: Durations }
    readonly services: Services
    /** All parts that write to the disk. */
    readonly durable: readonly Writing[]
    /** Secondary zones' transfers by their result, counted by `TransferCounts`. */
    readonly transfers: TransferCounts
    readonly outgoing: Pick<OutgoingZones, 'counts'>
    readonly externalTargets: Pick<ExternalTargets, 'lags' | 'notifyCounts'>
    /** Jobs whose last run failed. */
    readonly failingJobs: () => Iterable<string>
    /** Queries that the query log lacks, by where there was no room for them. */
    readonly lostQueries: () => Readonly<Record<string, number>>
  }

/** Counts the results of transfers of SECONDARY zones. */
export class TransferCounts {
  readonly byResult = { transferred: 0, updated: 0, failed: 0, expired: 0, broken: 0 }

  note(event: SecondaryEvent): void {
    const isDifference = event.kind === 'transferred' && event.content === 'difference'
    this.byResult[isDifference ? 'updated' : event.kind] += 1
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
  addJobs(metrics, parts)
  addRating(metrics, parts)
  addNodes(metrics, parts)
  return metrics
}

function addZones(metrics: Metrics, { store, services, transfers, outgoing }: MetricsParts): void {
  const { reports, dnssec } = services
  metrics.addNumber('zonewright_zones', 'Zones', () => reports.count('zones'))
  metrics.addNumber('zonewright_recordsets', 'Recordsets', () => reports.count('recordsets'))
  metrics.addNumber('zonewright_records', 'Records', () => reports.count('records'))
  metrics.addNumber('zonewright_projects', 'Projects that have zones', () =>
    reports.count('tenants'),
  )
  metrics.addNumber(
    'zonewright_zones_behind_elsewhere',
    'Zones of which a name server elsewhere does not have the serial yet',
    () => reports.count('zonesDelayedNotify'),
  )
  metrics.addNumbers(
    'zonewright_secondary_zones',
    'SECONDARY zones by the state of their copy',
    'state',
    () => {
      const counts = { current: 0, failing: 0, expired: 0 }
      for (const { transfer } of store.list('zones', 'secondaries', everything)) {
        if (transfer?.isExpired) counts.expired += 1
        else if (transfer?.failureCount) counts.failing += 1
        else counts.current += 1
      }
      return Object.entries(counts)
    },
  )
  metrics.addNumber(
    'zonewright_secondary_zones_expiry_seconds',
    'When the first SECONDARY zone expires that no master is reached for, in seconds since the epoch',
    () => {
      let first = Number.POSITIVE_INFINITY
      for (const zone of store.list('zones', 'secondaries', everything))
        if (zone.transfer?.failureCount && !zone.transfer.isExpired)
          first = Math.min(first, expiresAtOf(zone) ?? first)
      return Number.isFinite(first) ? first / 1e6 : undefined
    },
  )
  metrics.addNumber('zonewright_signed_zones', 'Zones that are signed here, or to be', () =>
    store.count('zones', 'signed', everything),
  )
  metrics.addNumber(
    'zonewright_signatures_expiry_seconds',
    'When the first signature ends of those made here, in seconds since the epoch, as of the last look at them (hourly)',
    () => dnssec.nearestExpiration,
  )
  metrics.addNumbers(
    'zonewright_secondary_transfers_total',
    'Transfers of SECONDARY zones from their masters; updated by what has changed',
    'result',
    () => Object.entries(transfers.byResult),
  )
  metrics.addNumbers(
    'zonewright_transfers_sent_total',
    'Answers to AXFR and IXFR by what they hold',
    'content',
    () => Object.entries(outgoing.counts),
  )
}

/** The external servers that pools name: as many as an operator has listed. */
function addExternalTargets(metrics: Metrics, { externalTargets, clock }: MetricsParts): void {
  metrics.addNumbers(
    'zonewright_notifies_sent_total',
    'NOTIFY to other servers, repetitions not counted, by whether they were acknowledged',
    'result',
    () => Object.entries(externalTargets.notifyCounts),
  )
  metrics.addNumbers(
    'zonewright_external_zones_behind',
    'Zones of which a server that pools ask does not have the last version',
    'server',
    () => [...externalTargets.lags].map(([server, { zoneCount }]) => [server, zoneCount]),
  )
  metrics.addNumbers(
    'zonewright_external_lag_seconds',
    'For how long the zone that is furthest behind on a server has had a newer version',
    'server',
    () => {
      const now = clock.nowMillis()
      const secondsSince = (micros: number) => Math.max(0, now - micros / 1000) / 1000
      return [...externalTargets.lags].map(([server, lag]) => [
        server,
        secondsSince(lag.sinceMicros),
      ])
    },
  )
}

function addQueryLog(metrics: Metrics, { lostQueries }: MetricsParts): void {
  metrics.addNumbers(
    'zonewright_query_log_lost_total',
    'Queries that the query log lacks, by where there was no room for them: in memory, for lines, for dnstap',
    'at',
    () => Object.entries(lostQueries()),
  )
}

function addJobs(metrics: Metrics, { failingJobs }: MetricsParts): void {
  metrics.addNumbers('zonewright_job_failing', '1 for each job whose last run failed', 'job', () =>
    Array.from(failingJobs(), job => [job, 1] as const),
  )
}

function addDurability(metrics: Metrics, { store, durable }: MetricsParts): void {
  metrics.addHistogram({
    name: 'zonewright_log_append_duration_seconds',
    help: 'Time to write changes to the log of the store and sync it',
    bounds: durationBounds,
    read: () => [store.appendDurations],
  })
  metrics.addNumber(
    'zonewright_commits_total',
    'Changes made durable since the store was made',
    () => store.lastLsn,
  )
  metrics.addNumber('zonewright_read_only', '1 while changes are refused', () =>
    Number(readOnlyReasonOf(durable) !== undefined),
  )
}

function addRating(metrics: Metrics, { store, clock }: MetricsParts): void {
  metrics.addNumber(
    'zonewright_rating_lag_seconds',
    'For how long the project that is furthest behind has not been rated',
    () => {
      const now = nowSeconds(clock)
      let until = now
      for (const state of store.list('scopeStates', 'all', everything))
        if (state.isActive) until = Math.min(until, ratedUntil(state))
      return now - until
    },
  )
}

function addNodes(metrics: Metrics, { cluster }: MetricsParts): void {
  metrics.addNumber(
    'zonewright_duty',
    '1 where this server does what only one of several nodes may do',
    () => Number(cluster.duty.isHeld),
  )
  const addOfNodes = (name: string, help: string, read: (node: Node, end: number) => number) =>
    metrics.addNumbers(name, help, 'node', () => {
      const nodes = cluster.nodes()
      const end = Math.max(0, ...nodes.map(({ lsn }) => lsn))
      return nodes.map(node => [node.name, read(node, end)])
    })
  addOfNodes(
    'zonewright_node_up',
    'Whether a node that shares the store was seen within the last minute',
    ({ isLive }) => Number(isLive),
  )
  addOfNodes(
    'zonewright_node_clock_ahead_seconds',
    'How far the clock of a node is ahead of that of PostgreSQL',
    ({ clockAheadSeconds }) => clockAheadSeconds,
  )
  addOfNodes(
    'zonewright_node_copy_behind',
    '1 where the copy on the disk of a node could not be written, and stays as it was until its next start',
    ({ isCopyBehind }) => Number(isCopyBehind),
  )
  addOfNodes(
    'zonewright_node_commits_behind',
    'How many commits a node has less than the one that has most',
    ({ lsn }, end) => end - lsn,
  )
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
