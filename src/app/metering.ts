import { join } from 'node:path'
import { formatName, type Name, parseName } from '../dns/name.ts'
import type { CapturedFiles } from '../durable/captured-file.ts'
import type { Logger } from '../log.ts'
import { isInUse, isSignedHere, type Zone } from '../model/zone.ts'
import { Meter, type MeterEvent } from '../rating/metering/meter.ts'
import type { MeteredZone, MeteredZones } from '../rating/metering/metered-zones.ts'
import { octetKinds, responseKinds } from '../rating/metering/tally.ts'
import { nowSeconds, retainedFrom } from '../rating/period.ts'
import type { Points } from '../rating/segments/point-store.ts'
import { usageFolders } from '../rating/usage-repair.ts'
import { everything } from '../store/indexes.ts'
import type { Commit } from '../store/store.ts'
import { tcpCounts, zoneCounts } from '../zone/table/counters.ts'
import { NodeUsage } from './node-usage.ts'
import type { CommonParts } from './options.ts'
import { type MeteredUsage, openOwnUsage } from './own-usage.ts'
import { type Rating, usageCut } from './rating.ts'
import { rcodeCounts } from './zone-answers.ts'

// The composition root's part for metering, from the counters of the answering threads to the rated usage.

/** Metering and rating of a running server. */
export type Metering = CapturedFiles & {
  /** To be called with each commit once it is served. */
  commitPublished(commit: Commit): void
  /** Makes the usage so far durable. */
  flush(): Promise<void>
  /** Rates the usage that is due. */
  rate(): Promise<void>
  /** Ensures that points can be read and written, where this server rates. */
  takeUp(): Promise<void>
  /** Drops usage beyond its retention, and orders that were completed long ago. */
  prune(): Promise<void>
  /** Why completed hours cannot be stored; undefined while they can. */
  readonly readOnlyReason: string | undefined
  /** Resumes storing completed hours, if the disk takes writes again. */
  resume(): Promise<void>
  /** Ends work that may take long and that the next run continues: the handing over of hours, and rating. */
  stop(): Promise<void>
  /** To be called once no more queries are answered. */
  close(): Promise<void>
}

type MeteringParts = CommonParts & { readonly rating: Rating }

/** Resumes metering where the last process stopped. To be called when all zones are in the table, and before any query is
 *  answered.
 *  @throws DamageError the files of metered usage are not as they were written */
export async function openMetering(parts: MeteringParts): Promise<Metering> {
  const { config, clock, logger, table, rating } = parts
  const usage = await openUsage(parts)
  const { hourly } = usage
  const meter = await Meter.open({
    ...usage.meterOptions,
    folder: join(config.dataDir, usageFolders.meter),
    zones: meteredZones(parts),
    clock,
    onEvent: event => logMeterEvent(logger, event),
  })
  const { takeUp, rate, flushed, usageIn, stop, close } = usage.begin(meter)
  table.onZoneNumberFreed = zoneNumber => meter.zoneNumberFreed(zoneNumber)
  rating.invoices.metered = usageIn
  return {
    commitPublished: commit => meter.commitPublished(commit),
    flush: async () => {
      await meter.flush()
      await flushed()
    },
    rate,
    takeUp,
    prune: async () => {
      await takeUp()
      await rating.reprocesses.forgetDone(nowSeconds(clock))
      await prune(parts, [rating.points, hourly])
    },
    capture: () => [...hourly.capture(), ...meter.capture()],
    get readOnlyReason() {
      return hourly.readOnlyReason
    },
    resume: async () => {
      await takeUp()
      await hourly.resume()
    },
    stop: () => {
      meter.stop()
      return stop()
    },
    close: async () => {
      // Everything else must be closed even if this fails.
      await meter
        .close()
        .catch(error => logger.error({ err: error }, 'the last usage could not be kept'))
      await close()
      await hourly.close()
    },
  }
}

