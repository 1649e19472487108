import { Type } from 'typebox'
import type { ServerAnswer, ZoneServers } from '../../service/targets/zone-servers.ts'
import { requireKnownKeysOnce } from '../paging.ts'
import { type Route, route } from '../route.ts'
import { zoneServersAnswer } from './answers.ts'

const parameters = { name: Type.String(), type: Type.String() }

/** What is stored beside what name servers answer. */
export function zoneServerRoutes(zoneServers: ZoneServers): readonly Route[] {
  return [
    route('GET /zones/:zone_id/servers', {
      rule: 'get_zone',
      summary: 'Asks the name servers of a zone what they answer, beside what is stored',
      answers: { 200: zoneServersAnswer },
      refusals: ['zone_not_found', 'forbidden', 'bad_request', 'too_many_requests'],
      query: parameters,
      async respond({ caller, id, query }) {
        requireKnownKeysOnce(query, Object.keys(parameters))
        const { name, type, stored, servers } = await zoneServers.ask(caller, id('zone_id'), {
          name: query.get('name')?.toLowerCase(),
          type: (query.get('type') ?? 'SOA').toUpperCase(),
        })
        return {
          name,
          type,
          stored: stored === undefined ? null : { ttl: stored.ttlSeconds, records: stored.records },
          servers: servers.map(serverView),
        }
      },
    }),
  ]
}

function serverView({ host, address, isSame, answer }: ServerAnswer): object {
  const place = { host, address, is_same: isSame }
  if ('reason' in answer) {
    const nothing = { rcode: null, authoritative: null, ttl: null, records: [] }
    return { ...place, ...nothing, error: answer.reason }
  }
  const { rcode, isAuthoritative, ttlSeconds, records } = answer
  return { ...place, rcode, authoritative: isAuthoritative, ttl: ttlSeconds, records, error: null }
}
