import { ClientError } from './client-error.ts'
import type { JsonObject, Session } from './session.ts'

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/** The path of a zone that the user has given by its id, or by its name with or without the final dot. */
export function zonePath(zone: string): string {
  const named = uuid.test(zone) || zone.endsWith('.') ? zone : `${zone}.`
  return `/v2/zones/${encodeURIComponent(named)}`
}

export async function zoneOf(session: Session, zone: string): Promise<JsonObject> {
  return session.get(zonePath(zone))
}

/** The id of a deleted zone that the user has given by its id or its name; of several with that name, the last one.
 *  @throws ClientError there is none */
export async function deletedZoneId(session: Session, zone: string): Promise<string> {
  if (uuid.test(zone)) return zone
  const name = zone.endsWith('.') ? zone : `${zone}.`
  const query = new URLSearchParams({ name, limit: '1000' })
  const [last] = await session.list(`/v2/deleted_zones?${query}`, 'deleted_zones')
  if (last === undefined)
    throw new ClientError(`no deleted zone ${name} can be restored: zone deleted lists them`)
  return String(last.id)
}

/** The absolute name of a recordset that the user has given as in a zone file: relative, `@`, or with a final dot. */
export function ownerName(name: string, zoneName: string): string {
  if (name === '@') return zoneName
  return name.endsWith('.') ? name : `${name}.${zoneName}`
}
