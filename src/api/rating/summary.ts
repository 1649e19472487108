import { ApiError } from '../../errors.ts'
import type { Instant } from '../../model/rating.ts'
import { defaultFields, type SummaryField } from '../../rating/aggregate.ts'
import { isCalendarAttribute } from '../../rating/calendar.ts'
import { parseCustomFields } from '../../rating/custom-fields.ts'
import { scopeKey } from '../../rating/data-point.ts'
import type { Selection } from '../../rating/filters.ts'
import { ratedPart } from '../../rating/forecast.ts'
import { type Grouping, parseGroupby } from '../../rating/groupby.ts'
import { nowSeconds } from '../../rating/period.ts'
import {
  type AmountForm,
  objectsJson,
  octetsOf,
  type Summary,
  summarize,
  summaryCsv,
  tableJson,
} from '../../rating/summary.ts'
import {
  columnsOf,
  requireDistinctColumns,
  type SummaryOrder,
  type SummaryQuery,
} from '../../rating/summary-query.ts'
import { inTurns } from '../../time-slice.ts'
import { requireAcceptable } from '../middleware/accept.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { summaryAnswer } from './answers.ts'
import { isExactAskedFor, paging, refuseAt, requireKnown, single } from './parameters.ts'
import { newTurns, type RatingServices, selectionFor } from './services.ts'

const parameterNames = [
  'offset',
  'limit',
  'begin',
  'end',
  'groupby',
  'filters',
  'response_format',
  'custom_fields',
  'sort_key',
  'sort_dir',
]
const csvType = 'text/csv'

/** What was used and what it cost, added up. */
export function summaryRoutes(services: RatingServices): readonly Route[] {
  const turns = newTurns()
  return [
    route('GET /', {
      rule: 'summary:get_summary',
      summary: 'Adds up usage and its price',
      answers: { 200: summaryAnswer },
      refusals: ['bad_request'],
      produces: ['application/json', csvType],
      async handler(context) {
        const { write, mediaType, isWhole } = formatOf(context)
        const form = amountForm(context, services)
        const query = summaryQuery(context, services)
        const isUnlimited = isWhole && !context.query.has('limit')
        // Errors occur before the response begins.
        const summary = await turns.run(context.caller.projectId, () =>
          summarize(services.points, {
            ...query,
            limit: isUnlimited ? Number.POSITIVE_INFINITY : query.limit,
          }),
        )
        return {
          status: 200,
          headers: { 'content-type': mediaType },
          stream: () => inTurns(write(summary, form)),
          heldOctets: octetsOf(summary),
        }
      },
    }),
  ]
}

function summaryQuery(context: RequestContext, services: RatingServices): SummaryQuery {
  const { query } = context
  const customFields = single(query, 'custom_fields')
  const fields = customFields === undefined ? defaultFields : parseCustomFields(customFields)
  const grouping = parseGroupby(query.getAll('groupby'))
  const columns = columnsOf({ fields, grouping })
  requireDistinctColumns(columns)
  requireForecastable(fields, grouping)
  const selection = selectionFor(context, services, 'many')
  return {
    ...paging(query),
    ...selection,
    grouping,
    fields,
    ratedUntil: ratedUntil(services, selection),
    order: orderFrom(query, columns),
  }
}

/** The time up to which the period has been rated for the requested projects. */
function ratedUntil({ scopes, clock }: RatingServices, { period, filters }: Selection): Instant {
  const states = scopes.list({ scopeIds: filters.get(scopeKey) ?? [], scopeKeys: [scopeKey] })
  return ratedPart(states, { period, now: nowSeconds(clock) })
}

/** Parts of a period are over or still to come; they do not grow with the period. */
function requireForecastable(fields: readonly SummaryField[], grouping: Grouping): void {
  if (!fields.some(field => field.aggregate === 'forecast')) return
  if (grouping.byPeriod || grouping.names.some(isCalendarAttribute))
    throw new ApiError('bad_request', 'A forecast cannot be grouped by time.')
}

function orderFrom(query: URLSearchParams, columns: readonly string[]): SummaryOrder | undefined {
  const column = single(query, 'sort_key')
  const direction = single(query, 'sort_dir') ?? 'asc'
  if (direction !== 'asc' && direction !== 'desc') refuseAt(['sort_dir'], 'expected asc or desc')
  if (column === undefined) return undefined
  if (!columns.includes(column)) refuseAt(['sort_key'], `expected one of ${columns.join(', ')}`)
  return { column, isDescending: direction === 'desc' }
}

type Format = {
  readonly mediaType: string
  /** All rows are written by default: a file cannot show that there are more. */
  readonly isWhole?: true
  write(summary: Summary, form: AmountForm): Iterable<string>
}

const formats: Readonly<Record<string, Format>> = {
  table: { mediaType: 'application/json', write: tableJson },
  object: { mediaType: 'application/json', write: objectsJson },
  csv: { mediaType: `${csvType}; charset=utf-8`, isWhole: true, write: summaryCsv },
}

/** The format that the query names, since a link cannot say what it accepts; else the first that is accepted.
 *  @throws ApiError bad_request, unsupported_accept */
function formatOf({ query, dialect, header }: RequestContext): Format {
  const { hasBookkeeping: isPlain } = dialect
  requireKnown(query, isPlain ? [...parameterNames, 'format', 'exact'] : parameterNames)
  const mediaTypes = isPlain ? ['application/json', csvType] : ['application/json']
  const accepted = requireAcceptable(header('accept'), mediaTypes)
  const named = single(query, 'format') ?? single(query, 'response_format')
  const name = named ?? (accepted === csvType ? 'csv' : 'table')
  const known = Object.keys(formats).filter(each => isPlain || each !== 'csv')
  const format = known.includes(name) ? formats[name] : undefined
  if (format !== undefined) return format
  const names = known.map(each => `'${each}'`)
  throw new ApiError(
    'bad_request',
    `Invalid response format [${name}]. Valid format are [[${names.join(', ')}]].`,
  )
}

function amountForm({ query, dialect }: RequestContext, services: RatingServices): AmountForm {
  if (!dialect.hasBookkeeping) return 'float'
  return isExactAskedFor(query) ? 'exact' : { moneyPlaces: services.currencyPlaces }
}
