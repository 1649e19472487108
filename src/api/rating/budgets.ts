import type { Budget, BudgetDraft } from '../../model/budget.ts'
import type { BudgetState } from '../../rating/budgets/budgets.ts'
import { defaultThresholds, maxThreshold, maxThresholds } from '../../rating/budgets/thresholds.ts'
import {
  compare,
  type Decimal,
  formatDecimal,
  formatPlaces,
  getDecimal,
  parseDecimal,
  zero,
} from '../../rating/decimal.ts'
import { formatTimestamp } from '../../rating/timestamp.ts'
import { pageOf } from '../../service/listing/listing.ts'
import { type ListAttributes, listQuery, parseScanRequest } from '../dns/page-request.ts'
import { flag } from '../openapi/fields.ts'
import { pageLinksOf } from '../paging.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { budgetAnswer, budgetsAnswer } from './answers.ts'
import { anyBody, type Body, requireKeys } from './body.ts'
import { isExactAskedFor, refuseAt } from './parameters.ts'
import type { RatingServices } from './services.ts'

/** Characters of a project's id: as many as a scope's may have. */
const maxProjectIdLength = 256

type BudgetServices = Pick<RatingServices, 'budgets' | 'currencyPlaces'>

const bodySchema = anyBody('budget', { amount: '50.00', thresholds: [80, 100] })

/** What projects mean to spend in a month, and how they stand. */
export function budgetRoutes(services: BudgetServices): readonly Route[] {
  const { budgets } = services
  return [
    route('GET /', {
      rule: 'budgets:get',
      summary: 'Lists budgets',
      answers: { 200: budgetsAnswer },
      query: { ...listQuery(attributes), exact: flag },
      respond: context => listBudgets(services, context),
    }),
    route('POST /', {
      rule: 'budgets:add',
      summary: 'Gives a project a budget',
      answers: { 201: budgetAnswer },
      query: { exact: flag },
      refusals: ['bad_request', 'forbidden', 'duplicate_budget'],
      bodySchema,
      async respond(context) {
        const { caller, body } = context
        const { projectId = caller.projectId, ...draft } = budgetFromBody(body)
        return shown(services, await budgets.create(caller, projectId, draft), context)
      },
    }),
    route('GET /:budget_id', {
      rule: 'budgets:get',
      summary: 'Shows a budget, and what the month has cost',
      answers: { 200: budgetAnswer },
      query: { exact: flag },
      refusals: ['budget_not_found'],
      async respond(context) {
        const budget = budgets.get(context.caller, context.id('budget_id'))
        return shown(services, budget, context)
      },
    }),
    route('PUT /:budget_id', {
      rule: 'budgets:update',
      summary: 'Changes a budget',
      answers: { 200: budgetAnswer },
      query: { exact: flag },
      refusals: ['budget_not_found', 'bad_request'],
      bodySchema,
      async respond(context) {
        const changes = budgetChangesFromBody(context.body)
        const id = context.id('budget_id')
        const budget = await budgets.update(context.caller, id, changes)
        return shown(services, budget, context)
      },
    }),
    route('DELETE /:budget_id', {
      rule: 'budgets:delete',
      summary: 'Deletes a budget',
      answers: { 204: null },
      refusals: ['budget_not_found'],
      respond: context => budgets.delete(context.caller, context.id('budget_id')),
    }),
  ]
}

const attributes: ListAttributes<Budget> = {
  sortValues: {
    id: row => row.id,
    updated_at: row => row.updatedAt,
    project_id: row => row.projectId,
  },
  filterValues: { project_id: row => [row.projectId] },
}

async function listBudgets(services: BudgetServices, context: RequestContext): Promise<object> {
  const { caller, query } = context
  const selecting = new URLSearchParams(query)
  selecting.delete('exact')
  const request = parseScanRequest(selecting, attributes)
  const { budgets } = services
  const page = pageOf(budgets.listing(caller), request)
  return {
    budgets: await views(services, page.rows, context),
    links: pageLinksOf(context, page),
    metadata: { total_count: page.totalCount },
  }
}

async function shown(
  services: BudgetServices,
  budget: Budget,
  context: RequestContext,
): Promise<unknown> {
  const [view] = await views(services, [budget], context)
  return view
}

