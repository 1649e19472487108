import type { Clock } from '../../clock.ts'
import type { Instant, Reprocess, ScopeState } from '../../model/rating.ts'
import { updatedRow } from '../../model/stamped.ts'
import { Mutex } from '../../mutex.ts'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { mapInSlices } from '../../time-slice.ts'
import type { DataPoint } from '../data-point.ts'
import { getOrPut } from '../get-or-put.ts'
import type { HourlyUsage } from '../metering/hourly-usage.ts'
import { currentRules } from '../module-settings.ts'
import { type Rules, ratePoint } from '../modules.ts'
import { monthOf, nowSeconds, type Period } from '../period.ts'
import type { RatingTerm } from '../rating-term.ts'
import { nextPeriod, planCatchUp, ratedUntil, type UsedFrom } from '../scopes/catch-up.ts'
import { nextReprocessPeriod } from '../scopes/reprocess.ts'
import type { Reprocesses } from '../scopes/reprocesses.ts'
import { advanceScope, dnsCollector, removalFrom } from '../scopes/scope-state.ts'
import type { Scopes } from '../scopes/scopes.ts'
import { type Chunk, chunkOfPoint } from '../segments/chunk.ts'
import type { PointStore, StagedSegment } from '../segments/point-store.ts'
import { rankOfMetric } from './usage-points.ts'
import { type PeriodUsage, type ReadableHours, UsageReader } from './usage-reader.ts'

type RaterOptions = {
  readonly store: Store
  readonly points: Pick<PointStore, 'write' | 'stage'>
  readonly hours: ReadableHours & Pick<HourlyUsage, 'usedFrom'>
  readonly scopes: Pick<Scopes, 'isResetting' | 'settled'>
  readonly reprocesses: Reprocesses
  readonly clock: Clock
  /** The metered usage that began before this is final. */
  readonly meteredUntil: () => Instant
  /** Called once with a scope whose state says that it is rated up to a future time: until then it is not rated. */
  readonly onAhead: (state: ScopeState) => void
  /** What is in memory at once, in counts; for tests. */
  readonly countsInMemory?: number | undefined
  /** Where several nodes may rate: the time for which this one does. */
  readonly term?: Pick<RatingTerm, 'require'> | undefined
}

/** Pairs of a scope and a period that are planned at once. */
const plannedAtOnce = 1000
/** Zone-hours that are in memory at once, roughly, and periods at most. */
const zoneHoursAtOnce = 380
const maxPeriodsAtOnce = 24

/** Counts in memory at once at most, and so points of a batch, which become visible in one turn of the event loop. A period with more
 *  is written to a segment while it is priced. */
const maxCountsInMemory = 5000

/** A scope whose points of some periods are stored, though its state does not say so yet. */
type RatedScope = { readonly before: ScopeState; readonly last: Period }

/** Points that are to be stored: of periods, each in one batch, or of one period in a segment. */
type Priced = {
  readonly periods: readonly Period[]
  readonly usage: readonly PeriodUsage[]
  readonly staged: StagedSegment | undefined
}

class StoppedError extends Error {}

/** Rates metered usage, period by period: the periods that are due, and those ordered to be rated again.
 *
 *  The points of a scope's period are stored as a whole, in one batch or segment, and replace the earlier ones. After that the
 *  states of the scopes are advanced, up to a thousand in one commit, except where a state was changed meanwhile: then what was stored
 *  is rated once more. So nothing is rated twice, and a crash at any point does no harm. Nothing is recorded for points that were
 *  stored before another node's term began, as that node may know of more usage. A project whose usage cannot be read does not
 *  delay the others. */
export class Rater {
  readonly #options: RaterOptions
  readonly #usage: UsageReader
  /** Why usage could not be read in this run, by the scope or the order it was read for. */
  readonly #failures = new Map<string, unknown>()
  /** The versions passed to `onAhead`, by scope. */
  readonly #ahead = new Map<string, number>()
  #isStopped = false
  readonly #runs = new Mutex()

