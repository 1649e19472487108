import { requireFound } from '../../errors.ts'
import type { CountName, Reports, Tenant } from '../../service/operations/reports.ts'
import { type PublicContext, type Route, route } from '../route.ts'
import { countsAnswer, tenantAnswer, tenantsAnswer } from './answers.ts'

/** Counts by the names that clients use, and those that are returned together. */
const countByName: Readonly<Record<string, CountName>> = {
  zones: 'zones',
  records: 'records',
  tenants: 'tenants',
  zones_delayed_notify: 'zonesDelayedNotify',
}
const countedTogether = ['zones', 'records', 'tenants'] as const

/** What there is over all projects. */
export function reportRoutes(reports: Reports): readonly Route[] {
  return [
    route('GET /reports/counts', {
      rule: 'count_tenants',
      summary: 'Counts zones, records and projects with zones',
      answers: { 200: countsAnswer },
      respond() {
        const counts = countedTogether.map(name => [name, reports.count(name)])
        return { counts: [Object.fromEntries(counts)] }
      },
    }),
    route('GET /reports/counts/:report', {
      rule: 'count_tenants',
      summary: 'Counts one thing',
      answers: { 200: countsAnswer },
      refusals: ['report_not_found'],
      respond({ parameters: { report = '' } }) {
        const name = Object.hasOwn(countByName, report) ? countByName[report] : undefined
        return { counts: [{ [report]: reports.count(requireFound(name, 'report_not_found')) }] }
      },
    }),
    route('GET /reports/tenants', {
      rule: 'find_tenants',
      summary: 'Lists the projects that have zones',
      answers: { 200: tenantsAnswer },
      respond(context) {
        const tenants = reports.tenants()
        const url = context.baseUrl + context.path
        return {
          tenants: tenants.map(tenant => ({
            id: tenant.id,
            zone_count: tenant.zoneCount,
            links: tenantLinks(tenant, context),
          })),
          links: { self: url },
          metadata: { total_count: tenants.length },
        }
      },
    }),
    route('GET /reports/tenants/:project_id', {
      rule: 'get_tenant',
      summary: 'Shows the zones of a project',
      answers: { 200: tenantAnswer },
      respond(context) {
        const tenant = reports.tenant(context.parameters.project_id ?? '')
        return {
          id: tenant.id,
          zones_count: tenant.zoneCount,
          zones: tenant.zoneNames,
          links: tenantLinks(tenant, context),
        }
      },
    }),
  ]
}

function tenantLinks({ id }: Tenant, { baseUrl }: PublicContext): object {
  return { self: `${baseUrl}/reports/tenants/${encodeURIComponent(id)}` }
}
