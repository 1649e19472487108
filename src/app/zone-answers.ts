import { parseName } from '../dns/name.ts'
import type { Zone } from '../model/zone.ts'
import type { ZoneAnswers } from '../service/rules/targets.ts'
import { tcpCounts, zoneCounts, zoneTypeCounts } from '../zone/table/counters.ts'
import { zoneTypes } from '../zone/table/query-types.ts'
import type { CommonParts } from './options.ts'

// The composition root's part for the counters of a zone.

/** The counters that tell rcodes apart. */
export const rcodeCounts = {
  NOERROR: zoneCounts.noError,
  NXDOMAIN: zoneCounts.nxDomain,
  SERVFAIL: zoneCounts.servFail,
  YXDOMAIN: zoneCounts.yxDomain,
} as const
const countIndexes = [
  ...[0, tcpCounts].flatMap(from => Object.values(zoneCounts).map(at => from + at)),
  ...zoneTypes.map((_, at) => zoneTypeCounts + at),
]

/** Returns a function that gives the answering threads' counts for a zone since it was created, or since now. */
export function openZoneAnswers({
  table,
  zonesOf,
  clock,
}: Pick<CommonParts, 'table' | 'zonesOf' | 'clock'>): (zone: Zone) => ZoneAnswers {
  const startMicros = clock.nowMillis() * 1000
  /** When a zone got its number, by that number, of the zones created from now on. */
  const takenAtMicros: number[] = []
  /** The counters of a zone number then, where an earlier zone has counted in it. */
  const countsBefore = new Map<number, ReadonlyMap<number, number>>()
  table.onZoneNumberTaken = zoneNumber => {
    const counted = countIndexes
      .map((index): [number, number] => [index, table.readers.countOfZone(zoneNumber, index)])
      .filter(([, count]) => count > 0)
    takenAtMicros[zoneNumber] = clock.nowMillis() * 1000
    if (counted.length > 0) countsBefore.set(zoneNumber, new Map(counted))
  }
  return ({ poolId, name }) => {
    const zoneNumber = zonesOf(poolId).get(parseName(name))?.number
    if (zoneNumber === undefined) return answersFrom(startMicros, () => 0)
    const before = countsBefore.get(zoneNumber)
    return answersFrom(
      takenAtMicros[zoneNumber] ?? startMicros,
      index => table.readers.countOfZone(zoneNumber, index) - (before?.get(index) ?? 0),
    )
  }
}

function answersFrom(sinceMicros: number, count: (index: number) => number): ZoneAnswers {
  const ofTransport = (from: number): number =>
    Object.values(rcodeCounts).reduce<number>((sum, at) => sum + count(from + at), 0)
  const byTransport = { udp: ofTransport(0), tcp: ofTransport(tcpCounts) }
  const both = (at: number) => count(at) + count(tcpCounts + at)
  return {
    sinceMicros,
    responses: byTransport.udp + byTransport.tcp,
    octets: both(zoneCounts.octets),
    byTransport,
    byRcode: Object.fromEntries(
      Object.entries(rcodeCounts).map(([rcode, at]) => [rcode, both(at)]),
    ),
    byType: Object.fromEntries(zoneTypes.map((type, at) => [type, count(zoneTypeCounts + at)])),
  }
}
