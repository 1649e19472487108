import type { BudgetDraft } from '../../model/budget.ts'
import { defaultThresholds, maxThreshold, maxThresholds } from '../../rating/budgets/thresholds.ts'
import { compare, parseDecimal, zero } from '../../rating/decimal.ts'
import { type Body, requireKeys } from './body.ts'
import { refuseAt } from './parameters.ts'

/** What the body of `POST /budgets` asks for. */
export type BudgetRequest = BudgetDraft & { readonly projectId: string | undefined }

/** Characters of a project's id: as many as a scope's may have. */
const maxProjectIdLength = 256

/** Reads the body of a new budget. @throws ApiError bad_request the first thing wrong */
export function budgetFromBody(body: Body): BudgetRequest {
  requireKeys(body, ['amount', 'thresholds', 'project_id'])
  if (body.amount === undefined) refuseAt(['amount'], 'required key not provided')
  return {
    amount: amountFrom(body.amount),
    thresholds: body.thresholds === undefined ? defaultThresholds : thresholdsFrom(body.thresholds),
    projectId: body.project_id === undefined ? undefined : projectIdFrom(body.project_id),
  }
}

/** Reads the body of a change; what it leaves out stays. @throws ApiError bad_request the first thing wrong */
export function budgetChangesFromBody(body: Body): Partial<BudgetDraft> {
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
