import type { Actor } from '../actor.ts'
import type { Clock } from '../clock.ts'
import type { Meanwhile } from '../durable/log-file.ts'
import { Writability } from '../durable/writability.ts'
import { aheadOfLongWork, inSlices, type Steps, TimeSlice } from '../time-slice.ts'
import { BatchTransaction } from './batch-transaction.ts'
import type { StoredRecordset } from './commit-entry.ts'
import { isLarge, rowCountOf } from './large-commit.ts'
import { Overlay } from './overlay.ts'
import { PackedCommit } from './packed-change.ts'
import { type Done, doEarly, ShownCommits, type ShownCommitsOptions } from './shown-commits.ts'
import {
  type Commit,
  type EarlyWork,
  type FactsOf,
  type StagedTransaction,
  StoreBusyError,
  StoreReadOnlyError,
  StoreUnavailableError,
  type Transaction,
} from './store.ts'

// The one writer. Transactions queue; a batch takes what has queued, runs each over the ones before it, makes all of them durable
// at once, and only then lets them be seen. While a batch is being written the next one gathers, so all its transactions share the
// cost of a sync.

/** Where commits become durable. Several processes may append to one log, each in its turn, and follow what others
 *  append; a log with a single writer has no turns. */
export type CommitLog = {
  /** Takes the turn to write, and resolves when all that others have appended was passed to the follower.
   *  @throws StoreUnavailableError the turn is not available; all changes waiting for it are refused */
  begin?(): Promise<void>
  /** Makes commits durable before it resolves, all of them or none, and ends the turn.
   *  @param meanwhile called, if at all, once while there is nothing to do but wait
   *  @throws StoreUnavailableError none of them is in the log, and later ones may be */
  append(commits: readonly Commit[], meanwhile: Meanwhile): Promise<void>
  /** Ends a turn in which nothing is to be appended. */
  end?(): Promise<void>
  /** Passes on what others append, once, in order and without gaps, after it is durable. */
  follow?(take: (commits: readonly Commit[]) => void): void
}

/** Bounds the size of one write, and how long the first transaction of a batch waits for the last. */
const maxBatchTransactions = 256
const maxBatchRows = 4096
/** Bounds the queue in memory: at a thousand changes a second on a slow disk, a later caller would wait ten seconds. */
const maxQueue = 10_000

export type CommitterOptions = ShownCommitsOptions & {
  readonly log: CommitLog
  readonly clock: Clock
  readonly factsOf?: FactsOf | undefined
  /** The actor of the change requested at that moment. */
  readonly actorOf?: (() => Actor) | undefined
  /** Finds the packed form of a recordset in the tables. */
  readonly stored?: StoredRecordset
  /** Whether changes are accepted; by default, the committer's own. */
  readonly writability?: Writability
  /** Called when changes are no longer accepted because the log failed. */
  readonly onFailed?: () => void
  readonly lastAtMicros?: number
}

type Waiting = {
  /** Runs the transaction over what earlier ones of the batch have written. */
  readonly run: (batch: Overlay) => Done | Promise<Done>
  readonly reject: (error: unknown) => void
}

type Batch = readonly { readonly done: Done; readonly reject: Waiting['reject'] }[]

/** Turns concurrent changes into a sequence of durable batches. */
export class Committer {
  /** What is durable, as readers and the listener see it. */
  readonly shown: ShownCommits
  readonly #options: CommitterOptions
  readonly #queue: Waiting[] = []
  /** Commits of others that are appended but not yet visible here. */
  readonly #others: Commit[] = []
  #running: Promise<void> | undefined
  #lastLsn: number
  #lastAtMicros: number
  #durableLsn: number
  readonly #writability: Writability
  #stopReason: string | undefined

  constructor(options: CommitterOptions) {
    this.#options = options
    this.shown = new ShownCommits(options)
    this.#writability = options.writability ?? new Writability()
    this.#lastLsn = options.lastLsn ?? 0
    this.#lastAtMicros = options.lastAtMicros ?? 0
    this.#durableLsn = this.#lastLsn
    options.log.follow?.(commits => {
      for (const commit of commits) this.#others.push(commit)
      this.#running ??= this.#work()
    })
  }

  get readOnlyReason(): string | undefined {
    return this.#stopReason ?? this.#writability.reason
  }

  /** Refuses further changes and resolves when those already accepted are finished. */
  async stop(reason: string): Promise<void> {
    this.#stopReason ??= reason
    await this.#running
    await this.shown.whole
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
    return new BatchTransaction(
      this.shown.visible.reader,
      this.#nextAtMicros(),
      this.#options.stored,
    )
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
    const turn = log.begin?.()
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
      batch = await this.shown.unchanged(base => this.#runTransactions(new Overlay(base)))
      const commits = batch.flatMap(({ done }) => done.commit ?? [])
      if (commits.length > 0) await this.#append(commits, batch)
      else await log.end?.()
      this.#durableLsn = commits.at(-1)?.lsn ?? this.#durableLsn
    } catch (error) {
      this.#fail(error, batch)
      return
    }
    await this.shown.showBatch(batch.map(({ done }) => done))
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
    if (first !== undefined) this.shown.prepare(first)
    for (const { done } of batch) {
      if (slice.isSpent) return
      if (done.commit !== undefined) doEarly(done.early?.meanwhile)
    }
  }

  async #showOthers(): Promise<void> {
    const slice = new TimeSlice()
    if (this.#others.length > 0) await this.shown.whole
    for (const commit of this.#others.splice(0)) {
      this.#lastLsn = commit.lsn
      this.#durableLsn = commit.lsn
      this.#lastAtMicros = Math.max(this.#lastAtMicros, commit.atMicros)
      await this.shown.show(commit, slice)
      if (slice.isSpent) await slice.yield()
    }
  }

  /** Runs the queued transactions, each over the earlier ones. */
  async #runTransactions(overlay: Overlay): Promise<Batch> {
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
