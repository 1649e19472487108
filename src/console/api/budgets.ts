import type { Static } from 'typebox'
import type { budgetAnswer } from '../../api/rating/answers.ts'
import { send } from './client.ts'
import { list } from './lists.ts'

/** The monthly budget of a project, and its current state. Amounts are decimal text. */
export type Budget = Static<typeof budgetAnswer>

export type BudgetDraft = Pick<Budget, 'amount' | 'thresholds'>

/** The budget of a project, which has at most one. */
export async function getBudget(projectId: string): Promise<Budget | null> {
  const query = { project_id: projectId }
  const [budget = null] = await list<Budget>('budgets', { path: '/v2/budgets', query })
  return budget
}

export async function setBudget(budget: Budget | null, draft: BudgetDraft): Promise<void> {
  if (budget === null) await send({ method: 'POST', path: '/v2/budgets', body: draft })
  else await send({ method: 'PUT', path: `/v2/budgets/${budget.id}`, body: draft })
}

export async function deleteBudget({ id }: Budget): Promise<void> {
  await send({ method: 'DELETE', path: `/v2/budgets/${id}` })
}