  constructor(options: RaterOptions) {
    this.#options = options
    this.#usage = new UsageReader(options.hours, () => {
      if (this.#isStopped) throw new StoppedError()
    })
  }

  /** Rates everything that is due or ordered; after a long pause a part at a time, oldest first. Rejects at the end with
   *  the first failure. */
  run(): Promise<void> {
    return this.#runs.run(() => this.#run())
  }

  /** Drops what is not stored yet; the next run rates it. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#runs.drained()
  }

  /** Works on orders while nothing is due, and suspends them as soon as something is: they may take long. */
  async #run(): Promise<void> {
    this.#failures.clear()
    for (;;) {
      while (await this.#rateDue()) if (this.#isStopped) return
      const order = this.#options.reprocesses.unfinished().find(({ id }) => !this.#failures.has(id))
      if (order === undefined || this.#isStopped) break
      await this.#ratePartAgain(order)
    }
    for (const failure of this.#failures.values()) throw failure
  }

  /** Rates a part of what is due of each scope, oldest first; returns whether any scope has advanced. */
  async #rateDue(): Promise<boolean> {
    const { store, clock, meteredUntil } = this.#options
    const now = nowSeconds(clock)
    const states = [...store.list('scopeStates', 'all', everything)]
    const waiting = states.filter(state => isOurs(state) && !this.#failures.has(state.id))
    this.#noticeAhead(waiting, now)
    const usedFrom = this.#usedFrom()
    const plan = planCatchUp(waiting, now, { limit: plannedAtOnce, usedFrom })
    const due = plan.filter(({ period }) => period.end <= meteredUntil())
    const rated: RatedScope[] = []
    for (const [{ id, scopeId }, planned] of Map.groupBy(due, ({ state }) => state)) {
      if (this.#isStopped) break
      const periods = planned.map(({ period }) => period).slice(0, this.#periodsAtOnce(scopeId))
      const scope = await this.#ratePeriods(id, periods, next => nextPeriod(next, now, usedFrom))
      if (scope !== undefined) rated.push(scope)
    }
    return this.#advance(rated)
  }

  #noticeAhead(states: readonly ScopeState[], now: Instant): void {
    const { onAhead } = this.#options
    for (const state of states) {
      const { id, version, isActive } = state
      if (!isActive || ratedUntil(state) <= now || this.#ahead.get(id) === version) continue
      this.#ahead.set(id, version)
      onAhead(state)
    }
  }

  /** Stores the points of a scope's next periods; returns undefined where these are no longer the next ones.
   *  @param nextOf the next period of a state */
  async #ratePeriods(
    id: string,
    periods: readonly Period[],
    nextOf: (state: ScopeState) => Period | undefined,
  ): Promise<RatedScope | undefined> {
    const { store } = this.#options
    const planned = store.get('scopeStates', id)
    if (planned === undefined) return undefined
    const priced = await this.#price(id, planned.scopeId, periods)
    await using staged = priced?.staged
    await this.#outsideResets()
    // No await from here until the stores have queued the writes: a reset comes before all of them, or after.
    const before = store.get('scopeStates', id)
    const last = priced?.periods.at(-1)
    if (priced === undefined || before === undefined || last === undefined) return undefined
    if (nextOf(before)?.begin !== periods[0]?.begin) return undefined
    // When rating for the first time or after a reset, there is nothing to replace.
    const usage = priced.usage.filter(({ points }) => points.length > 0)
    await this.#store(planned.scopeId, { ...priced, usage, staged })
    return { before, last }
  }

  /** Records in one commit how far scopes are rated; returns whether any has advanced. A scope whose state has changed
   *  since its points were stored does not advance. */
  #advance(rated: readonly RatedScope[]): Promise<boolean> {
    const { store, term } = this.#options
    return store.commit(tx => {
      term?.require(tx)
      let hasAdvanced = false
      for (const { before, last } of rated) {
        const state = tx.get('scopeStates', before.id)
        if (state?.version !== before.version) continue
        tx.put('scopeStates', updatedRow(tx, state, advanceScope(last)))
        hasAdvanced = true
      }
      return hasAdvanced
    })
  }

  /** Carries out a part of an order. Periods that the scope is no longer rated up to are left to regular rating. */
  async #ratePartAgain(order: Reprocess): Promise<void> {
    const { store, term } = this.#options
    const { id, scopeId } = order
    const periods = periodsLeft(order, this.#usedFrom(), this.#periodsAtOnce(scopeId))
    const priced = await this.#price(id, scopeId, periods)
    await using staged = priced?.staged
    await this.#outsideResets()
    const last = priced?.periods.at(-1)
    if (priced === undefined || last === undefined) return
    const states = [...store.list('scopeStates', 'byScope', scopeId)].filter(isOurs)
    // All scopes of a project have the same points.
    const end = Math.max(...states.map(ratedUntil))
    const usage = priced.usage.filter(({ period }) => period.end <= end)
    const isRated = last.end <= end
    await this.#store(scopeId, { ...priced, usage, staged: isRated ? staged : undefined })
    await store.commit(tx => {
      term?.require(tx)
      const row = tx.get('reprocesses', id)
      if (row !== undefined) tx.put('reprocesses', updatedRow(tx, row, { current: last.begin }))
    })
  }

  /** Where there is anything to rate; all scopes of one plan see the same answers. */
  #usedFrom(): UsedFrom {
    const { hours } = this.#options
    const known = new Map<Instant, Instant>()
    return from => getOrPut(known, from, () => hours.usedFrom(from) ?? Number.POSITIVE_INFINITY)
  }

  /** The usage of a project at current prices, of all periods or of the first; undefined after a stop, and where it cannot be read,
   *  in which case the failure is noted under `key`. */
  async #price(
    key: string,
    projectId: string,
    periods: readonly Period[],
  ): Promise<Priced | undefined> {
    const { store, points, countsInMemory = maxCountsInMemory } = this.#options
    const [first] = periods
    if (first === undefined) return undefined
    try {
      for (const some of periods.length > 1 ? [periods, [first]] : [periods]) {
        const usage = await this.#usage.read(projectId, some, countsInMemory)
        if (usage === undefined) continue
        const priced = await pricedUsage(usage, () => currentRules(store))
        return { periods: some, usage: priced, staged: undefined }
      }
      const chunks = pricedChunks(this.#usage.stream(projectId, first), currentRules(store))
      const staged = await points.stage(monthOf(first.begin), chunks, ({ series }) =>
        rankOfMetric(series.metric),
      )
      return { periods: [first], usage: [], staged }
    } catch (error) {
      if (!(error instanceof StoppedError)) this.#failures.set(key, error)
      return undefined
    }
  }

  /** Queues all writes before it returns. */
  async #store(scopeId: string, { periods, usage, staged }: Priced): Promise<void> {
    const origin = dnsCollector
    const removal = (period: Period) => removalFrom({ scopeId, collector: origin }, period)
    const writes: Promise<unknown>[] = usage.map(({ period, points }) =>
      this.#options.points.write({ origin, removals: [removal(period)], points }),
    )
    if (staged !== undefined) writes.push(staged.store(periods.map(removal)))
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

/** @param rulesOf called where there is anything to price */
async function pricedUsage(
  usage: readonly PeriodUsage[],
  rulesOf: () => Rules,
): Promise<readonly PeriodUsage[]> {
  if (usage.every(({ points }) => points.length === 0)) return usage
  const rules = rulesOf()
  const priced: PeriodUsage[] = []
  for (const { period, points } of usage)
    priced.push({ period, points: await mapInSlices(points, point => ratePoint(point, rules)) })
  return priced
}

async function* pricedChunks(
  parts: AsyncIterable<readonly DataPoint[]>,
  rules: Rules,
): AsyncGenerator<Chunk> {
  for await (const points of parts)
    for (const point of points) yield chunkOfPoint(ratePoint(point, rules), dnsCollector)
}

/** Whether the scope's usage is what our own meter measures. */
function isOurs({ collector }: ScopeState): boolean {
  return collector === dnsCollector
}

function periodsLeft(order: Reprocess, usedFrom: UsedFrom, limit: number): readonly Period[] {
  const periods: Period[] = []
  let left = order
  for (;;) {
    const period = nextReprocessPeriod(left, usedFrom)
    if (period === undefined || periods.length === limit) return periods
    periods.push(period)
    left = { ...left, current: period.begin }
  }
}
