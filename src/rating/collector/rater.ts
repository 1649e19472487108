import type { Clock } from '../../clock.ts'
import type { Instant, Reprocess, ScopeState } from '../../model/rating.ts'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { inSlices, type Steps } from '../../time-slice.ts'
import type { DataPoint } from '../data-point.ts'
import type { HourlyUsage } from '../metering/hourly-usage.ts'
import { currentRules } from '../module-settings.ts'
import { type Rules, ratePoint } from '../modules.ts'
import type { Period } from '../period.ts'
import { changedRow } from '../rows.ts'
import { nextPeriod, planCatchUp, type RatingSchedule, ratedUntil } from '../scopes/catch-up.ts'
import { nextReprocessPeriod } from '../scopes/reprocess.ts'
import type { Reprocesses } from '../scopes/reprocesses.ts'
import { advanceScope, dnsCollector, removalFrom } from '../scopes/scope-state.ts'
import type { Scopes } from '../scopes/scopes.ts'
import type { PointStore } from '../segments/point-store.ts'
import { type PeriodUsage, UsageReader } from './usage-reader.ts'

export type RaterOptions = {
  readonly store: Store
  readonly points: Pick<PointStore, 'write'>
  readonly hours: Pick<HourlyUsage, 'read' | 'responses'>
  readonly scopes: Pick<Scopes, 'isResetting' | 'settled'>
  readonly reprocesses: Reprocesses
  readonly schedule: RatingSchedule
  readonly clock: Clock
  /** What began before is metered for good. */
  readonly meteredUntil: () => Instant
}

/** Scopes and periods that are planned at once. */
const plannedAtOnce = 1000
/** Zone-hours that are in memory at once, roughly, and periods at most. */
const zoneHoursAtOnce = 2000
const maxPeriodsAtOnce = 24

/** Rates what was metered, period by period: what is due, and what is ordered to be rated again.
 *
 *  The points of a scope's period are stored in one batch that replaces what there is of it, and the scope's
 *  state goes on after that, unless somebody has changed it meanwhile: then what was stored is rated once more. So
 *  nothing is rated twice, and a crash at any point does no harm. */
export class Rater {
  readonly #options: RaterOptions
  readonly #usage: UsageReader
  #isStopped = false
  #running: Promise<void> = Promise.resolve()

  constructor(options: RaterOptions) {
    this.#options = options
    this.#usage = new UsageReader(options.hours)
  }

  /** Rates all there is to rate; after a long rest a part at a time, oldest first. */
  run(): Promise<void> {
    const run = this.#running.then(() => this.#run())
    this.#running = run.catch(() => undefined)
    return run
  }

  /** Ends with the part that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    for (let hasMore = true; hasMore; ) hasMore = await this.#rateDue()
    for (const order of this.#options.reprocesses.unfinished()) await this.#rateAgain(order)
  }

  /** Rates the oldest of what is due; returns whether to go on. */
  async #rateDue(): Promise<boolean> {
    const { store, clock, schedule } = this.#options
    const now = Math.floor(clock.nowMillis() / 1000)
    const states = [...store.list('scopeStates', 'all', everything)].filter(isOurs)
    const plan = planCatchUp(states, now, { ...schedule, limit: plannedAtOnce })
    const due = plan.filter(({ period }) => period.end <= this.#options.meteredUntil())
    let hasAdvanced = false
    for (const [{ id, scopeId }, planned] of Map.groupBy(due, ({ state }) => state)) {
      const all = planned.map(({ period }) => period)
      const atOnce = this.#periodsAtOnce(scopeId)
      for (let from = 0; from < all.length; from += atOnce) {
        if (this.#isStopped) return false
        const isRated = await this.#ratePeriods(id, all.slice(from, from + atOnce), now)
        if (!isRated) break
        hasAdvanced = true
      }
    }
    return hasAdvanced
  }

  /** Returns whether the scope has gone on: not where its state has changed since that was planned. */
  async #ratePeriods(id: string, periods: readonly Period[], now: Instant): Promise<boolean> {
    const { store, schedule } = this.#options
    const planned = store.get('scopeStates', id)
    const [first, last] = [periods[0], periods.at(-1)]
    if (planned === undefined || first === undefined || last === undefined) return false
    const pointsByPeriod = await this.#price(planned.scopeId, periods)
    await this.#outsideResets()
    // From here to the stores' queues there is no waiting: a reset comes before all of it, or after.
    const before = store.get('scopeStates', id)
    if (before === undefined || nextPeriod(before, now, schedule)?.begin !== first.begin)
      return false
    // Rated for the first time or after a reset, there is nothing to replace.
    const used = pointsByPeriod.filter(({ points }) => points.length > 0)
    await this.#store(before, used)
    return store.commit(tx => {
      const state = tx.get('scopeStates', id)
      if (state?.version !== before.version) return false
      tx.put('scopeStates', changedRow(tx, state, advanceScope(last)))
      return true
    })
  }