async function openUsage(parts: MeteringParts): Promise<MeteredUsage> {
  const { store, cluster, rating } = parts
  const { shared } = store
  if (shared === undefined || rating.termPoints === undefined) return openOwnUsage(parts)
  return NodeUsage.open({ ...parts, shared, cluster, points: rating.termPoints })
}

async function prune(
  { config: { usageKeepMonths }, clock }: Pick<CommonParts, 'config' | 'clock'>,
  stores: readonly Points[],
): Promise<void> {
  if (usageKeepMonths === undefined) return
  for (const store of stores) {
    const { lastBegin } = store
    if (lastBegin === undefined) continue
    // A clock that is ahead for a moment must not remove everything.
    const from = retainedFrom(Math.min(nowSeconds(clock), lastBegin), usageKeepMonths)
    if (await store.holdsBefore(from)) await store.dropBefore(from)
  }
}

/** The counters of the zone table for the values of a tally, in its order. */
const countsInOrder: readonly number[] = [
  ...responseKinds.map(({ transport, rcode }) => of(transport) + rcodeCounts[rcode]),
  ...octetKinds.map(({ transport }) => of(transport) + zoneCounts.octets),
]

function of(transport: 'udp' | 'tcp'): number {
  return transport === 'tcp' ? tcpCounts : 0
}

/** The zones of the store, with their slots in the table. */
function meteredZones({
  store,
  table,
  zonesOf,
}: Pick<MeteringParts, 'store' | 'table' | 'zonesOf'>): MeteredZones {
  const zoneNumberOf = ({ poolId, name }: Zone) => {
    const apex = readableName(name)
    return apex === undefined ? undefined : zonesOf(poolId).get(apex)?.number
  }
  const metered = (zone: Zone): MeteredZone => ({
    owner: {
      zoneId: zone.id,
      zoneName: zone.name,
      zoneType: zone.type,
      poolId: zone.poolId,
      projectId: zone.projectId,
      isSigned: isSignedHere(zone),
    },
    recordsetCount: store.count('recordsets', 'byZone', zone.id),
    zoneNumber: zoneNumberOf(zone),
    createdAt: Math.floor(zone.createdAt / 1000),
    changedAt: Math.floor((zone.updatedAt ?? zone.createdAt) / 1000),
  })
  return {
    find(zoneId) {
      const zone = store.get('zones', zoneId)
      return zone !== undefined && isInUse(zone) ? metered(zone) : undefined
    },
    *all() {
      for (const zone of store.list('zones', 'all', everything))
        if (!zone.isDeleting) yield metered(zone)
    },
    isAbandoned: zoneId => store.get('zones', zoneId)?.isAbandoned === true,
    get zoneNumberCount() {
      return table.zoneNumberCount
    },
    findByNumber(zoneNumber) {
      const apex = table.zoneAt(zoneNumber)?.apex
      if (apex === undefined) return undefined
      const sameName = [...store.list('zones', 'byLowerName', formatName(apex).toLowerCase())]
      return sameName.find(zone => zoneNumberOf(zone) === zoneNumber)?.id
    },
    count: (zoneNumber, at) => table.readers.countOfZone(zoneNumber, countsInOrder[at] as number),
  }
}

/** A stored name that cannot be parsed is not served, so nothing is counted for it. */
function readableName(name: string): Name | undefined {
  try {
    return parseName(name)
  } catch {
    return undefined
  }
}

const meterWarnings: Readonly<Record<MeterEvent['kind'], string>> = {
  'clock-behind':
    'the clock was set back: metering waits for it to catch up, for an hour if it is far behind',
  'clock-believed':
    'the clock has stayed behind: what was metered since is metered and rated again in its time',
  gap: 'the clock jumped too far to be believed: that time is not metered',
  'log-cut': usageCut,
  'not-durable': 'the disk takes no writes: what is used is in memory until it does',
}

function logMeterEvent(logger: Logger, event: MeterEvent): void {
  const { kind, ...details } = event
  logger.warn('error' in details ? { kind, err: details.error } : event, meterWarnings[kind])
}
