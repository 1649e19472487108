import type { Clock } from '../../clock.ts'
import { type Caller, isAdmin } from '../../identity/caller.ts'
import type { Administration } from '../../rating/administration.ts'
import type { Budgets } from '../../rating/budgets/budgets.ts'
import { type Filters, withinProject } from '../../rating/filters.ts'
import type { Invoices } from '../../rating/invoices/invoices.ts'
import type { Reprocesses } from '../../rating/scopes/reprocesses.ts'
import type { Scopes } from '../../rating/scopes/scopes.ts'
import type { Points } from '../../rating/segments/point-store.ts'
import { ProjectSemaphore } from '../../service/rules/project-semaphore.ts'

/** What the routes of usage rating call. */
export type RatingServices = {
  readonly points: Points
  readonly scopes: Scopes
  readonly reprocesses: Reprocesses
  readonly administration: Administration
  readonly budgets: Budgets
  readonly invoices: Invoices
  readonly clock: Clock
  /** Digits behind the point that money is shown with. */
  readonly currencyPlaces: number
  /** Such as EUR; undefined: it is not said. */
  readonly currency: string | undefined
}

/** What a caller may see of what it asks for: administrators all of it, others their own project's. */
export function visible(filters: Filters, caller: Caller): Filters {
  return isAdmin(caller) ? filters : withinProject(filters, caller.projectId)
}

/** Turns of a project with what is added up: it takes a kilobyte for each of up to 500,000 rows until all are known. */
export function newTurns(): ProjectSemaphore {
  return new ProjectSemaphore(
    { maxRunning: Number.POSITIVE_INFINITY, maxRunningPerKey: 1, maxWaitingPerKey: 100 },
    'Too much is being added up at once',
  )
}
