import { hostname } from 'node:os'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { formatName } from '../dns/name.ts'
import type { Logger } from '../log.ts'
import type { Zone } from '../model/zone.ts'
import { reserveTap } from '../nameserver/tap-layout.ts'
import { TapReader } from '../nameserver/tap-reader.ts'
import { BoundedFile } from '../querylog/bounded-file.ts'
import { Busiest } from '../querylog/busiest.ts'
import { dnstapEnds, QueryLog } from '../querylog/query-log.ts'
import type { SampledZone } from '../querylog/samples.ts'
import { Sampling } from '../querylog/sampling.ts'
import type { ZoneAnswers } from '../service/zones/zone-statistics.ts'
import type { Store } from '../store/store.ts'
import { version } from '../version.ts'
import { maxReaders } from '../zone/table/layout.ts'
import type { TargetZones } from '../zone/table/target-zones.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import { openZoneAnswers } from './zone-answers.ts'

// The composition root's part about single queries: from the memory that the answering threads note them in to what is
// busiest.

const roundMillis = 100
const forgetMillis = 60_000
/** Of each file, and of the one before it. */
const maxLogOctets = 256 * 1024 * 1024

/** Reserves what answering threads note queries in. */
export function openTap(): SharedArrayBuffer {
  return reserveTap(maxReaders)
}

/** Follows what is answered, from now on: what is counted, and single queries. */
export function watchAnswers(
  {
    tap: memory,
    config,
    ...parts
  }: {
    readonly tap: SharedArrayBuffer
    readonly config: Pick<Config, 'hidesQueryHosts' | 'queryLog'>
    readonly logger: Logger
    readonly clock: Clock
    readonly store: Store
    readonly table: ZoneTable
    readonly zonesOf: (poolId: string) => TargetZones
  },
  opened: AsyncDisposableStack,
): { readonly answersOf: (zone: Zone) => ZoneAnswers; readonly busiest: Busiest } {
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
  const sampling: Sampling = new Sampling({
    tap,
    readerCount: () => table.readers.counters.length,
    onQuery(query) {
      busiest.note(query)
      log?.note(query)
    },
  })
  const log = openQueryLog({ config, logger: parts.logger, tap, zoneOf })
  const timers = [
    setInterval(() => sampling.round(), roundMillis),
    setInterval(() => busiest.forget(), forgetMillis),
  ]
  opened.defer(async () => {
    for (const timer of timers) clearInterval(timer)
    sampling.take()
    await log?.close()
  })
  return { answersOf: openZoneAnswers(parts), busiest }
}

/** Begins to write queries to the files of the settings, if there are any. */
function openQueryLog({
  config,
  logger,
  tap,
  zoneOf,
}: {
  readonly config: Pick<Config, 'hidesQueryHosts' | 'queryLog'>
  readonly logger: Logger
  readonly tap: TapReader
  readonly zoneOf: (zoneNumber: number) => SampledZone | undefined
}): QueryLog | undefined {
  const { linesPath, dnstapPath, sampledOf } = config.queryLog
  if (linesPath === undefined && dnstapPath === undefined) return undefined
  const fileAt = (path: string | undefined, ends: object = {}) =>
    path === undefined
      ? undefined
      : new BoundedFile({
          path,
          maxOctets: maxLogOctets,
          ...ends,
          onFailed: error =>
            logger.error({ err: error }, 'queries are not written to a file any more'),
        })
  tap.setRules([{ zoneNumber: undefined, client: undefined, sampledOf }])
  return new QueryLog({
    lines: fileAt(linesPath),
    dnstap: fileAt(dnstapPath, dnstapEnds),
    source: { identity: hostname(), version: `zonewright ${version}` },
    hidesHosts: config.hidesQueryHosts,
    zoneNameOf: zoneNumber => zoneOf(zoneNumber)?.name,
  })
}
