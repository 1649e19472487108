import { formatName, lowerCaseName, parseName } from '../dns/name.ts'
import type { Zone } from '../model/zone.ts'
import { reserveTap } from '../nameserver/tap-layout.ts'
import { TapReader } from '../nameserver/tap-reader.ts'
import { Busiest } from '../querylog/busiest.ts'
import type { SampledZone } from '../querylog/samples.ts'
import { Sampling } from '../querylog/sampling.ts'
import { QueryLogRules } from '../service/operations/query-log-rules.ts'
import type { ZoneAnswers } from '../service/rules/targets.ts'
import { maxReaders } from '../zone/table/layout.ts'
import type { CommonParts } from './options.ts'
import { hasQueryLog, openQueryLog } from './query-log.ts'
import { openZoneAnswers } from './zone-answers.ts'

// The composition root's part for single queries: from the memory in which the answering threads record them to the busiest
// zones, names, clients and types.

const roundMillis = 100
/** With a query log, all queries are noted, and the memory for them has room for little more than a thousand. */
const logMillis = 20
const forgetMillis = 60_000

/** Reserves the memory in which answering threads record queries. */
export function openTap(): SharedArrayBuffer {
  return reserveTap(maxReaders)
}

/** Starts following answers: their counters, and single queries. */
export function watchAnswers(
  { tap: memory, config, ...parts }: CommonParts & { readonly tap: SharedArrayBuffer },
  opened: AsyncDisposableStack,
): {
  readonly answersOf: (zone: Zone) => ZoneAnswers
  readonly busiest: Busiest
  readonly queryLogRules: QueryLogRules
  /** Queries that the query log lacks, by where there was no room for them. */
  readonly lostQueries: () => Readonly<Record<string, number>>
} {
  const { clock, store, table, zonesOf } = parts
  const zoneOf = (zoneNumber: number): SampledZone | undefined => {
    const apex = table.zoneAt(zoneNumber)?.apex
    if (apex === undefined) return undefined
    for (const zone of store.list('zones', 'byLowerName', formatName(apex).toLowerCase()))
      if (!zone.isAbandoned && zonesOf(zone.poolId).get(apex)?.number === zoneNumber) return zone
    return undefined
  }
  const tap = new TapReader(memory)
  const busiest = new Busiest({
    clock,
    zoneOf,
    hidesHosts: config.hidesQueryHosts,
    takeNoted: () => sampling.take(),
  })
  const readerCount = () => table.readers.counters.length
  const sampling: Sampling = new Sampling({
    tap,
    readerCount,
    onQuery(query) {
      busiest.note(query)
      log?.note(query)
    },
  })
  const rules = new QueryLogRules(store, clock, hasQueryLog(config))
  const log = openQueryLog(
    {
      config,
      logger: parts.logger,
      tap,
      rules,
      zoneNameOf: zoneNumber => zoneOf(zoneNumber)?.name,
      zoneNumberOf(zoneId) {
        const zone = store.get('zones', zoneId)
        return zone && zonesOf(zone.poolId).get(lowerCaseName(parseName(zone.name)))?.number
      },
    },
    opened,
  )
  const timers = [
    setInterval(() => sampling.round(), roundMillis),
    setInterval(() => busiest.forget(), forgetMillis),
    ...(log === undefined ? [] : [setInterval(() => sampling.take(), logMillis)]),
  ]
  opened.defer(async () => {
    for (const timer of timers) clearInterval(timer)
    sampling.take()
    await log?.close()
  })
  const lostQueries = () =>
    log === undefined ? {} : { memory: tap.lostCount(readerCount()), ...log.lostCounts }
  return { answersOf: openZoneAnswers(parts), busiest, queryLogRules: rules, lostQueries }
}
