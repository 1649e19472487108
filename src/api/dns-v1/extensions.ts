import { ApiError } from '../../errors.ts'
import type { Diagnostics, Echo } from '../../service/operations/diagnostics.ts'
import type { CountName, Reports } from '../../service/operations/reports.ts'
import type { Records } from '../../service/recordsets/records.ts'
import type { ZoneSync } from '../../service/targets/zone-sync.ts'
import type { Zones } from '../../service/zones/zones.ts'
import type { Dialect } from '../dialect.ts'
import { type Method, type Route, route } from '../route.ts'
import type { Services } from '../services.ts'
import { countsAnswer, pingAnswer, tenantAnswer, tenantsAnswer } from './answers.ts'
import { emptiedRoute } from './emptied.ts'
import { idParameter } from './id-parameter.ts'
import { quotaRoutes } from './quotas.ts'

/** What is counted, by the name it has in answers. */
const countByName = {
  tenants: 'tenants',
  domains: 'zones',
  records: 'records',
} as const satisfies Record<string, CountName>

/** Parts of the older group that an operator may turn off. */
export type ExtensionName = 'quotas' | 'touch' | 'sync' | 'reports' | 'diagnostics'

/** The routes of all extensions; those that are off answer as if they did not exist. */
export function extensionRoutes(
  services: Services,
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

/** A new serial without a change. */
function touchRoutes(zones: Zones): readonly Route[] {
  return [
    emptiedRoute('POST /domains/:domain_id/touch', {
      rule: 'touch_zone',
      summary: 'Gives a domain the next serial',
      refusals: ['zone_not_found', 'not_found'],
      run: context => zones.touch(context.caller, idParameter(context, 'domain_id')),
    }),
  ]
}

/** Having the servers of the pools take what is stored once more. */
function syncRoutes(sync: ZoneSync, records: Records): readonly Route[] {
  return [
    emptiedRoute('POST /domains/sync', {
      rule: 'diagnostics_sync_zones',
      summary: 'Has all domains served as they are stored',
      refusals: ['not_found'],
      run: () => sync.syncAll(),
    }),
    emptiedRoute('POST /domains/:domain_id/sync', {
      rule: 'diagnostics_sync_zone',
      summary: 'Has a domain served as it is stored',
      refusals: ['zone_not_found'],
      run: context => sync.syncZone(context.caller, idParameter(context, 'domain_id')),
    }),
    emptiedRoute('POST /domains/:domain_id/records/:record_id/sync', {
      rule: 'diagnostics_sync_record',
      summary: 'Has the recordset of a record served as it is stored',
      refusals: ['zone_not_found', 'record_not_found'],
      run(context) {
        const { caller } = context
        const zoneId = idParameter(context, 'domain_id')
        const { recordset } = records.get(caller, { zoneId, id: idParameter(context, 'record_id') })
        sync.syncRecordset(caller, { zoneId, id: recordset.id })
      },
    }),
  ]
}

/** Whether the parts of this server do their work. */
function diagnosticRoutes(diagnostics: Diagnostics): readonly Route[] {
  return [
    route('GET /diagnostics/ping/:topic/:host', {
      rule: 'diagnostics_ping',
      summary: 'Has a part of the server answer',
      answers: { 200: pingAnswer },
      refusals: ['not_found'],
      async respond({ parameters: { topic = '', host = '' } }) {
        const pong = await diagnostics.ping(topic, host)
        return {
          host: pong.host,
          status: pong.isWell,
          backend: echoView(pong.backend),
          storage: echoView(pong.storage),
          ...messageOf(pong),
        }
      },
    }),
  ]
}

/** The time as text of seconds, as it always was. */
function echoView(echo: Echo): object {
  return { status: echo.problem === undefined, rtt: echo.seconds.toFixed(6), ...messageOf(echo) }
}

function messageOf({ problem }: { readonly problem: string | undefined }): object {
  return problem === undefined ? {} : { message: problem }
}

/** What there is over all projects. */
function reportRoutes(reports: Reports): readonly Route[] {
  return [
    route('GET /reports/tenants', {
      rule: 'find_tenants',
      summary: 'Lists the projects that have domains',
      answers: { 200: tenantsAnswer },
      refusals: ['not_found'],
      respond() {
        const tenants = reports
          .tenants()
          .map(({ id, zoneCount }) => ({ id, domain_count: zoneCount }))
        return { tenants }
      },
    }),
    route('GET /reports/tenants/:tenant_id', {
      rule: 'get_tenant',
      summary: 'Shows the domains of a project',
      answers: { 200: tenantAnswer },
      respond({ parameters: { tenant_id: projectId = '' } }) {
        const { id, zoneCount, zoneNames } = reports.tenant(projectId)
        return { id, domain_count: zoneCount, domains: zoneNames }
      },
    }),
    route('GET /reports/counts', {
      rule: 'count_tenants',
      summary: 'Counts projects with domains, domains and records',
      answers: { 200: countsAnswer },
      respond() {
        const counts = Object.entries(countByName).map(([name, count]) => [
          name,
          reports.count(count),
        ])
        return Object.fromEntries(counts)
      },
    }),
    ...Object.entries(countByName).map(([name, count]) =>
      route(`GET /reports/counts/${name}`, {
        rule: 'count_tenants',
        summary: `Counts ${name}`,
        answers: { 200: countsAnswer },
        respond: () => ({ [name]: reports.count(count) }),
      }),
    ),
  ]
}
