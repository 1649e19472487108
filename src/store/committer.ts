import type { Actor } from '../actor.ts'
import type { Clock } from '../clock.ts'
import type { Meanwhile } from '../durable/log-file.ts'
import { Writability } from '../durable/writability.ts'
import { aheadOfLongWork, inSlices, type Steps, TimeSlice, unlessDone } from '../time-slice.ts'
import { BatchTransaction } from './batch-transaction.ts'
import type { StoredRecordset } from './commit-entry.ts'
import { isLarge, isOfOtherZones, onlyZoneOf, rowCountOf } from './large-commit.ts'
import { Overlay } from './overlay.ts'
import { PackedCommit } from './packed-change.ts'
import {
  type Commit,
  type CommitFollower,
  type CommitListener,
  type CommitListeners,
  type CommitPreparer,
  type EarlyWork,
  type FactsOf,
  type StagedTransaction,
  StoreBusyError,
  StoreReadOnlyError,
  StoreUnavailableError,
  type Transaction,
} from './store.ts'
import type { Tables } from './tables.ts'
import { VisibleTables } from './visible-tables.ts'

// The one writer. Transactions queue; a batch takes what has queued, runs each over the ones before it, makes all of them durable
// at once, and only then lets them be seen. While a batch is being written the next one gathers, so all its transactions share the
// cost of a sync.
//
// A large commit of one zone is made visible beside the later batches, which run over it as if it were visible. Their changes to
// other zones become visible and are acknowledged before it; all else waits until it is visible.

/** Where commits become durable. Several processes may append to one log, each in its turn, and follow what others
 *  append. */
export type CommitLog = {
  /** Takes the turn to write, and resolves when all that others have appended was passed to the follower. Undefined if there are
   *  no other writers.
   *  @throws StoreUnavailableError the turn is not available; all changes waiting for it are refused */
  begin(): Promise<void> | undefined
  /** Makes commits durable before it resolves, all of them or none, and ends the turn.
   *  @param meanwhile called, if at all, once while there is nothing to do but wait
   *  @throws StoreUnavailableError none of them is in the log, and later ones may be */
  append(commits: readonly Commit[], meanwhile: Meanwhile): Promise<void>
  /** Ends a turn in which nothing is to be appended. */
  end(): Promise<void> | undefined
  /** Passes on what others append, once, in order and without gaps, after it is durable. */
  follow(take: (commits: readonly Commit[]) => void): void
}

/** Bounds the size of one write, and how long the first transaction of a batch waits for the last. */
const maxBatchTransactions = 256
const maxBatchRows = 4096
/** Callers notified in one go before other work runs: each has a response to write. */
const callersAtOnce = 8
/** Bounds the queue in memory: at a thousand changes a second on a slow disk, a later caller would wait ten seconds. */
const maxQueue = 10_000

export type CommitterOptions = {
  readonly tables: Tables
  readonly log: CommitLog
  readonly clock: Clock
  readonly factsOf?: FactsOf | undefined
  /** The actor of the change requested at that moment. */
  readonly actorOf?: (() => Actor) | undefined
  /** Called with every commit once it is visible, before the listener. */
  readonly note?: (commit: Commit) => void
  /** Finds the packed form of a recordset in the tables. */
  readonly stored?: StoredRecordset
  /** Whether changes are accepted; by default, the committer's own. */
  readonly writability?: Writability
  /** Called with each commit once it is published. */
  readonly onPublished?: ((lsn: number) => void) | undefined
  /** Called when changes are no longer accepted because the log failed. */
  readonly onFailed?: () => void
  /** The last commit that is durable already. */
  readonly lastLsn?: number
  readonly lastAtMicros?: number
}

type Waiting = {
  /** Runs the transaction over what earlier ones of the batch have written. */
  readonly run: (batch: Overlay) => Done | Promise<Done>
  readonly reject: (error: unknown) => void
}

/** A transaction that has run: what it wrote, if anything, and how to notify its caller. Notification waits for the disk even if
 *  the transaction was refused: the reason may be a row that the batch has not made durable yet. */
type Done = {
  readonly commit: Commit | undefined
  /** What it wrote over what it read; undefined if it was refused. */
  readonly layer?: Overlay | undefined
  readonly early?: EarlyWork | undefined
  readonly tell: () => void
}

type Batch = readonly { readonly done: Done; readonly reject: Waiting['reject'] }[]

/** A large commit that is being made visible. */
type Beside = {
  readonly zoneId: string
  /** The state after it; undefined once that is visible. */
  after: Overlay | undefined
  readonly isOver: Promise<void>
}

