import type { Stamped } from './stamped.ts'

/** What a project means to spend in a calendar month. A project has one at most. */
export type Budget = Stamped & {
  readonly projectId: string
  /** Decimal text above zero, in the unit that prices are in. */
  readonly amount: string
  /** Percentages of the amount that are worth knowing of when they are reached; ascending, each once. */
  readonly thresholds: readonly number[]
}

/** What can be said of a budget. */
export type BudgetDraft = Pick<Budget, 'amount' | 'thresholds'>

/** A threshold that the cost of a month has reached. While it is there it is not reported again. */
export type BudgetCrossing = Stamped & {
  readonly budgetId: string
  readonly projectId: string
  /** `YYYY-MM`, of UTC. */
  readonly month: string
  readonly threshold: number
  /** The budget's, when it was reached. */
  readonly amount: string
  /** What the month had cost by then, as decimal text. */
  readonly cost: string
}
