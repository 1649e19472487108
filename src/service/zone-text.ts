import { parseName } from '../dns/name.ts'
import { ApiError } from '../errors.ts'
import { defaultTtlSeconds } from '../model/limits.ts'
import type { Recordset } from '../model/recordset.ts'
import { rrsetOf } from '../model/recordset-rrset.ts'
import type { Zone } from '../model/zone.ts'
import type { StoreReader } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import type { OwnedRrset } from '../zone/rrset.ts'
import { printZoneFile } from '../zone/zone-file/print.ts'
import { rowPages } from './row-pages.ts'

/** Characters that make a piece worth sending. */
const pieceLength = 64 * 1024

/** How often the zone may change under the reading of its rows before others have to wait for that. */
const maxTries = 8

type Snapshot = { readonly zone: Zone; readonly recordsets: readonly Recordset[] }

/** Reads a zone of one moment and gives its zone file piece by piece, in slices.
 *  @throws ApiError zone_not_found */
export async function zoneText(
  reader: StoreReader,
  zoneId: string,
): Promise<AsyncIterable<string>> {
  return printed(await snapshotOf(reader, zoneId))
}

/** Rows are immutable, so all that takes its time is to walk over them. Every change of a zone's data changes its
 *  row; where that happens on the way, the walk starts again. */
async function snapshotOf(reader: StoreReader, zoneId: string): Promise<Snapshot> {
  const slice = new TimeSlice()
  for (let triesLeft = maxTries; ; triesLeft -= 1) {
    const zone = reader.get('zones', zoneId)
    if (zone === undefined) throw new ApiError('zone_not_found', 'Could not find Zone')
    const recordsets: Recordset[] = []
    for (const page of rowPages(reader, 'recordsets', { index: 'byZone', key: zoneId })) {
      recordsets.push(...page)
      if (triesLeft > 0 && slice.isSpent) await slice.rest()
    }
    if (reader.get('zones', zoneId) === zone) return { zone, recordsets }
  }
}

async function* printed({ zone, recordsets }: Snapshot): AsyncGenerator<string> {
  const lines = printZoneFile(parseName(zone.name), {
    defaultTtlSeconds: zone.ttlSeconds ?? defaultTtlSeconds,
    rrsets: rrsetsOf(zone, recordsets),
  })
  const slice = new TimeSlice()
  let piece = ''
  for (const line of lines) {
    piece += line
    if (piece.length >= pieceLength) {
      yield piece
      piece = ''
    }
    if (slice.isSpent) await slice.rest()
  }
  yield piece
}

/** The SOA first, as readers of zone files expect it (RFC 1035 section 5.2); all else by creation. */
function* rrsetsOf(zone: Zone, recordsets: readonly Recordset[]): Generator<OwnedRrset> {
  const soa = recordsets.find(({ type }) => type === 'SOA')
  const others = recordsets.filter(recordset => recordset !== soa)
  for (const recordset of soa === undefined ? others : [soa, ...others]) {
    const { rrset } = rrsetOf(recordset, zone)
    if (rrset !== undefined) yield rrset
  }
}
