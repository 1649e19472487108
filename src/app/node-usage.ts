import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import { realFiles } from '../durable/file-system.ts'
import { Mutex } from '../mutex.ts'
import type { Rater } from '../rating/collector/rater.ts'
import { mergeHour } from '../rating/metering/hour-merge.ts'
import { openHourSource } from '../rating/metering/hour-source.ts'
import { countsOfTally, HourlyUsage, type UsageCount } from '../rating/metering/hourly-usage.ts'
import type { Meter } from '../rating/metering/meter.ts'
import { NodeHours } from '../rating/metering/node-hours.ts'
import { type Hour, hourOf, periodOf } from '../rating/metering/tally.ts'
import { UsageMerger } from '../rating/metering/usage-merger.ts'
import { contains, hourSeconds, type Period } from '../rating/period.ts'
import { RatingTerm } from '../rating/rating-term.ts'
import { PointStore } from '../rating/segments/point-store.ts'
import { TermPoints } from '../rating/segments/term-points.ts'
import { usageFolders } from '../rating/usage-repair.ts'
import { openSharedFiles } from '../store/shared/files.ts'
import { SharedUsage } from '../store/shared/usage.ts'
import type { SharedPart } from '../store/store.ts'
import { type MeteredUsage, makeRater, type RatedUsage, type UsageOptions } from './own-usage.ts'

// The composition root's part for usage that several nodes meter and one of them rates.

type NodeUsageOptions = UsageOptions & {
  readonly shared: SharedPart
  readonly cluster: Cluster
  /** The points of the options' rating. */
  readonly points: TermPoints
  /** Under which name this node hands an hour over. */
  readonly sourceOf: (hour: Hour) => string
}

/** The folder below the data directory where the rating node has its copy of the points. It may contain nothing else. */
const copyFolder = 'usage/shared'
/** The file with the id of the directory. */
const sourceFile = 'usage/source.json'

/** The parts of one term of the duty. */
type Term = { readonly epoch: number; readonly merger: UsageMerger; readonly rater: Rater }

/** The usage of several nodes: this node hands over its hours, and rates those of all nodes while it has the duty. */
export class NodeUsage implements MeteredUsage {
  readonly hourly = new TermPoints()
  readonly meterOptions: MeteredUsage['meterOptions']
  readonly #options: NodeUsageOptions
  readonly #handed: SharedUsage
  readonly #ownHours: NodeHours
  /** The hours of all nodes. A merger opens the scopes of their projects itself. */
  readonly #hours = new HourlyUsage(this.hourly, async () => undefined)
  readonly #changes = new Mutex()
  #term: Term | undefined

  static async open(options: Omit<NodeUsageOptions, 'sourceOf'>): Promise<NodeUsage> {
    const { config, shared, clock } = options
    const sourceOf = await openHourSource({
      files: realFiles,
      path: join(config.dataDir, sourceFile),
      meterFolder: join(config.dataDir, usageFolders.meter),
      node: shared.node,
      hour: hourOf(clock.nowMillis()),
    })
    return new NodeUsage({ ...options, sourceOf })
  }

  private constructor(options: NodeUsageOptions) {
    this.#options = options
    const { shared, clock, sourceOf } = options
    this.#handed = new SharedUsage(shared.engine)
    const caughtUp = async () => {
      if ((await shared.caughtUp()) !== undefined)
        throw new Error('it is not known whether other nodes have changed something')
    }
    this.#ownHours = new NodeHours({ sourceOf, handed: this.#handed, caughtUp, clock })
    const onTakenBack = async () => undefined
    this.meterOptions = { hours: this.#ownHours, onTakenBack, isBookedByCommit: true }
  }

  begin(meter: Meter): RatedUsage {
    this.#options.cluster.duty.whenHeld(lost => {
      lost.addEventListener('abort', () => void this.#changes.run(() => this.#end()))
    })
    return {
      takeUp: () => this.#changes.run(() => this.#takeUp()),
      rate: () => this.#rate(),
      flushed: () => this.#flushed(meter.closedUntil / hourSeconds),
      usageIn: (projectId, period) => this.#usageIn(meter, projectId, period),
      stop: () => stopTerm(this.#term),
      close: () => this.#changes.run(() => this.#end()),
    }
  }

  async #rate(): Promise<void> {
    await this.#changes.run(() => this.#takeUp())
    const term = this.#term
    if (term === undefined) return
    await term.merger.run()
    await term.rater.run()
  }

  /** Opens the parts that the duty needs, with the data of earlier holders; again after a failed write. */
  async #takeUp(): Promise<void> {
    const { rating, cluster, points, config, shared, store } = this.#options
    const { isHeld, epoch } = cluster.duty
    const isWritable =
      points.readOnlyReason === undefined && this.hourly.readOnlyReason === undefined
    if (isHeld && this.#term?.epoch === epoch && isWritable) return
    await this.#end()
    if (!isHeld) return
    const term = new RatingTerm(store, epoch)
    await term.begin()
    const directory = join(config.dataDir, copyFolder)
    const { engine } = shared
    const files = await openSharedFiles({ engine, epoch, directory })
    this.hourly.use(await PointStore.open(join(directory, usageFolders.hours), { files }))
    points.use(await PointStore.open(join(directory, usageFolders.points), { files }))
    rating.budgetWatch.ledger.forgetAll()
    await rating.scopes.finishResets()
    this.#term = { epoch, ...this.#newTerm(term) }
  }

  #newTerm(term: RatingTerm): Omit<Term, 'epoch'> {
    const { rating, clock } = this.#options
    const merger = new UsageMerger({
      handed: this.#handed,
      hours: this.#hours,
      scopes: rating.scopes,
      nodes: () => this.#handed.meteringNodes(),
      clock,
    })
    const meteredUntil = () => merger.mergedUntil ?? Number.NEGATIVE_INFINITY
    return { merger, rater: makeRater(this.#options, this.#hours, meteredUntil, term) }
  }

  async #end(): Promise<void> {
    const term = this.#term
    this.#term = undefined
    await stopTerm(term)
    await this.hourly.close()
    await this.#options.points.close()
  }

  /** Ensures that PostgreSQL has what this node has handed over: with each flush, as a failover may have lost it. */
  async #flushed(until: number): Promise<void> {
    const { shared, store } = this.#options
    if (store.readOnlyReason !== undefined) return
    await this.#ownHours.handOverAgain()
    await this.#handed.noteMetered(shared.node, until)
  }

  /** The merged usage, the usage handed over and not merged yet, and the usage that this node meters. */
  async *#usageIn(meter: Meter, projectId: string, period: Period): AsyncGenerator<UsageCount> {
    const mergedUntil = this.#term?.merger.mergedUntil ?? period.begin
    const end = Math.min(period.end, mergedUntil)
    if (period.begin < end) yield* this.#hours.read({ begin: period.begin, end }, projectId)
    for (const hour of await this.#handed.unmerged()) {
      const { begin } = periodOf(hour)
      if (begin < mergedUntil || !contains(period, begin)) continue
      for (const { owner, tally } of await mergeHour(await this.#handed.read(hour)))
        if (owner.projectId === projectId) yield* countsOfTally({ owner, tally }, periodOf(hour))
    }
    const { counts } = await meter.openUsage(projectId)
    for (const count of counts) if (contains(period, count.begin)) yield count
  }
}

async function stopTerm(term: Term | undefined): Promise<void> {
  term?.merger.stop()
  await term?.rater.stop()
}
