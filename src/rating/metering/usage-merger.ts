import type { Clock } from '../../clock.ts'
import type { Instant } from '../../model/rating.ts'
import { TimeSlice } from '../../time-slice.ts'
import { add, type Decimal, subtract, zero } from '../decimal.ts'
import { getOrPut } from '../get-or-put.ts'
import type { Scopes } from '../scopes/scopes.ts'
import type { HandedHours } from './handed-hours.ts'
import { mergeHour } from './hour-merge.ts'
import { countsOfTally, type HourlyUsage, type UsageCount, type ZoneTally } from './hourly-usage.ts'
import { type Hour, hourOf, periodOf } from './tally.ts'

/** A node that lives, and the first hour that it still meters; undefined while it has handed nothing over. */
export type MeteringNode = { readonly node: string; readonly meteredUntil: Hour | undefined }

type UsageMergerOptions = {
  readonly handed: Pick<HandedHours, 'unmerged' | 'read' | 'markMerged' | 'dropBefore'>
  readonly hours: Pick<HourlyUsage, 'read' | 'write'>
  readonly scopes: Pick<Scopes, 'open' | 'rateAgain'>
  /** The nodes that live. */
  readonly nodes: () => Promise<readonly MeteringNode[]>
  readonly clock: Clock
}

/** Hours after its end at which an hour is merged without the nodes that have not handed it over. */
const patienceHours = 2
/** How long entries are kept so that late ones can be merged with them; what comes later still is left out. */
const keptHours = 7 * 24

/** Merges the hours that the nodes have handed over, for rating. Runs at the node that has the duty.
 *
 *  An hour is merged when all live nodes have handed it over, or `patienceHours` after its end. Later entries are merged
 *  with the earlier ones, and projects whose usage changes by that are rated again from that hour on, because the tiers of
 *  a month depend on all usage before. A merge that was interrupted is repeated with the same result. */
export class UsageMerger {
  readonly #options: UsageMergerOptions
  #mergedUntil: Hour | undefined
  #isStopped = false

  constructor(options: UsageMergerOptions) {
    this.#options = options
  }

  /** Hours that begin before are merged; undefined before the first run. */
  get mergedUntil(): Instant | undefined {
    return this.#mergedUntil === undefined ? undefined : periodOf(this.#mergedUntil).begin
  }

  async run(): Promise<void> {
    try {
      await this.#run()
    } catch (error) {
      // Whatever ended it, the next holder of the duty merges the hour again.
      if (!this.#isStopped) throw error
    }
  }

  /** Merges no more hours, not even the one under way. */
  stop(): void {
    this.#isStopped = true
  }

  async #run(): Promise<void> {
    const { handed, nodes, clock } = this.#options
    const now = hourOf(clock.nowMillis())
    const until = awaitedHour(await nodes(), now)
    await handed.dropBefore(now - keptHours)
    for (const hour of await handed.unmerged()) {
      this.#requireRunning()
      if (hour < until) await this.#merge(hour)
    }
    this.#mergedUntil = until
  }

  #requireRunning(): void {
    if (this.#isStopped) throw new Error('the merger is stopped')
  }

  async #merge(hour: Hour): Promise<void> {
    const { handed, hours, scopes } = this.#options
    const requireRunning = () => this.#requireRunning()
    const parts = await handed.read(hour)
    const merged = await mergeHour(parts, requireRunning)
    const changed = await this.#changed(hour, merged)
    await scopes.open(new Set(merged.map(({ owner }) => owner.projectId)), periodOf(hour))
    if (changed.size > 0) {
      // Before the hour is replaced: a crash in between must not lose the order to rate it again.
      await scopes.rateAgain(changed, periodOf(hour).begin)
      await hours.write(hour, merged, requireRunning)
    }
    await handed.markMerged(hour, parts)
  }

  /** The projects whose stored usage differs. */
  async #changed(hour: Hour, merged: readonly ZoneTally[]): Promise<ReadonlySet<string>> {
    const lacking = new Map<string, Map<string, Decimal>>()
    const note = (count: UsageCount, amount: Decimal) => {
      const ofProject = getOrPut(lacking, count.owner.projectId, () => new Map())
      const key = keyOf(count)
      const sum = add(ofProject.get(key) ?? zero, amount)
      if (sum.coefficient === 0n) ofProject.delete(key)
      else ofProject.set(key, sum)
    }
    const slice = new TimeSlice()
    for (const zone of merged) {
      this.#requireRunning()
      for (const count of countsOfTally(zone, periodOf(hour))) note(count, count.amount)
      if (slice.isSpent) await slice.yield()
    }
    for await (const count of this.#options.hours.read(periodOf(hour))) {
      this.#requireRunning()
      note(count, subtract(zero, count.amount))
      if (slice.isSpent) await slice.yield()
    }
    const projects = [...lacking].filter(([, { size }]) => size > 0)
    return new Set(projects.map(([projectId]) => projectId))
  }
}

/** The first hour that is still waited for. */
function awaitedHour(nodes: readonly MeteringNode[], now: Hour): Hour {
  const metered = nodes.map(({ meteredUntil }) => meteredUntil ?? 0)
  return Math.max(Math.min(now, ...metered), now - patienceHours)
}

function keyOf({ metric, transport, rcode, owner }: UsageCount): string {
  const { zoneId, zoneName, zoneType, poolId } = owner
  return JSON.stringify([metric, transport, rcode, zoneId, zoneName, zoneType, poolId])
}