async function views(
  { budgets, currencyPlaces }: BudgetServices,
  rows: readonly Budget[],
  { baseUrl, query }: RequestContext,
): Promise<readonly object[]> {
  const isExact = isExactAskedFor(query)
  const format = (cost: Decimal): string =>
    isExact ? formatDecimal(cost) : formatPlaces(cost, currencyPlaces)
  const states = await budgets.states(rows)
  return states.map(state => budgetView(state, { baseUrl, format }))
}

/** A budget and how it stands. Amounts are decimal text; what was computed has the digits that `format` leaves it. */
function budgetView(
  state: BudgetState,
  { baseUrl, format }: { readonly baseUrl: string; readonly format: (cost: Decimal) => string },
): object {
  const { budget, forecast } = state
  return {
    id: budget.id,
    project_id: budget.projectId,
    amount: budget.amount,
    thresholds: budget.thresholds,
    month: state.month,
    cost: format(state.cost),
    forecast: forecast === undefined ? null : format(forecast),
    rated_until: formatTimestamp(state.ratedUntil),
    crossed_thresholds: state.crossings.map(({ threshold, amount, cost, createdAt }) => {
      const crossed_at = formatMicros(createdAt)
      return { threshold, amount, cost: format(getDecimal(cost)), crossed_at }
    }),
    top_zones: state.topZones.map(({ cost, ...zone }) => ({ ...zone, cost: format(cost) })),
    created_at: formatMicros(budget.createdAt),
    updated_at: budget.updatedAt === null ? null : formatMicros(budget.updatedAt),
    links: { self: `${baseUrl}/${budget.id}` },
  }
}

/** Rows have microseconds; times of usage are in seconds. */
function formatMicros(micros: number): string {
  return formatTimestamp(Math.floor(micros / 1e6))
}

/** Reads the body of a new budget. @throws ApiError bad_request the first thing wrong */
function budgetFromBody(body: Body) {
  requireKeys(body, ['amount', 'thresholds', 'project_id'])
  if (body.amount === undefined) refuseAt(['amount'], 'required key not provided')
  return {
    amount: amountFrom(body.amount),
    thresholds: body.thresholds === undefined ? defaultThresholds : thresholdsFrom(body.thresholds),
    projectId: body.project_id === undefined ? undefined : projectIdFrom(body.project_id),
  }
}

/** Reads the body of a change; what it leaves out stays. @throws ApiError bad_request the first thing wrong */
function budgetChangesFromBody(body: Body): Partial<BudgetDraft> {
  requireKeys(body, ['amount', 'thresholds'])
  return {
    ...(body.amount !== undefined && { amount: amountFrom(body.amount) }),
    ...(body.thresholds !== undefined && { thresholds: thresholdsFrom(body.thresholds) }),
  }
}

/** Amounts are text, since parsing turns a JSON number into a float. They are shown exactly as given, so that a comparison finds
 *  no difference. */
function amountFrom(value: unknown): string {
  if (typeof value !== 'string')
    return refuseAt(['amount'], 'expected a decimal number as text, such as "50.00"')
  const amount = parseDecimal(value)
  if ('refusal' in amount) return refuseAt(['amount'], amount.refusal)
  if (compare(amount, zero) <= 0) return refuseAt(['amount'], 'value must be above 0')
  return value.trim()
}

function thresholdsFrom(value: unknown): readonly number[] {
  if (!Array.isArray(value)) return refuseAt(['thresholds'], 'expected a list')
  if (value.length === 0 || value.length > maxThresholds)
    return refuseAt(['thresholds'], `expected 1 to ${maxThresholds} thresholds`)
  const thresholds = value.map((each: unknown, i) => {
    const isPercentage = Number.isInteger(each) && Number(each) >= 1 && Number(each) <= maxThreshold
    if (!isPercentage)
      refuseAt(['thresholds', i], `expected a whole percentage from 1 to ${maxThreshold}`)
    return Number(each)
  })
  return [...new Set(thresholds)].sort((a, b) => a - b)
}

function projectIdFrom(value: unknown): string {
  const isId = typeof value === 'string' && value !== '' && value.length <= maxProjectIdLength
  return isId && value.isWellFormed() ? value : refuseAt(['project_id'], 'expected a project id')
}
