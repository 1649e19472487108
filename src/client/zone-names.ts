import { domainToASCII } from 'node:url'
import { ClientError } from './client-error.ts'
import type { JsonObject, Session } from './session.ts'

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i

/** A label of letters, digits, `_` and `-` with at least one that is not ASCII. */
const otherScripts = /(?<![^.])(?=[^.]*[^\0-\x7f])[\p{L}\p{M}\p{N}_-]+(?![^.])/gu

/** A name in ASCII: labels of other scripts as DNS has them (IDNA: `bücher` is `xn--bcher-kva`). A label that has no such form
 *  stays, for the server to say what is wrong with it. */
export function asciiName(name: string): string {
  return name.replaceAll(otherScripts, label => domainToASCII(label) || label)
}

/** The full name of a zone that the user has given with or without the final dot. */
export function absoluteName(zone: string): string {
  return asciiName(zone.endsWith('.') ? zone : `${zone}.`)
}

/** The path of a zone that the user has given by its id, or by its name with or without the final dot. */
export function zonePath(zone: string): string {
  return `/v2/zones/${encodeURIComponent(uuid.test(zone) ? zone : absoluteName(zone))}`
}

export async function zoneOf(session: Session, zone: string): Promise<JsonObject> {
  return session.get(zonePath(zone))
}

/** The id of a deleted zone that the user has given by its id or its name; of several with that name, the last one.
 *  @throws ClientError there is none */
export async function deletedZoneId(session: Session, zone: string): Promise<string> {
  if (uuid.test(zone)) return zone
  const name = absoluteName(zone)
  const query = new URLSearchParams({ name, limit: '1000' })
  const [last] = await session.list(`/v2/deleted_zones?${query}`, 'deleted_zones')
  if (last === undefined)
    throw new ClientError(`no deleted zone ${name} can be restored: zone deleted lists them`)
  return String(last.id)
}

/** The absolute name of a recordset that the user has given as in a zone file: relative, `@`, or with a final dot. */
export function ownerName(name: string, zoneName: string): string {
  if (name === '@') return zoneName
  return asciiName(name.endsWith('.') ? name : `${name}.${zoneName}`)
}
