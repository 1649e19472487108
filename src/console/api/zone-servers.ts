import type { Static } from 'typebox'
import type { zoneServersAnswer } from '../../api/dns/answers.ts'
import { call } from './client.ts'
import type { Zone } from './zones.ts'

/** The stored values of a record set, and the answers. */
export type ZoneServers = Static<typeof zoneServersAnswer>

/** The answer of a server, or the reason why it does not answer. */
export type ServerAnswer = ZoneServers['servers'][number]

export function askServers(
  { id }: Pick<Zone, 'id'>,
  query: { readonly name: string; readonly type: string },
): Promise<ZoneServers> {
  return call({ path: `/v2/zones/${id}/servers`, query })
}
