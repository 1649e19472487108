import type { Stamped } from './stamped.ts'

/** The amount that a project intends to spend in a calendar month. A project has at most one. */
export type Budget = Stamped & {
  readonly projectId: string
  /** Decimal text above zero, in the unit that prices are in. */
  readonly amount: string
  /** Percentages of the amount that are reported when the cost reaches them; ascending, each once. */
  readonly thresholds: readonly number[]
}

/** The fields of a budget that a client sets. */
export type BudgetDraft = Pick<Budget, 'amount' | 'thresholds'>

/** A threshold that the cost of a month has reached. While this row exists it is not reported again. */
export type BudgetCrossing = Stamped & {
  readonly budgetId: string
  readonly projectId: string
  /** `YYYY-MM`, of UTC. */
  readonly month: string
  readonly threshold: number
  /** The budget's amount when the threshold was reached. */
  readonly amount: string
  /** The cost of the month at that time, as decimal text. */
  readonly cost: string
}
