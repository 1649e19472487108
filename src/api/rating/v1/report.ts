import type { Caller } from '../../../identity/caller.ts'
import { requireAllowed } from '../../../identity/policy.ts'
import { scopeKey } from '../../../rating/data-point.ts'
import { type Decimal, formatDecimal, roundToPlaces, zero } from '../../../rating/decimal.ts'
import { type Filters, metricFilter } from '../../../rating/filters.ts'
import { noGrouping } from '../../../rating/groupby.ts'
import { nowSeconds, requestedPeriod } from '../../../rating/period.ts'
import { summarize } from '../../../rating/summary.ts'
import type { SummaryRow } from '../../../rating/summary-query.ts'
import { formatNaive } from '../../../rating/timestamp.ts'
import { amount } from '../../openapi/fields.ts'
import type { Route } from '../../route.ts'
import { splitList } from '../parameters.ts'
import type { RatingServices } from '../services.ts'
import { summaryAnswer, tenantsAnswer } from './answers.ts'
import { type Arguments, askedPeriod, refuseArgument } from './arguments.ts'
import { type Call, callRoutes } from './call.ts'

const reportNames = ['begin', 'end', 'tenant_id', 'service', 'all_tenants']

/** What things have cost, as CloudKitty's first API tells it. */
export function reportRoutes(services: RatingServices): readonly Route[] {
  return callRoutes([
    {
      method: 'GET',
      path: '/report/tenants',
      names: ['begin', 'end'],
      rule: 'report:list_tenants',
      summary: 'Lists the projects that are rated, whenever that was',
      answers: { 200: tenantsAnswer },
      respond({ args }) {
        askedPeriod(args)
        const ids = services.scopes.list({}).map(({ scopeId }) => scopeId)
        return [...new Set(ids)]
      },
    },
    {
      method: 'GET',
      path: '/report/total',
      names: reportNames,
      rule: 'report:get_total',
      summary: 'Tells what a project has to pay',
      answers: { 200: amount },
      refusals: ['bad_request', 'forbidden'],
      async respond(call) {
        const [row] = await reportRows(services, call, fixedValues(call))
        return formatDecimal(row === undefined ? zero : costOf(row))
      },
    },
    {
      method: 'GET',
      path: '/report/summary',
      names: [...reportNames, 'groupby'],
      rule: 'report:get_summary',
      summary: 'Adds up what a project has to pay, by metric or project',
      answers: { 200: summaryAnswer },
      refusals: ['bad_request', 'forbidden'],
      async respond(call) {
        const groupings = groupingsFrom(call.args)
        const fixed = fixedValues(call)
        const rows = await reportRows(services, call, fixed, groupings)
        return { summary: rows.map(row => rowView(row, groupings, fixed)) }
      },
    },
  ])
}

/** What the first API can group by, and the attribute that is. */
const groupingAttributes = { res_type: metricFilter, tenant_id: scopeKey } as const
type Grouping = keyof typeof groupingAttributes

function groupingsFrom(args: Arguments): readonly Grouping[] {
  const names = splitList(args.text('groupby') ?? '').map(name =>
    name === 'res_type' || name === 'tenant_id'
      ? name
      : refuseArgument('groupby', name, 'Value should be one of: res_type, tenant_id.'),
  )
  return [...new Set(names)]
}

/** The project a report is about: the caller's own, or for an administrator the one asked for, or all. */
function projectFor({ args, caller }: Call): string | undefined {
  if (args.flag('all_tenants') === true) {
    requireAllowed(caller, 'all_tenants')
    return undefined
  }
  const asked = args.text('tenant_id') ?? caller.projectId
  requireOwnOrAdmin(caller, asked)
  return asked
}

/** @throws ApiError forbidden another project's, and the caller is no administrator */
export function requireOwnOrAdmin(caller: Caller, projectId: string): void {
  if (projectId !== caller.projectId) requireAllowed(caller, 'all_tenants')
}

async function reportRows(
  { points, clock }: RatingServices,
  { args, requireClient }: Call,
  fixed: FixedValues,
  groupings: readonly Grouping[] = [],
): Promise<readonly SummaryRow[]> {
  const { rows } = await summarize(points, {
    period: requestedPeriod(askedPeriod(args), nowSeconds(clock)),
    filters: filtersOf(fixed.tenant_id, fixed.res_type),
    requireWanted: requireClient,
    grouping: { ...noGrouping, names: groupings.map(name => groupingAttributes[name]) },
    offset: 0,
    limit: Number.MAX_SAFE_INTEGER,
  })
  return rows
}

/** Points of a project and of a metric, or of any. */
export function filtersOf(projectId: string | undefined, metric: string | undefined): Filters {
  const filters = new Map<string, readonly string[]>()
  if (projectId !== undefined) filters.set(scopeKey, [projectId])
  if (metric !== undefined) filters.set(metricFilter, [metric])
  return filters
}

/** What is the same in all rows. */
type FixedValues = Readonly<Record<Grouping, string | undefined>>

function fixedValues(call: Call): FixedValues {
  return { tenant_id: projectFor(call), res_type: call.args.text('service') }
}

function rowView(row: SummaryRow, groupings: readonly Grouping[], fixed: FixedValues) {
  const shown = (name: Grouping) => row.values[groupings.indexOf(name)] ?? fixed[name] ?? 'ALL'
  return {
    begin: formatNaive(row.period.begin),
    end: formatNaive(row.period.end),
    tenant_id: shown('tenant_id'),
    res_type: shown('res_type'),
    rate: formatDecimal(roundToPlaces(costOf(row), 5)),
  }
}

/** The second of the amounts that a summary has when nothing else is asked for. */
function costOf({ amounts }: SummaryRow): Decimal {
  return amounts[1] ?? zero
}
