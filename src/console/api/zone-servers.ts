import { call } from './client.ts'
import type { Zone } from './zones.ts'

/** The answer of a server, or the reason why it does not answer. */
export type ServerAnswer = {
  readonly host: string
  readonly address: string | null
  readonly is_same: boolean
  readonly rcode: string | null
  readonly authoritative: boolean | null
  readonly ttl: number | null
  readonly records: readonly string[]
  readonly error: string | null
}

/** The stored values of a record set, and the answers. */
export type ZoneServers = {
  readonly stored: { readonly ttl: number; readonly records: readonly string[] } | null
  readonly servers: readonly ServerAnswer[]
}

export function askServers(
  { id }: Pick<Zone, 'id'>,
  query: { readonly name: string; readonly type: string },
): Promise<ZoneServers> {
  return call({ path: `/v2/zones/${id}/servers`, query })
}
