import { type Static, Type } from 'typebox'
import { isAllowed } from '../../identity/policy.ts'
import type { Changes } from '../../model/changes.ts'
import type { QuotaValues } from '../../model/quota.ts'
import type { Quotas } from '../../service/rules/quotas.ts'
import type { Dialect } from '../dialect.ts'
import { quotaField } from '../dns/quotas.schema.ts'
import { type Route, route } from '../route.ts'
import { quotasAnswer } from './answers.ts'
import { emptiedRoute } from './emptied.ts'

/** Body of `PUT /quotas/<project id>`: what is left out stays. */
const quotaPutSchema = Type.Partial(
  Type.Object({
    domains: quotaField,
    domain_recordsets: quotaField,
    domain_records: quotaField,
    recordset_records: quotaField,
    api_export_size: quotaField,
  }),
  { title: 'quota', examples: [{ domains: 100 }], additionalProperties: false },
)

/** The same where the quota of exports is not known. */
const fourQuotasPutSchema = Type.Omit(quotaPutSchema, ['api_export_size'], {
  title: 'quota',
  examples: [{ domains: 100 }],
  additionalProperties: false,
})

/** Quotas of projects. An administrator need not request all projects to see one: this group never required it. */
export function quotaRoutes(quotas: Quotas, dialect: Dialect): readonly Route[] {
  const path = '/quotas/:tenant_id'
  const bodySchema = dialect.hasExportQuota ? quotaPutSchema : fourQuotasPutSchema
  return [
    route(`GET ${path}`, {
      rule: 'get_quotas',
      summary: 'Shows the quotas of a project',
      answers: { 200: quotasAnswer },
      refusals: ['not_found'],
      respond({ caller, parameters: { tenant_id: projectId = '' } }) {
        const hasAllProjects = caller.hasAllProjects || isAllowed(caller, 'all_tenants')
        const values = quotas.get({ ...caller, hasAllProjects }, projectId)
        return quotaView(values, dialect)
      },
    }),
    // Both methods have always done the same.
    ...(['PUT', 'POST'] as const).map(method =>
      route(`${method} ${path}`, {
        rule: 'set_quota',
        summary: 'Changes the quotas of a project',
        answers: { 200: quotasAnswer },
        bodySchema,
        async respond({ body, parameters: { tenant_id: projectId = '' } }) {
          const values = await quotas.set(projectId, changesFromBody(body))
          return quotaView(values, dialect)
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

function quotaView(values: QuotaValues, { hasExportQuota }: Dialect): object {
  return {
    domains: values.zones,
    domain_recordsets: values.zoneRecordsets,
    domain_records: values.zoneRecords,
    recordset_records: values.recordsetRecords,
    ...(hasExportQuota && { api_export_size: values.apiExportSize }),
  }
}

function changesFromBody(body: Static<typeof quotaPutSchema>): Changes<QuotaValues> {
  return {
    zones: body.domains,
    zoneRecordsets: body.domain_recordsets,
    zoneRecords: body.domain_records,
    recordsetRecords: body.recordset_records,
    apiExportSize: body.api_export_size,
  }
}
