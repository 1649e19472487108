import type { Quotas } from '../../service/rules/quotas.ts'
import { allQuotas } from '../dns/quota-form.ts'
import { quotaResetRoute } from '../dns/quotas.ts'
import { requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { quotaAnswer } from './answers.ts'

/** Body of `PATCH /admin/quotas/<project id>`. */
const wrappedQuotaSchema = requestBody(
  'quota',
  { quota: allQuotas.bodySchema },
  { quota: { zones: 100 } },
)

/** The quotas of any project, without a header that asks for all of them. */
export function adminQuotaRoutes(quotas: Quotas): readonly Route[] {
  return [
    route('GET /quotas/:project_id', {
      rule: 'all_tenants',
      summary: 'Shows the quotas of a project',
      answers: { 200: quotaAnswer },
      respond({ caller, parameters }) {
        const values = quotas.get({ ...caller, hasAllProjects: true }, parameters.project_id ?? '')
        return { quota: allQuotas.view(values) }
      },
    }),
    route('PATCH /quotas/:project_id', {
      rule: 'set_quota',
      summary: 'Changes the quotas of a project',
      answers: { 200: quotaAnswer },
      refusals: ['invalid_project'],
      bodySchema: wrappedQuotaSchema,
      async respond({ body, parameters }) {
        const changes = allQuotas.changesFromBody(body.quota)
        const values = await quotas.set(parameters.project_id ?? '', changes)
        return { quota: allQuotas.view(values) }
      },
    }),
    quotaResetRoute(quotas),
  ]
}
