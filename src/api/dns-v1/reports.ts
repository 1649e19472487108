import type { CountName, Reports } from '../../service/operations/reports.ts'
import { type Route, route } from '../route.ts'
import { countsAnswer, tenantAnswer, tenantsAnswer } from './answers.ts'

/** What is counted, by the name it has in answers. */
const countByName = {
  tenants: 'tenants',
  domains: 'zones',
  records: 'records',
} as const satisfies Record<string, CountName>

/** What there is over all projects. */
export function reportRoutes(reports: Reports): readonly Route[] {
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
