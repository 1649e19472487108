import type { BudgetCrossing } from '../../model/budget.ts'
import type { BudgetState } from '../../rating/budgets/budgets.ts'
import { formatDecimal } from '../../rating/decimal.ts'
import { formatTimestamp } from '../../rating/timestamp.ts'

/** A budget and how it stands. Amounts are decimal text, to the last digit. */
export function budgetView(state: BudgetState, url: string): object {
  const { budget, forecast } = state
  return {
    id: budget.id,
    project_id: budget.projectId,
    amount: budget.amount,
    thresholds: budget.thresholds,
    month: state.month,
    cost: formatDecimal(state.cost),
    forecast: forecast === undefined ? null : formatDecimal(forecast),
    rated_until: formatTimestamp(state.ratedUntil),
    crossed_thresholds: state.crossings.map(crossingView),
    top_zones: state.topZones.map(({ cost, ...zone }) => ({ ...zone, cost: formatDecimal(cost) })),
    created_at: formatMicros(budget.createdAt),
    updated_at: budget.updatedAt === null ? null : formatMicros(budget.updatedAt),
    links: { self: url },
  }
}

function crossingView({ threshold, amount, cost, createdAt }: BudgetCrossing): object {
  return { threshold, amount, cost, crossed_at: formatMicros(createdAt) }
}

/** Rows have microseconds; times of usage are told in seconds. */
function formatMicros(micros: number): string {
  return formatTimestamp(Math.floor(micros / 1e6))
}