/** Turns concurrent changes into a sequence of durable batches. */
export class Committer {
  /** What readers see. */
  readonly visible: VisibleTables
  readonly #options: CommitterOptions
  readonly #queue: Waiting[] = []
  /** Commits of others that are appended but not yet visible here. */
  readonly #others: Commit[] = []
  #beside: Beside | undefined
  /** Later commits that became visible before it. */
  readonly #overtaking: Commit[] = []
  /** Callbacks waiting until no transaction runs; undefined while none runs. */
  #behindTransactions: (() => void)[] | undefined
  #listener: CommitListener | undefined
  #follower: CommitFollower | undefined
  #preparer: CommitPreparer | undefined
  #running: Promise<void> | undefined
  #lastLsn: number
  #lastAtMicros: number
  #durableLsn: number
  #begunLsn: number
  #visibleLsn: number
  #publishedLsn: number
  readonly #writability: Writability
  #stopReason: string | undefined

  constructor(options: CommitterOptions) {
    this.#options = options
    this.visible = new VisibleTables(options.tables)
    this.#writability = options.writability ?? new Writability()
    this.#lastLsn = options.lastLsn ?? 0
    this.#lastAtMicros = options.lastAtMicros ?? 0
    this.#durableLsn = this.#lastLsn
    this.#begunLsn = this.#lastLsn
    this.#visibleLsn = this.#lastLsn
    this.#publishedLsn = this.#lastLsn
    options.log.follow(commits => {
      for (const commit of commits) this.#others.push(commit)
      this.#running ??= this.#work()
    })
  }

  get readOnlyReason(): string | undefined {
    return this.#stopReason ?? this.#writability.reason
  }

  /** The last commit that is, with all before it, durable and visible. */
  get visibleLsn(): number {
    return this.#visibleLsn
  }

  /** The last commit that is at least partly in the tables. */
  get begunLsn(): number {
    return this.#begunLsn
  }

  /** The last commit that is published, with all before it. */
  get publishedLsn(): number {
    return this.#publishedLsn
  }

  setListener(...[listener, follower, preparer]: CommitListeners): void {
    this.#listener = listener
    this.#follower = follower
    this.#preparer = preparer
  }

  /** Refuses further changes and resolves when those already accepted are finished. */
  async stop(reason: string): Promise<void> {
    this.#stopReason ??= reason
    await this.#running
    await this.#beside?.isOver
  }

  /** What `Store.commit` says. */
  commit<T>(change: (tx: Transaction) => T, early?: EarlyWork): Promise<T> {
    return this.#enqueue((batch, actor, { resolve, reject }) => {
      const transaction = new BatchTransaction(batch, this.#nextAtMicros())
      try {
        const value = change(transaction)
        return { ...this.#done(transaction, actor, () => resolve(value)), early }
      } catch (error) {
        return { commit: undefined, tell: () => reject(error) }
      } finally {
        transaction.end()
      }
    })
  }

