import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import type { Busiest } from '../../querylog/busiest.ts'
import { parseLimit, requireKnownKeysOnce } from '../paging.ts'
import { type Route, route } from '../route.ts'
import { formatTimestamp } from '../timestamps.ts'
import { topAnswer } from './answers.ts'

const topQuery = { seconds: Type.String(), limit: Type.String() }
const defaultSeconds = 60
const maxSeconds = 300
const defaultLimit = '10'

/** What is asked most at present. */
export function topRoutes(busiest: Busiest): readonly Route[] {
  return [
    route('GET /top', {
      rule: 'get_zone',
      summary: 'Shows the zones, names, clients and types that are asked most, of the last minutes',
      answers: { 200: topAnswer },
      refusals: ['invalid_limit', 'bad_request'],
      query: topQuery,
      respond({ caller, query }) {
        requireKnownKeysOnce(query, Object.keys(topQuery))
        const seconds = parseSeconds(query.get('seconds'))
        const limit = parseLimit(query.get('limit') ?? defaultLimit)
        const { sinceMillis, sampleCount, zones, ...others } = busiest.top(caller, {
          seconds,
          limit,
        })
        return {
          since: formatTimestamp(sinceMillis * 1000),
          samples: sampleCount,
          zones: zones.map(({ zone, queries }) => ({
            zone_id: zone.id,
            zone_name: zone.name,
            queries,
          })),
          ...others,
        }
      },
    }),
  ]
}

/** @throws ApiError bad_request */
function parseSeconds(given: string | null): number {
  if (given === null) return defaultSeconds
  const seconds = /^\d{1,3}$/.test(given) ? Number(given) : 0
  if (seconds >= 1 && seconds <= maxSeconds) return seconds
  throw new ApiError('bad_request', `seconds must be 1 to ${maxSeconds}, not ${given}`)
}
