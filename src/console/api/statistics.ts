import type { Static } from 'typebox'
import type { zoneStatisticsAnswer } from '../../api/dns/answers.ts'
import { call } from './client.ts'
import type { Zone } from './zones.ts'

/** What was answered for a zone since a time. */
export type ZoneStatistics = Static<typeof zoneStatisticsAnswer>

export function getStatistics({ id }: Pick<Zone, 'id'>): Promise<ZoneStatistics> {
  return call({ path: `/v2/zones/${id}/statistics` })
}
