import type { Clock } from '../../clock.ts'
import type { Budget } from '../../model/budget.ts'
import { newStamp } from '../../model/stamped.ts'
import { everything, keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { type Decimal, formatDecimal, zero } from '../decimal.ts'
import { type Month, monthOf, monthPeriod, nowSeconds } from '../period.ts'
import type { PreparedBatch } from '../segments/batch.ts'
import type { PointListener, StageListener } from '../segments/point-listener.ts'
import type { Removal } from '../segments/removals.ts'
import type { CostLedger } from './cost-ledger.ts'
import { reachedThresholds } from './thresholds.ts'

type BudgetWatchOptions = {
  readonly store: Store
  readonly ledger: CostLedger
  readonly clock: Clock
  /** Called when budgets could not be looked at after points were stored; the next look makes up for it. */
  readonly onFailed: (error: unknown) => void
}

/** Reports the thresholds that budgets reach, each once a month. A report is a row: it is there or it is not,
 *  whatever is stored, rated again or restarted, and its commit is the event. Besides the current month the one
 *  before is watched, since its last hours are rated in this one. */
export class BudgetWatch implements PointListener {
  /** The costs that budgets are compared with. */
  readonly ledger: CostLedger
  readonly #options: BudgetWatchOptions
  /** Projects whose costs have changed since they were looked at. */
  readonly #changed = new Set<string>()
  #running: Promise<void> | undefined

  constructor(options: BudgetWatchOptions) {
    this.#options = options
    this.ledger = options.ledger
  }

  /** Takes a batch in the step in which readers get to see it; budgets are looked at after that. */
  batchStored(batch: PreparedBatch): void {
    this.ledger.take(batch)
    this.#noteChanged(batch.removals, new Set(batch.series.map(({ series }) => series.projectId)))
  }

  stageBegun(month: Month): StageListener {
    const costs = this.ledger.stageBegun(month)
    const projectIds = new Set<string>()
    return {
      add: chunk => {
        projectIds.add(chunk.series.projectId)
        costs.add(chunk)
      },
      stored: removals => {
        costs.stored(removals)
        this.#noteChanged(removals, projectIds)
      },
    }
  }

  /** Looks at all budgets: for the start and the clock. */
  async checkAll(): Promise<void> {
    const budgets = this.#options.store.list('budgets', 'all', everything)
    await this.check(Array.from(budgets, ({ projectId }) => projectId))
  }

  /** Looks at the budgets of some projects and reports what they have reached; resolves when that is durable. */
  async check(projectIds: readonly string[]): Promise<void> {
    const current = monthOf(nowSeconds(this.#options.clock))
    const previous = monthOf(monthPeriod(current).begin - 1)
    this.ledger.forgetBefore(previous)
    for (const month of [previous, current]) await this.#checkMonth(month, projectIds)
  }

  /** Resolves when nothing is being looked at any more. */
  async settled(): Promise<void> {
    await this.#running
  }

  #noteChanged(removals: readonly Removal[], projectIds: ReadonlySet<string>): void {
    for (const id of new Set([...projectIds, ...removals.flatMap(r => r.projectId ?? [])])) {
      if (this.#options.store.find('budgets', 'byProject', id) !== undefined) this.#changed.add(id)
    }
    if (this.#changed.size > 0) this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    // Batches that are stored in the same turn are looked at together.
    await Promise.resolve()
    try {
      while (this.#changed.size > 0) {
        const projectIds = [...this.#changed]
        this.#changed.clear()
        await this.check(projectIds)
      }
    } catch (error) {
      this.#options.onFailed(error)
    } finally {
      this.#running = undefined
    }
  }

  async #checkMonth(month: Month, projectIds: readonly string[]): Promise<void> {
    const watched = projectIds.filter(id => isInForce(budgetOf(this.#options.store, id), month))
    if (watched.length === 0) return
    const totals = await this.ledger.totals(month, watched)
    const costs = watched.map(id => [id, totals.get(id)?.cost() ?? zero] as const)
    const isNews = ([id, cost]: (typeof costs)[number]) =>
      newThresholds(this.#options.store, budgetOf(this.#options.store, id), month, cost).length > 0
    const news = costs.filter(isNews)
    if (news.length === 0) return
    await this.#options.store.commit(tx => {
      for (const [id, cost] of news) putCrossings(tx, budgetOf(tx, id), month, cost)
    })
  }
}

function budgetOf(reader: StoreReader, projectId: string): Budget | undefined {
  return reader.find('budgets', 'byProject', projectId)
}

/** Whether a month is compared with a budget as it is now: a budget that is set in a month holds from that month on. */
function isInForce(budget: Budget | undefined, month: Month): budget is Budget {
  if (budget === undefined) return false
  return monthOf(Math.floor((budget.updatedAt ?? budget.createdAt) / 1e6)) <= month
}

function newThresholds(
  reader: StoreReader,
  budget: Budget | undefined,
  month: Month,
  cost: Decimal,
): readonly number[] {
  if (!isInForce(budget, month)) return []
  return reachedThresholds(budget, cost).filter(threshold => {
    const key = keyOf(budget.id, month, String(threshold))
    return reader.find('budgetCrossings', 'byThreshold', key) === undefined
  })
}

/** Adds the thresholds that are reached at this moment, and drops those of months that are no longer watched. */
function putCrossings(
  tx: Transaction,
  budget: Budget | undefined,
  month: Month,
  cost: Decimal,
): void {
  if (budget === undefined) return
  for (const threshold of newThresholds(tx, budget, month, cost)) {
    const { id: budgetId, projectId, amount } = budget
    const row = { budgetId, projectId, month, threshold, amount, cost: formatDecimal(cost) }
    tx.put('budgetCrossings', { ...newStamp(tx), ...row })
  }
  const oldest = monthOf(monthPeriod(month).begin - 1)
  for (const row of [...tx.list('budgetCrossings', 'byBudget', budget.id)]) {
    if (row.month < oldest) tx.delete('budgetCrossings', row.id)
  }
}
