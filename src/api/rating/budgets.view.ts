import type { BudgetCrossing } from '../../model/budget.ts'
import type { BudgetState } from '../../rating/budgets/budgets.ts'
import { type Decimal, getDecimal } from '../../rating/decimal.ts'
import { formatTimestamp } from '../../rating/timestamp.ts'

/** A budget and how it stands. Amounts are decimal text; what was computed has the digits that `format` leaves it. */
export function budgetView(
  state: BudgetState,
  { url, format }: { readonly url: string; readonly format: (cost: Decimal) => string },
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
    crossed_thresholds: state.crossings.map(crossing => crossingView(crossing, format)),
    top_zones: state.topZones.map(({ cost, ...zone }) => ({ ...zone, cost: format(cost) })),
    created_at: formatMicros(budget.createdAt),
    updated_at: budget.updatedAt === null ? null : formatMicros(budget.updatedAt),
    links: { self: url },
  }
}

function crossingView(
  { threshold, amount, cost, createdAt }: BudgetCrossing,
  format: (cost: Decimal) => string,
): object {
  return { threshold, amount, cost: format(getDecimal(cost)), crossed_at: formatMicros(createdAt) }
}

/** Rows have microseconds; times of usage are in seconds. */
function formatMicros(micros: number): string {
  return formatTimestamp(Math.floor(micros / 1e6))
}
