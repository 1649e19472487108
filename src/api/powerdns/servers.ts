import { ApiError } from '../../errors.ts'
import { listOf, text } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { flushAnswer, serverAnswer, statisticsAnswer } from './answers.ts'
import { serverPath } from './zones.view.ts'

/** What is shown of the one server. */
export type ServerFacts = {
  readonly version: string
  /** Numbers by name, as PowerDNS calls them. */
  readonly statistics: () => Readonly<Record<string, number>>
}

/** The one server, which PowerDNS calls localhost, and how it is. */
export function serverRoutes({ version, statistics }: ServerFacts): readonly Route[] {
  const server = {
    type: 'Server',
    id: 'localhost',
    daemon_type: 'authoritative',
    // Clients choose by it what they send: this is the newest whose requests are understood.
    version: '4.9.0',
    zonewright: version,
    url: `/api/v1${serverPath}`,
    config_url: `/api/v1${serverPath}/config{/config_setting}`,
    zones_url: `/api/v1${serverPath}/zones{/zone}`,
  }
  return [
    route('GET /servers', {
      rule: 'find_zones',
      summary: 'Lists servers: one',
      answers: { 200: listOf(serverAnswer) },
      respond: () => [server],
    }),
    route(`GET ${serverPath}`, {
      rule: 'find_zones',
      summary: 'Shows the server',
      answers: { 200: serverAnswer },
      respond: () => server,
    }),
    route(`GET ${serverPath}/statistics`, {
      rule: 'find_service_statuses',
      summary: 'Shows what is counted',
      answers: { 200: statisticsAnswer },
      query: { statistic: text('uptime') },
      refusals: ['bad_request'],
      respond({ query }) {
        const items = Object.entries(statistics()).map(([name, value]) => {
          return { type: 'StatisticItem', name, value: String(value) }
        })
        const asked = query.get('statistic')
        const found = asked ? items.filter(({ name }) => name === asked) : items
        if (found.length === 0) throw new ApiError('bad_request', 'Unknown statistic name')
        return found
      },
    }),
    route(`PUT ${serverPath}/cache/flush`, {
      rule: 'find_zones',
      summary: 'Does nothing: there is no cache',
      answers: { 200: flushAnswer },
      respond: () => ({ count: 0, result: 'Flushed cache.' }),
    }),
  ]
}
