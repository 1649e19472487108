import type { QuotaValues } from '../../model/quota.ts'
import type { Quotas } from '../../service/rules/quotas.ts'
import { maxLimit } from '../paging.ts'
import { type Route, route } from '../route.ts'
import { limitsAnswer } from './answers.ts'
import { allQuotas } from './quota-form.ts'

/** How much projects may have. */
export function quotaRoutes(quotas: Quotas): readonly Route[] {
  return [
    route('GET /quotas', {
      rule: 'get_quotas',
      summary: 'Shows the quotas of the own project',
      answers: { 200: allQuotas.answer },
      respond: ({ caller }) => allQuotas.view(quotas.get(caller, caller.projectId)),
    }),
    route('GET /quotas/:project_id', {
      rule: 'get_quotas',
      summary: 'Shows the quotas of a project',
      answers: { 200: allQuotas.answer },
      refusals: ['forbidden'],
      respond: ({ caller, parameters }) =>
        allQuotas.view(quotas.get(caller, parameters.project_id ?? '')),
    }),
    route('PATCH /quotas/:project_id', {
      rule: 'set_quota',
      summary: 'Changes the quotas of a project',
      answers: { 200: allQuotas.answer },
      refusals: ['invalid_project'],
      bodySchema: allQuotas.bodySchema,
      async respond({ body, parameters }) {
        const changes = allQuotas.changesFromBody(body)
        return allQuotas.view(await quotas.set(parameters.project_id ?? '', changes))
      },
    }),
    quotaResetRoute(quotas),
    route('GET /limits', {
      rule: 'get_limits',
      summary: 'Shows what bounds the requests of the own project',
      answers: { 200: limitsAnswer },
      respond({ caller }) {
        const values = quotas.get(caller, caller.projectId)
        return limitsView(values, quotas.minTtlSeconds)
      },
    }),
  ]
}

/** The same route in every group that has quotas: it has no body to differ in. */
export function quotaResetRoute(quotas: Quotas): Route {
  return route('DELETE /quotas/:project_id', {
    rule: 'reset_quotas',
    summary: 'Gives a project the default quotas again',
    answers: { 204: null },
    respond: ({ parameters }) => quotas.reset(parameters.project_id ?? ''),
  })
}

/** The most characters of a name; a name of more than 255 octets on the wire is refused too. */
const maxNameLength = 255

function limitsView(values: QuotaValues, minTtlSeconds: number): object {
  return {
    max_zones: values.zones,
    max_zone_recordsets: values.zoneRecordsets,
    max_zone_records: values.zoneRecords,
    max_recordset_records: values.recordsetRecords,
    min_ttl: minTtlSeconds,
    max_zone_name_length: maxNameLength,
    max_recordset_name_length: maxNameLength,
    max_page_limit: maxLimit,
  }
}