  /** Works an order off. What of it the scope is not rated up to any more is left to come. */
  async #rateAgain(order: Reprocess): Promise<void> {
    let left: Reprocess | undefined = order
    while (left !== undefined && !this.#isStopped) left = await this.#ratePartAgain(left)
  }

  /** Returns the order as it is then; undefined where nothing is left of it. */
  async #ratePartAgain(order: Reprocess): Promise<Reprocess | undefined> {
    const { store, schedule } = this.#options
    const { id, scopeId } = order
    const periods = periodsLeft(order, schedule.periodSeconds, this.#periodsAtOnce(scopeId))
    const last = periods.at(-1)
    if (last === undefined) return undefined
    const pointsByPeriod = await this.#price(scopeId, periods)
    await this.#outsideResets()
    for (const state of [...store.list('scopeStates', 'byScope', scopeId)].filter(isOurs)) {
      const end = ratedUntil(state, schedule)
      await this.#store(
        state,
        pointsByPeriod.filter(({ period }) => period.end <= end),
      )
    }
    return store.commit(tx => {
      const row = tx.get('reprocesses', id)
      if (row === undefined) return undefined
      const changed = changedRow(tx, row, { current: last.begin })
      tx.put('reprocesses', changed)
      return changed
    })
  }

  async #price(scopeId: string, periods: readonly Period[]): Promise<readonly PeriodUsage[]> {
    const usage = await this.#usage.read(scopeId, periods)
    return inSlices(priced(usage, currentRules(this.#options.store)))
  }

  async #store(state: ScopeState, pointsByPeriod: readonly PeriodUsage[]): Promise<void> {
    const writes = pointsByPeriod.map(({ period, points }) =>
      this.#options.points.write({
        origin: dnsCollector,
        removals: [removalFrom(state, period)],
        points,
      }),
    )
    await Promise.all(writes)
  }

  async #outsideResets(): Promise<void> {
    const { scopes } = this.#options
    while (scopes.isResetting) await scopes.settled()
  }

  #periodsAtOnce(scopeId: string): number {
    const zoneCount = this.#options.store.count('zones', 'byProject', scopeId)
    const count = Math.floor(zoneHoursAtOnce / (zoneCount + 1))
    return Math.min(Math.max(count, 1), maxPeriodsAtOnce)
  }
}

function* priced(usage: readonly PeriodUsage[], rules: Rules): Steps<readonly PeriodUsage[]> {
  const result: PeriodUsage[] = []
  for (const { period, points } of usage) {
    const rated: DataPoint[] = []
    for (const point of points) {
      rated.push(ratePoint(point, rules))
      yield
    }
    result.push({ period, points: rated })
  }
  return result
}

/** Whether the scope's usage is what our own meter measures. */
function isOurs({ collector }: ScopeState): boolean {
  return collector === dnsCollector
}

function periodsLeft(order: Reprocess, periodSeconds: number, limit: number): readonly Period[] {
  const periods: Period[] = []
  let left = order
  for (;;) {
    const period = nextReprocessPeriod(left, periodSeconds)
    if (period === undefined || periods.length === limit) return periods
    periods.push(period)
    left = { ...left, current: period.begin }
  }
}
