import { call } from './client.ts'
import type { Zone } from './zones.ts'

/** What a server answers; the reason where it does not. */
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

/** What is stored of a record set, and what is answered. */
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
