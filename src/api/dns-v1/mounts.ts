import { designateV1, v1 } from '../dialect.ts'
import type { Mount } from '../route-table.ts'
import { type DnsV1Options, type DnsV1Services, dnsV1Routes } from './routes.ts'

/** Collections whose paths the specification writes without a prefix. */
const unprefixed = ['/domains', '/servers']

/** The older group as the specification has it, under `/v1`, and its domains and servers without a prefix as well;
 *  and as Designate had it, under `/dns/v1`. */
export function dnsV1Mounts(services: DnsV1Services, options: DnsV1Options): readonly Mount[] {
  const routes = dnsV1Routes(services, { ...options, dialect: v1 })
  const below = (base: string): Mount => ({
    base,
    dialect: v1,
    hidesUnknown: true,
    routes: routes
      .filter(({ path }) => path === base || path.startsWith(`${base}/`))
      .map(route => ({ ...route, path: route.path.slice(base.length) || '/' })),
  })
  const literal = dnsV1Routes(services, { ...options, dialect: designateV1 })
  return [
    { base: '/v1', dialect: v1, routes, hidesUnknown: true },
    ...unprefixed.map(below),
    { base: '/dns/v1', dialect: designateV1, routes: literal, hidesUnknown: true },
  ]
}
