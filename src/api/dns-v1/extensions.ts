import { ApiError } from '../../errors.ts'
import type { Diagnostics } from '../../service/operations/diagnostics.ts'
import type { Reports } from '../../service/operations/reports.ts'
import type { Records } from '../../service/recordsets/records.ts'
import type { Quotas } from '../../service/rules/quotas.ts'
import type { ZoneSync } from '../../service/targets/zone-sync.ts'
import type { Zones } from '../../service/zones/zones.ts'
import type { Dialect } from '../dialect.ts'
import type { Method, Route } from '../route.ts'
import { diagnosticRoutes } from './diagnostics.ts'
import { quotaRoutes } from './quotas.ts'
import { reportRoutes } from './reports.ts'
import { syncRoutes } from './sync.ts'
import { touchRoutes } from './touch.ts'

/** Parts of the older group that an operator may turn off. */
export type ExtensionName = 'quotas' | 'touch' | 'sync' | 'reports' | 'diagnostics'

export type ExtensionServices = {
  readonly zones: Zones
  readonly records: Records
  readonly quotas: Quotas
  readonly zoneSync: ZoneSync
  readonly reports: Reports
  readonly diagnostics: Diagnostics
}

/** The routes of all extensions; those that are off answer as if they did not exist. */
export function extensionRoutes(
  services: ExtensionServices,
  {
    extensions: enabled,
    dialect,
  }: { readonly extensions: readonly ExtensionName[]; readonly dialect: Dialect },
): readonly Route[] {
  const routesByName: Record<ExtensionName, readonly Route[]> = {
    quotas: quotaRoutes(services.quotas, dialect),
    touch: touchRoutes(services.zones),
    sync: syncRoutes(services.zoneSync, services.records),
    reports: reportRoutes(services.reports),
    diagnostics: diagnosticRoutes(services.diagnostics),
  }
  const names = Object.keys(routesByName) as ExtensionName[]
  return names.flatMap(name =>
    enabled.includes(name) ? routesByName[name] : unknownPaths(routesByName[name], name),
  )
}

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Answers every method with 404. Without a route, a path could match another one: `/domains/sync` would be a domain, or give
 *  405 to a POST. */
function unknownPaths(routes: readonly Route[], name: ExtensionName): readonly Route[] {
  const paths = [...new Set(routes.map(({ path }) => path))]
  return paths.flatMap(path =>
    methods.map(method => ({
      method,
      path,
      access: 'principal',
      summary: `Nothing while the extension ${name} is off`,
      answers: {},
      refusals: ['not_found'],
      handler: async () => {
        throw new ApiError('not_found', 'resource not found')
      },
    })),
  )
}
