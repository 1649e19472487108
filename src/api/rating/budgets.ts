import { Type } from 'typebox'
import type { Budget } from '../../model/budget.ts'
import { type Decimal, formatDecimal, formatPlaces } from '../../rating/decimal.ts'
import { pageOf } from '../../service/listing/listing.ts'
import { type ListAttributes, listQuery, parseScanRequest } from '../dns/page-request.ts'
import { flag } from '../openapi/fields.ts'
import { pageLinks } from '../paging.ts'
import { uuidParameter } from '../parameters.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import { budgetAnswer, budgetsAnswer } from './answers.ts'
import { budgetChangesFromBody, budgetFromBody } from './budget-body.ts'
import { budgetView } from './budgets.view.ts'
import { isExactAskedFor } from './parameters.ts'
import type { RatingServices } from './services.ts'

type BudgetServices = Pick<RatingServices, 'budgets' | 'currencyPlaces'>

// Their keys have error messages of their own.
const bodySchema = Type.Record(Type.String(), Type.Unknown(), {
  title: 'budget',
  examples: [{ amount: '50.00', thresholds: [80, 100] }],
})

/** What projects mean to spend in a month, and how they stand. */
export function budgetRoutes(services: BudgetServices): readonly Route[] {
  const { budgets } = services
  return [
    route('GET /', {
      rule: 'budgets:get',
      summary: 'Lists budgets',
      answers: { 200: budgetsAnswer },
      query: { ...listQuery(attributes), exact: flag },
      handler: async context => listBudgets(services, context),
    }),
    route('POST /', {
      rule: 'budgets:add',
      summary: 'Gives a project a budget',
      answers: { 201: budgetAnswer },
      query: { exact: flag },
      refusals: ['bad_request', 'forbidden', 'duplicate_budget'],
      bodySchema,
      async handler(context) {
        const { caller, body } = context
        const { projectId = caller.projectId, ...draft } = budgetFromBody(body)
        const budget = await budgets.create(caller, projectId, draft)
        const headers = { location: budgetUrl(budget, context) }
        return { status: 201, headers, body: await shown(services, budget, context) }
      },
    }),
    route('GET /:budget_id', {
      rule: 'budgets:get',
      summary: 'Shows a budget, and what the month has cost',
      answers: { 200: budgetAnswer },
      query: { exact: flag },
      refusals: ['budget_not_found'],
      async respond(context) {
        const budget = budgets.get(context.caller, uuidParameter(context, 'budget_id'))
        return await shown(services, budget, context)
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
        const id = uuidParameter(context, 'budget_id')
        const budget = await budgets.update(context.caller, id, changes)
        return await shown(services, budget, context)
      },
    }),
    route('DELETE /:budget_id', {
      rule: 'budgets:delete',
      summary: 'Deletes a budget',
      answers: { 204: null },
      refusals: ['budget_not_found'],
      respond: context => budgets.delete(context.caller, uuidParameter(context, 'budget_id')),
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

async function listBudgets(services: BudgetServices, context: RequestContext): Promise<Reply> {
  const { caller, query } = context
  const selecting = new URLSearchParams(query)
  selecting.delete('exact')
  const request = parseScanRequest(selecting, attributes)
  const { budgets } = services
  const { rows, totalCount } = pageOf(budgets.listing(caller), request)
  const ids = rows.map(({ id }) => id)
  return {
    status: 200,
    body: {
      budgets: await views(services, rows, context),
      links: pageLinks({ url: context.baseUrl, query, limit: request.limit, ids }),
      metadata: { total_count: totalCount },
    },
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
  context: RequestContext,
): Promise<readonly object[]> {
  const isExact = isExactAskedFor(context.query)
  const format = (cost: Decimal): string =>
    isExact ? formatDecimal(cost) : formatPlaces(cost, currencyPlaces)
  const states = await budgets.states(rows)
  return states.map(state => budgetView(state, { url: budgetUrl(state.budget, context), format }))
}

function budgetUrl({ id }: Budget, { baseUrl }: RequestContext): string {
  return `${baseUrl}/${id}`
}
