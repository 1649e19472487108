import { ApiError } from '../../errors.ts'
import { defaultFields } from '../../rating/aggregate.ts'
import { parseCustomFields } from '../../rating/custom-fields.ts'
import { parseFilters } from '../../rating/filters.ts'
import { parseGroupby } from '../../rating/groupby.ts'
import { requestedPeriod } from '../../rating/period.ts'
import {
  type Summary,
  type SummaryQuery,
  summarize,
  summaryObjects,
  summaryTable,
} from '../../rating/summary.ts'
import type { RequestContext, Route } from '../route.ts'
import { askedPeriod, paging, requireKnown, single } from './parameters.ts'
import { nowSeconds, type RatingServices, visible } from './services.ts'

const parameterNames = [
  'offset',
  'limit',
  'begin',
  'end',
  'groupby',
  'filters',
  'response_format',
  'custom_fields',
]

/** What was used and what it cost, added up. */
export function summaryRoutes(services: RatingServices): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/',
      rule: 'summary:get_summary',
      summary: 'Adds up usage and its price',
      async handler(context) {
        requireKnown(context.query, parameterNames)
        const view = viewNamed(single(context.query, 'response_format') ?? 'table')
        const query = summaryQuery(context, services)
        return { status: 200, body: view(await summarize(services.points, query)) }
      },
    },
  ]
}

function summaryQuery({ query, caller }: RequestContext, services: RatingServices): SummaryQuery {
  const customFields = single(query, 'custom_fields')
  const filters = parseFilters(query.getAll('filters'), { valuesPerKey: 'many' })
  return {
    ...paging(query),
    period: requestedPeriod(askedPeriod(query), nowSeconds(services.clock)),
    filters: visible(filters, caller),
    grouping: parseGroupby(query.getAll('groupby')),
    fields: customFields === undefined ? defaultFields : parseCustomFields(customFields),
    periodSeconds: services.periodSeconds,
  }
}

function viewNamed(format: string): (summary: Summary) => object {
  if (format === 'table') return summaryTable
  if (format === 'object') return summaryObjects
  throw new ApiError(
    'bad_request',
    `Invalid response format [${format}]. Valid format are [['table', 'object']].`,
  )
}
