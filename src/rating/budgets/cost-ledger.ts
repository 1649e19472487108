import { inSlices } from '../../time-slice.ts'
import { getOrPut } from '../get-or-put.ts'
import { contains, type Month, monthPeriod } from '../period.ts'
import { decimalOf } from '../segments/amounts.ts'
import type { PreparedBatch, SeriesPoints } from '../segments/batch.ts'
import type { Chunk } from '../segments/chunk.ts'
import type { StageListener } from '../segments/point-listener.ts'
import type { PointStore } from '../segments/point-store.ts'
import type { Removal } from '../segments/removals.ts'
import { overlaps } from '../segments/restrict.ts'
import { CostTotals } from './cost-totals.ts'

/** The sums of one project and month, kept up from batch to batch. */
type Account = {
  readonly totals: CostTotals
  /** Whether what was stored before it was opened has been added. */
  isComplete: boolean
  /** A removal has taken away what may be in the sums. */
  isStale: boolean
}

/** The costs of projects by month, without reading all their points each time. An account is opened by the first
 *  question: the stored points are added up once, and each later batch adds to the sums. Only the removal of counted
 *  points, as when a period is rated again, closes the account; the next question opens another. */
export class CostLedger {
  readonly #points: Pick<PointStore, 'snapshot'>
  readonly #accounts = new Map<Month, Map<string, Account>>()

  constructor(points: Pick<PointStore, 'snapshot'>) {
    this.#points = points
  }

  /** Takes a batch in the step in which readers get to see it. */
  take({ removals, series }: Pick<PreparedBatch, 'removals' | 'series'>): void {
    for (const [month, byProject] of this.#accounts) {
      for (const removal of removals) markTouched(month, byProject, removal)
      for (const points of series) {
        const account = byProject.get(points.series.projectId)
        if (account !== undefined) addPoints(account.totals, month, points)
      }
    }
  }

  /** Adds up a segment of a month while it is written, and takes it when it is stored. Accounts that are opened meanwhile have
   *  only part of it, and are closed. */
  stageBegun(month: Month): StageListener {
    const accounts = new Map(this.#accounts.get(month))
    const sums = new Map<string, CostTotals>()
    const projectIds = new Set<string>()
    return {
      add: chunk => {
        const { projectId } = chunk.series
        projectIds.add(projectId)
        if (accounts.has(projectId)) addChunk(getOrPut(sums, projectId, newTotals), chunk)
      },
      stored: removals => {
        this.take({ removals, series: [] })
        for (const [projectId, account] of this.#accounts.get(month) ?? []) {
          const sum = sums.get(projectId)
          if (!projectIds.has(projectId)) continue
          if (sum !== undefined && account === accounts.get(projectId)) account.totals.addAll(sum)
          else account.isStale = true
        }
      },
    }
  }

  /** The sums of projects in a month, as of a moment after the call. They are not to be changed.
   *  @throws DamageError points cannot be read */
  async totals(
    month: Month,
    projectIds: readonly string[],
  ): Promise<ReadonlyMap<string, CostTotals>> {
    const totals = new Map<string, CostTotals>()
    for (const id of projectIds) {
      const account = this.#accounts.get(month)?.get(id)
      if (account?.isComplete !== true) continue
      await inSlices(account.totals.merge())
      if (!account.isStale) totals.set(id, account.totals)
    }
    const missing = projectIds.filter(id => !totals.has(id))
    if (missing.length === 0) return totals
    return new Map([...totals, ...(await this.#open(month, missing))])
  }

  /** Closes the accounts of the months before one. */
  forgetBefore(month: Month): void {
    for (const each of this.#accounts.keys()) if (each < month) this.#accounts.delete(each)
  }

  /** Closes all accounts: other points may be there from now on. */
  forgetAll(): void {
    this.#accounts.clear()
  }

  async #open(month: Month, projectIds: readonly string[]): Promise<Map<string, CostTotals>> {
    const byProject = getOrPut(this.#accounts, month, () => new Map<string, Account>())
    const opened = projectIds.map(id => {
      const account = { totals: newTotals(), isComplete: false, isStale: false }
      byProject.set(id, account)
      return { id, account }
    })
    // In the same step: a batch is either read now or added to the account.
    const counted = await this.#count(month, projectIds)
    for (const { id, account } of opened) {
      // A later question may have opened another.
      if (byProject.get(id) !== account || account.isStale) continue
      account.totals.addAll(counted.get(id) ?? newTotals())
      account.isComplete = true
    }
    return counted
  }

  async #count(month: Month, projectIds: readonly string[]): Promise<Map<string, CostTotals>> {
    const range = { ...monthPeriod(month), projectIds: new Set(projectIds) }
    await using snapshot = this.#points.snapshot(range)
    const counted = new Map(projectIds.map(id => [id, newTotals()]))
    for await (const chunks of snapshot.scan()) {
      for (const chunk of chunks) {
        const totals = counted.get(chunk.series.projectId)
        if (totals !== undefined) addChunk(totals, chunk)
      }
    }
    return counted
  }
}

function newTotals(): CostTotals {
  return new CostTotals()
}

function addChunk(totals: CostTotals, { series, priceSum, lastBegin }: Chunk): void {
  totals.add(series, decimalOf(priceSum), lastBegin)
}

function markTouched(
  month: Month,
  byProject: ReadonlyMap<string, Account>,
  removal: Removal,
): void {
  if (!overlaps(removal.period, monthPeriod(month))) return
  const { projectId } = removal
  const accounts = projectId === undefined ? byProject.values() : [byProject.get(projectId)]
  for (const account of accounts) {
    if (account === undefined) continue
    // Sums that are still being read may include removed points.
    account.isStale ||= !account.isComplete || account.totals.isTouchedBy(removal)
  }
}

function addPoints(totals: CostTotals, month: Month, { series, points }: SeriesPoints): void {
  const period = monthPeriod(month)
  for (const { begin, price } of points) {
    if (contains(period, begin)) totals.add(series, price, begin)
  }
}
