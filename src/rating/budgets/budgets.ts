import type { Clock } from '../../clock.ts'
import { ApiError, requireFound } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { Budget, BudgetCrossing, BudgetDraft } from '../../model/budget.ts'
import type { Instant } from '../../model/rating.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { ListOptions, Store, StoreReader } from '../../store/store.ts'
import { inSlices } from '../../time-slice.ts'
import { scopeKey } from '../data-point.ts'
import { type Decimal, zero } from '../decimal.ts'
import { forecastCost, ratedPart } from '../forecast.ts'
import { type Month, monthOf, monthPeriod, nowSeconds } from '../period.ts'
import type { BudgetWatch } from './budget-watch.ts'
import type { ZoneCost } from './cost-totals.ts'
import { reachedThresholds } from './thresholds.ts'

type BudgetsOptions = {
  readonly store: Store
  readonly watch: BudgetWatch
  readonly clock: Clock
}

/** How a budget stands in the current month. */
export type BudgetState = {
  readonly budget: Budget
  readonly month: Month
  readonly cost: Decimal
  /** The forecast cost of the month; undefined while none of it has been rated. */
  readonly forecast: Decimal | undefined
  /** The end of the rated part of the month. */
  readonly ratedUntil: Instant
  /** Dearest first. */
  readonly topZones: readonly ZoneCost[]
  /** In the order in which they were reached. */
  readonly crossings: readonly BudgetCrossing[]
}

const topZoneCount = 10

/** The amounts that projects intend to spend in a month. */
export class Budgets {
  readonly #options: BudgetsOptions

  constructor(options: BudgetsOptions) {
    this.#options = options
  }

  /** Gives a project a budget. Thresholds that its month has already reached are reported before this resolves.
   *  @throws ApiError forbidden another project's, duplicate_budget */
  async create(caller: Caller, projectId: string, draft: BudgetDraft): Promise<Budget> {
    if (!reachesProject(caller, projectId))
      throw new ApiError('forbidden', 'The budget of another project')
    const budget = await this.#options.store.commit(tx => {
      if (tx.find('budgets', 'byProject', projectId) !== undefined)
        throw new ApiError('duplicate_budget', `Project ${projectId} has a budget already`)
      return tx.put('budgets', { ...newStamp(tx), projectId, ...draft })
    })
    await this.#options.watch.check([projectId])
    return budget
  }

  /** @throws ApiError budget_not_found */
  get(caller: Caller, id: string): Budget {
    return getBudget(this.#options.store, caller, id)
  }

  /** The budgets a caller may see, as a list to take pages of. */
  listing(caller: Caller) {
    const [index, key] = caller.hasAllProjects
      ? (['all', everything] as const)
      : (['byProject', caller.projectId] as const)
    return {
      walk: (options: ListOptions) => this.#options.store.list('budgets', index, key, options),
      count: () => this.#options.store.count('budgets', index, key),
      find: (id: string) => findBudget(this.#options.store, caller, id),
    }
  }

  /** Changes a budget. A threshold that the month falls below because the amount is raised will be reported again.
   *  @throws ApiError budget_not_found */
  async update(caller: Caller, id: string, changes: Partial<BudgetDraft>): Promise<Budget> {
    const { projectId } = this.get(caller, id)
    const month = monthOf(nowSeconds(this.#options.clock))
    const totals = await this.#options.watch.ledger.totals(month, [projectId])
    const cost = totals.get(projectId)?.cost() ?? zero
    const budget = await this.#options.store.commit(tx => {
      const before = getBudget(tx, caller, id)
      const after = updatedRow(tx, before, differencesFrom(before, changes))
      if (after === before) return before
      tx.put('budgets', after)
      for (const row of crossingsOf(tx, id, month)) {
        const { threshold } = row
        const { length } = reachedThresholds({ ...after, thresholds: [threshold] }, cost)
        if (length === 0) tx.delete('budgetCrossings', row.id)
      }
      return after
    })
    await this.#options.watch.check([projectId])
    return budget
  }

  /** @throws ApiError budget_not_found */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#options.store.commit(tx => {
      const { id: budgetId } = getBudget(tx, caller, id)
      for (const row of [...tx.list('budgetCrossings', 'byBudget', budgetId)])
        tx.delete('budgetCrossings', row.id)
      tx.delete('budgets', budgetId)
    })
  }

  /** How some budgets stand, in their order. */
  async states(budgets: readonly Budget[]): Promise<readonly BudgetState[]> {
    const now = nowSeconds(this.#options.clock)
    const month = monthOf(now)
    const totals = await this.#options.watch.ledger.totals(
      month,
      budgets.map(({ projectId }) => projectId),
    )
    const period = monthPeriod(month)
    const states: BudgetState[] = []
    for (const budget of budgets) {
      const { id, projectId } = budget
      const ofProject = totals.get(projectId)
      const cost = ofProject?.cost() ?? zero
      const scopes = [...this.#options.store.list('scopeStates', 'byScope', projectId)]
      const own = scopes.filter(scope => scope.scopeKey === scopeKey)
      const ratedUntil = ratedPart(own, { period, now })
      states.push({
        budget,
        month,
        cost,
        ratedUntil,
        forecast: forecastCost(cost, period, ratedUntil),
        topZones:
          ofProject === undefined ? [] : await inSlices(ofProject.dearestZones(topZoneCount)),
        crossings: crossingsOf(this.#options.store, id, month),
      })
    }
    return states
  }
}

/** Lists of the same thresholds are the same. */
function differencesFrom(before: Budget, changes: Partial<BudgetDraft>): Partial<BudgetDraft> {
  const { thresholds = before.thresholds } = changes
  const isSame = thresholds.join() === before.thresholds.join()
  return { ...changes, thresholds: isSame ? before.thresholds : thresholds }
}

function findBudget(reader: StoreReader, caller: Caller, id: string): Budget | undefined {
  const budget = reader.get('budgets', id)
  return budget !== undefined && reachesProject(caller, budget.projectId) ? budget : undefined
}

function getBudget(reader: StoreReader, caller: Caller, id: string): Budget {
  return requireFound(findBudget(reader, caller, id), 'budget_not_found')
}

/** Thresholds that were reached at once have the same time. */
function crossingsOf(
  reader: StoreReader,
  budgetId: string,
  month: Month,
): readonly BudgetCrossing[] {
  return [...reader.list('budgetCrossings', 'byBudget', budgetId)]
    .filter(row => row.month === month)
    .sort((a, b) => a.createdAt - b.createdAt || a.threshold - b.threshold)
}
