import { defaultTtlSeconds } from '../../model/limits.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import { withFinalDot } from '../../model/zone-name.ts'
import { TimeSlice } from '../../time-slice.ts'
import type { RequestContext } from '../route.ts'
import type { Services } from '../services.ts'

/** Where the one server's resources are, below the mount. */
export const serverPath = '/servers/localhost'

/** The zone of a path, where it stands by its name; `=2F` is a slash.
 *  @throws ApiError zone_not_found */
export function zoneIn(
  { zones }: Pick<Services, 'zones'>,
  { caller, parameters }: Pick<RequestContext, 'caller' | 'parameters'>,
): Zone {
  const name = withFinalDot((parameters.zone_id ?? '').replaceAll(/=2F/gi, '/'))
  return zones.get(caller, zones.idOf(caller, name))
}

// Names are shown in lower case: clients look for them in what they are shown.

/** A zone without its RRsets. Its id is its name, with `=2F` for a slash. */
export function zoneView(zone: Zone): object {
  const checkedAt = zone.transfer?.refreshedAt ?? 0
  const name = zone.name.toLowerCase()
  const id = name.replaceAll('/', '=2F')
  return {
    account: '',
    api_rectify: false,
    catalog: '',
    dnssec: zone.dnssec !== undefined,
    edited_serial: zone.serial,
    id,
    kind: zone.type === 'SECONDARY' ? 'Slave' : 'Master',
    last_check: Math.floor(checkedAt / 1e6),
    master_tsig_key_ids: [],
    masters: zone.masters.map(master => master.replace(/^\[(.*)\]$/, '$1')),
    name,
    notified_serial: zone.serial,
    nsec3narrow: false,
    nsec3param: '',
    serial: zone.serial,
    slave_tsig_key_ids: [],
    soa_edit: '',
    soa_edit_api: 'DEFAULT',
    url: `/api/v1${serverPath}/zones/${id}`,
  }
}

export function ttlOf({ ttlSeconds }: Recordset, zone: Zone): number {
  return ttlSeconds ?? zone.ttlSeconds ?? defaultTtlSeconds
}

function rrsetView(recordset: Recordset, zone: Zone): object {
  const { name, type, description, records, createdAt, updatedAt } = recordset
  const modifiedAt = Math.floor((updatedAt ?? createdAt) / 1e6)
  return {
    comments:
      description === null ? [] : [{ content: description, account: '', modified_at: modifiedAt }],
    name: name.toLowerCase(),
    records: records.map(content => ({ content, disabled: false })),
    ttl: ttlOf(recordset, zone),
    type,
  }
}

/** A zone with its RRsets, piece by piece: there may be a million. */
export async function* zoneWithRrsets(
  zone: Zone,
  pages: Iterable<readonly Recordset[]>,
): AsyncGenerator<string> {
  const slice = new TimeSlice()
  yield `${JSON.stringify(zoneView(zone)).slice(0, -1)},"rrsets":[`
  let separator = ''
  for (const page of pages) {
    const views = page.map(recordset => JSON.stringify(rrsetView(recordset, zone)))
    if (views.length > 0) {
      yield separator + views.join(',')
      separator = ','
    }
    if (slice.isSpent) await slice.yield()
  }
  yield ']}'
}
