import { powerDns } from '../dialect.ts'
import { route } from '../route.ts'
import type { Mount } from '../route-table.ts'
import type { Services } from '../services.ts'
import { versionsAnswer } from './answers.ts'
import { searchRoute } from './search.ts'
import { type ServerFacts, serverRoutes } from './servers.ts'
import { tsigKeyRoutes } from './tsig-keys.ts'
import { zoneRoutes } from './zones.ts'

/** PowerDNS's HTTP API over the same services, for programs that were written for it. */
export function powerDnsMounts(services: Services, facts: ServerFacts): readonly Mount[] {
  const discovery = route('GET /', {
    access: 'public',
    summary: 'Lists versions',
    answers: { 200: versionsAnswer },
    respond: () => [{ url: '/api/v1', version: 1 }],
  })
  const routes = [
    ...serverRoutes(facts),
    ...zoneRoutes(services),
    searchRoute(services),
    ...tsigKeyRoutes(services.defaultPoolKeys),
  ]
  return [
    { base: '/api', dialect: powerDns, routes: [discovery] },
    {
      base: '/api/v1',
      dialect: powerDns,
      hidesUnknown: true,
      // PowerDNS does not look at the type, and libcloud and the curl of its examples send none or another.
      routes: routes.map(each => ({ ...each, takesAnyMediaType: true })),
    },
  ]
}
