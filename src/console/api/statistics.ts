import { call } from './client.ts'
import type { Zone } from './zones.ts'

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>

/** What was answered for a zone since a time. */
export type ZoneStatistics = {
  readonly since: string
  readonly responses: number
  readonly response_octets: number
  readonly by_transport: Counts
  readonly by_rcode: Counts
  readonly by_type: Counts
}

export function getStatistics({ id }: Pick<Zone, 'id'>): Promise<ZoneStatistics> {
  return call({ path: `/v2/zones/${id}/statistics` })
}
