import { ApiError } from '../errors.ts'
import { isEqualSecret } from '../identity/secrets.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { plain } from './dialect.ts'
import { text } from './openapi/fields.ts'
import type { Reply, Route } from './route.ts'
import type { Mount } from './route-table.ts'

const common = {
  method: 'GET',
  path: '/metrics',
  produces: 'text/plain',
  summary: 'Shows what is measured, as Prometheus reads it',
  answers: { 200: text('# HELP …') },
} as const

/** The metrics for administrators, with the usual login. */
export function metricsRoute(metrics: Metrics): Route {
  return { ...common, rule: 'get_metrics', handler: () => scrape(metrics) }
}

/** The metrics on a separate address: for all clients that reach it, or for those that have the token. */
export function metricsMount(metrics: Metrics, token: string | undefined): Mount {
  const route: Route = {
    ...common,
    access: 'public',
    async handler({ header }) {
      if (token !== undefined) requireToken(header('authorization'), token)
      return scrape(metrics)
    },
  }
  return { base: '', dialect: plain, routes: [route] }
}

/** @throws ApiError unauthorized */
function requireToken(authorization: string | undefined, token: string): void {
  const given = /^Bearer +(?<token>\S+)$/i.exec(authorization ?? '')?.groups?.token
  if (given === undefined || !isEqualSecret(given, token))
    throw new ApiError('unauthorized', 'The metrics need the token of ZONEWRIGHT_METRICS_TOKEN')
}

async function scrape(metrics: Metrics): Promise<Reply> {
  const text = await metrics.text()
  return { status: 200, text, headers: { 'content-type': metrics.contentType } }
}