  /** What `Store.commitInSteps` says. */
  commitInSteps<T>(change: (tx: Transaction) => Steps<T>): Promise<T> {
    return this.#enqueue(async (batch, actor, { resolve, reject }) => {
      const transaction = new BatchTransaction(batch, this.#nextAtMicros())
      try {
        const value = await inSlices(change(transaction))
        return this.#done(transaction, actor, () => resolve(value))
      } catch (error) {
        return { commit: undefined, tell: () => reject(error) }
      } finally {
        transaction.end()
      }
    })
  }

  /** What `Store.stage` says. */
  stage(): StagedTransaction {
    return new BatchTransaction(this.visible.reader, this.#nextAtMicros(), this.#options.stored)
  }

  #enqueue<T>(
    run: (
      batch: Overlay,
      actor: Actor | undefined,
      caller: Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'>,
    ) => ReturnType<Waiting['run']>,
  ): Promise<T> {
    const reason = this.readOnlyReason
    if (reason !== undefined) {
      const { error: cause } = this.#writability
      return Promise.reject(new StoreReadOnlyError(reason, { cause }))
    }
    if (this.#queue.length >= maxQueue) {
      return Promise.reject(new StoreBusyError(`${maxQueue} changes are waiting for the disk`))
    }
    const actor = this.#options.actorOf?.()
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: batch => run(batch, actor, { resolve, reject }), reject })
      this.#running ??= this.#work()
    })
  }

  async #work(): Promise<void> {
    // Changes requested later in the same turn of the event loop still join the first batch.
    await Promise.resolve()
    while (this.#queue.length + this.#others.length > 0) {
      if (this.#others.length > 0) await this.#showOthers()
      if (this.#queue.length > 0) await this.#runBatch()
    }
    this.#running = undefined
  }

  async #runBatch(): Promise<void> {
    const { log } = this.#options
    let batch: Batch = []
    const turn = log.begin()
    if (turn !== undefined) {
      try {
        await turn
      } catch (error) {
        this.#fail(error, this.#queue.splice(0))
        return
      }
      await this.#showOthers()
    }
    try {
      batch = await this.#runTransactions()
      const commits = batch.flatMap(({ done }) => done.commit ?? [])
      if (commits.length > 0) await this.#append(commits, batch)
      else await log.end()
      this.#durableLsn = commits.at(-1)?.lsn ?? this.#durableLsn
    } catch (error) {
      this.#fail(error, batch)
      return
    }
    await this.#showBatch(batch)
  }

  #append(commits: readonly Commit[], batch: Batch): Promise<void> {
    const appended = this.#options.log.append(commits, () => this.#workMeanwhile(batch))
    return commits.some(isLarge) ? appended : aheadOfLongWork(appended)
  }

  /** Does what can be done before a batch is durable, as long as a slice lasts. The first commit may be prepared: nothing else
   *  becomes visible before it. */
  #workMeanwhile(batch: Batch): void {
    const slice = new TimeSlice()
    const first = batch.find(({ done }) => done.commit !== undefined)?.done.commit
    if (first !== undefined && this.#beside === undefined && !isLarge(first))
      this.#preparer?.(first)
    for (const { done } of batch) {
      if (slice.isSpent) return
      if (done.commit !== undefined) doEarly(done.early?.meanwhile)
    }
  }

  async #showBatch(batch: Batch): Promise<void> {
    const slice = new TimeSlice()
    for (const [i, { done }] of batch.entries()) {
      const { commit } = done
      const beside = this.#beside
      if (beside !== undefined && !mayOvertake(commit, beside)) await beside.isOver
      const zoneId = commit !== undefined && isLarge(commit) ? onlyZoneOf(commit) : undefined
      if (commit !== undefined && zoneId !== undefined)
        this.#showBeside({ ...done, commit }, zoneId)
      else {
        const shown = commit && this.#show(commit, slice, done.early)
        if (shown instanceof Promise) await shown
        done.tell()
      }
      if (slice.isSpent || (i + 1) % callersAtOnce === 0) await slice.yield()
    }
  }

  async #showOthers(): Promise<void> {
    const slice = new TimeSlice()
    if (this.#others.length > 0) await this.#beside?.isOver
    for (const commit of this.#others.splice(0)) {
      this.#lastLsn = commit.lsn
      this.#durableLsn = commit.lsn
      this.#lastAtMicros = Math.max(this.#lastAtMicros, commit.atMicros)
      await this.#show(commit, slice)
      if (slice.isSpent) await slice.yield()
    }
  }

  /** Runs the queued transactions, each over the earlier ones. */
  async #runTransactions(): Promise<Batch> {
    this.#behindTransactions = []
    try {
      return await this.#runOver(new Overlay(this.#beside?.after ?? this.#options.tables))
    } finally {
      const behind = this.#behindTransactions
      this.#behindTransactions = undefined
      for (const work of behind) work()
    }
  }

  async #runOver(overlay: Overlay): Promise<Batch> {
    const batch: Batch[number][] = []
    const slice = new TimeSlice()
    let rowCount = 0
    while (batch.length < maxBatchTransactions && rowCount < maxBatchRows) {
      const waiting = this.#queue.shift()
      if (waiting === undefined) break
      // Done here, not right after that transaction: the writes of the last one of a batch are never read.
      const before = batch.at(-1)?.done.commit
      if (before !== undefined) overlay.absorb(before)
      const running = waiting.run(overlay)
      const done = running instanceof Promise ? await running : running
      batch.push({ done, reject: waiting.reject })
      if (done.commit !== undefined) rowCount += rowCountOf(done.commit)
      // Later transactions run over it alone.
      if (done.commit !== undefined && isLarge(done.commit)) break
      if (slice.isSpent) await slice.yield()
    }
    return batch
  }

  /** Does without a promise what a slice has time for. */
  #show(commit: Commit, slice: TimeSlice, early?: EarlyWork): Promise<void> | undefined {
    this.#begunLsn = commit.lsn
    if (isLarge(commit)) return this.#showLarge(commit, slice)
    this.visible.apply(commit)
    if (this.#beside === undefined) this.#visibleLsn = commit.lsn
    this.#options.note?.(commit)
    const published = this.#publish(commit, slice)
    if (published === undefined) return this.#shown(commit, early)
    return published.then(() => this.#shown(commit, early))
  }

  async #showLarge(commit: Commit, slice: TimeSlice): Promise<void> {
    const reveal = await inSlices(this.visible.applyInSteps(commit), slice)
    reveal()
    if (this.#beside === undefined) this.#visibleLsn = commit.lsn
    this.#options.note?.(commit)
    await this.#publish(commit, slice)
    this.#shown(commit)
  }

  #shown(commit: Commit, early?: EarlyWork): undefined {
    doEarly(early?.onServed)
    if (this.#beside === undefined) this.#published(commit)
    else this.#overtaking.push(commit)
  }

  #showBeside({ commit, layer, tell }: Done & { readonly commit: Commit }, zoneId: string): void {
    this.#begunLsn = commit.lsn
    const beside: Beside = {
      zoneId,
      after: layer?.over(this.visible.reader),
      isOver: this.#showAll(commit),
    }
    this.#beside = beside
    void beside.isOver.then(tell)
  }

  async #showAll(commit: Commit): Promise<void> {
    const slice = new TimeSlice()
    await slice.yield()
    const reveal = await inSlices(this.visible.applyInSteps(commit), slice)
    // What runs has counted on it not being in what it reads.
    await new Promise<void>(resolve => {
      const work = () => {
        reveal()
        if (this.#beside !== undefined) this.#beside.after = undefined
        resolve()
      }
      if (this.#behindTransactions === undefined) work()
      else this.#behindTransactions.push(work)
    })
    this.#options.note?.(commit)
    await this.#publish(commit, slice)
    this.#beside = undefined
    for (const each of [commit, ...this.#overtaking.splice(0)]) {
      this.#visibleLsn = each.lsn
      this.#published(each)
    }
  }

  #publish(commit: Commit, slice: TimeSlice): Promise<void> | undefined {
    const published = this.#listener?.(commit)
    return published && unlessDone(published, slice)
  }

  #published(commit: Commit): void {
    this.#publishedLsn = commit.lsn
    this.#follower?.(commit)
    this.#options.onPublished?.(commit.lsn)
  }

  /** Refuses a batch and, unless the log takes later ones, all waiting changes. If the log has none of the batch, its numbers
   *  are reused for the next changes. */
  #fail(cause: unknown, batch: readonly Pick<Waiting, 'reject'>[]): void {
    this.#lastLsn = this.#durableLsn
    if (cause instanceof StoreUnavailableError) {
      for (const { reject } of batch) reject(cause)
      return
    }
    const isFirst = this.#writability.fail(cause)
    const waiting = [...batch, ...this.#queue.splice(0)]
    const failure = new StoreReadOnlyError(this.#writability.reason, { cause })
    for (const { reject } of waiting) reject(failure)
    if (isFirst) this.#options.onFailed?.()
  }

  #done(layer: BatchTransaction, actor: Actor | undefined, tell: () => void): Done {
    return { commit: this.#sequence(layer, actor), layer, tell }
  }

  #sequence(transaction: BatchTransaction, actor: Actor | undefined): Commit | undefined {
    const rowChanges = transaction.changes()
    const added = transaction.added()
    if (rowChanges.length + added.length === 0) return undefined
    this.#lastLsn += 1
    this.#lastAtMicros = transaction.atMicros
    const { atMicros } = transaction
    const parts = { lsn: this.#lastLsn, atMicros, rowChanges, added, actor }
    const facts = this.#options.factsOf?.(new PackedCommit(parts), transaction)
    return new PackedCommit({ ...parts, facts })
  }

  #nextAtMicros(): number {
    return Math.max(this.#lastAtMicros + 1, this.#options.clock.nowMillis() * 1000)
  }
}

function doEarly(work: (() => void) | undefined): void {
  try {
    work?.()
  } catch {
    // The caller will find it not done, and fail itself.
  }
}

/** Whether a transaction that ran after a large commit may be acknowledged before it. One that has written nothing may depend on it. */
function mayOvertake(commit: Commit | undefined, { zoneId }: Beside): boolean {
  return commit !== undefined && !isLarge(commit) && isOfOtherZones(commit, zoneId)
}
