import type { Clock } from '../../clock.ts'
import { isAdmin } from '../../identity/caller.ts'
import type { Administration } from '../../rating/administration.ts'
import type { Budgets } from '../../rating/budgets/budgets.ts'
import { parseFilters, type Selection, withinProject } from '../../rating/filters.ts'
import type { Invoices } from '../../rating/invoices/invoices.ts'
import { nowSeconds, requestedPeriod } from '../../rating/period.ts'
import type { Reprocesses } from '../../rating/scopes/reprocesses.ts'
import type { Scopes } from '../../rating/scopes/scopes.ts'
import type { Points } from '../../rating/segments/point-store.ts'
import { ProjectSemaphore } from '../../service/rules/project-semaphore.ts'
import type { RequestContext } from '../route.ts'
import { askedPeriod } from './parameters.ts'

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

/** The points that a query asks for, of those that its caller may see: administrators all, others their own project's.
 *  @throws ApiError bad_request */
export function selectionFor(
  { query, caller, requireClient }: Pick<RequestContext, 'query' | 'caller' | 'requireClient'>,
  { clock }: Pick<RatingServices, 'clock'>,
  valuesPerKey: 'one' | 'many' = 'one',
): Selection {
  const period = requestedPeriod(askedPeriod(query), nowSeconds(clock))
  const asked = parseFilters(query.getAll('filters'), { valuesPerKey })
  const filters = isAdmin(caller) ? asked : withinProject(asked, caller.projectId)
  return { period, filters, requireWanted: requireClient }
}

/** Turns of a project with what is added up: it takes a kilobyte for each of up to 500,000 rows until all are known. */
export function newTurns(): ProjectSemaphore {
  return new ProjectSemaphore(
    { maxRunning: Number.POSITIVE_INFINITY, maxRunningPerKey: 1, maxWaitingPerKey: 100 },
    'Too much is being added up at once',
  )
}
