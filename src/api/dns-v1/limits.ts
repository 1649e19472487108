import type { Quotas } from '../../service/rules/quotas.ts'
import { type Route, route } from '../route.ts'
import { limitsAnswer } from './answers.ts'

/** What bounds the requests of a project. */
export function limitRoutes(quotas: Quotas): readonly Route[] {
  return [
    route('GET /limits', {
      rule: 'get_limits',
      summary: 'Shows how many domains and records the own project may have',
      answers: { 200: limitsAnswer },
      respond({ caller }) {
        const { zones: maxDomains, zoneRecords: maxDomainRecords } = quotas.get(
          caller,
          caller.projectId,
        )
        return { limits: { absolute: { maxDomains, maxDomainRecords } } }
      },
    }),
  ]
}
