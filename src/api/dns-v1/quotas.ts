import { isAllowed } from '../../identity/policy.ts'
import type { Quotas } from '../../service/rules/quotas.ts'
import type { Dialect } from '../dialect.ts'
import { quotaForm } from '../dns/quota-form.ts'
import { type Route, route } from '../route.ts'
import { emptiedRoute } from './emptied.ts'

const names = {
  zones: 'domains',
  zoneRecordsets: 'domain_recordsets',
  zoneRecords: 'domain_records',
  recordsetRecords: 'recordset_records',
}
const fourQuotas = quotaForm('QuotasV1', names)
const designateQuotas = quotaForm('DesignateQuotasV1', {
  ...names,
  apiExportSize: 'api_export_size',
})

/** Quotas of projects. An administrator need not request all projects to see one: this group never required it. */
export function quotaRoutes(quotas: Quotas, dialect: Dialect): readonly Route[] {
  const path = '/quotas/:tenant_id'
  const form = dialect.hasExportQuota ? designateQuotas : fourQuotas
  const { bodySchema, answer, changesFromBody, view } = form
  return [
    route(`GET ${path}`, {
      rule: 'get_quotas',
      summary: 'Shows the quotas of a project',
      answers: { 200: answer },
      refusals: ['not_found'],
      respond({ caller, parameters: { tenant_id: projectId = '' } }) {
        const hasAllProjects = caller.hasAllProjects || isAllowed(caller, 'all_tenants')
        const values = quotas.get({ ...caller, hasAllProjects }, projectId)
        return view(values)
      },
    }),
    // Both methods have always done the same.
    ...(['PUT', 'POST'] as const).map(method =>
      route(`${method} ${path}`, {
        rule: 'set_quota',
        summary: 'Changes the quotas of a project',
        answers: { 200: answer },
        bodySchema,
        async respond({ body, parameters: { tenant_id: projectId = '' } }) {
          const values = await quotas.set(projectId, changesFromBody(body))
          return view(values)
        },
      }),
    ),
    emptiedRoute(`DELETE ${path}`, {
      rule: 'reset_quotas',
      summary: 'Gives a project the default quotas again',
      run: ({ parameters: { tenant_id: projectId = '' } }) => quotas.reset(projectId),
    }),
  ]
}
