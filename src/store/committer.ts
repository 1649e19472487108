import type { Actor } from '../actor.ts'
import type { Clock } from '../clock.ts'
import { Writability } from '../durable/writability.ts'
import { inSlices, type Steps, TimeSlice } from '../time-slice.ts'
import { BatchTransaction } from './batch-transaction.ts'
import type { StoredRecordset } from './commit-entry.ts'
import { isLarge, isOfOtherZones, onlyZoneOf, rowCountOf } from './large-commit.ts'
import { Overlay } from './overlay.ts'
import { PackedCommit } from './packed-change.ts'
import {
  type Commit,
  type CommitFollower,
  type CommitListener,
  type FactsOf,
  type StagedTransaction,
  StoreBusyError,
  StoreReadOnlyError,
  StoreUnavailableError,
  type Transaction,
} from './store.ts'
import type { Tables } from './tables.ts'
import { VisibleTables } from './visible-tables.ts'

// The one writer. Transactions queue; a batch takes what has queued, runs each over the ones before it, makes
// all of them durable at once, and only then lets them be seen. While a batch is on its way to the disk the
// next one gathers, so the cost of a sync is shared by everybody who waits for it.
//
// A large commit of one zone is shown beside the batches behind it, which run over it as if it was shown. What they change
// of other zones is seen and answered for before it; all else waits until it is seen.

/** Where commits become durable. Several processes may append to one log, each in its turn, and follow what others
 *  append. */
export type CommitLog = {
  /** Takes the turn to write, and resolves when all that others have appended was given to who follows. Undefined where
   *  nobody else writes.
   *  @throws StoreUnavailableError there is no turn to be had; all that waits for it is refused */
  begin(): Promise<void> | undefined
  /** Makes commits durable before it resolves, all of them or none, and ends the turn.
   *  @throws StoreUnavailableError none of them is in the log, and later ones may be */
  append(commits: readonly Commit[]): Promise<void>
  /** Ends a turn in which nothing is to be appended. */
  end(): Promise<void> | undefined
  /** Gives out what others append, once, in order and without gaps, after it is durable. */
  follow(take: (commits: readonly Commit[]) => void): void
}

/** Bounds what one write carries, and how long the first of a batch waits for the last. */
const maxBatchTransactions = 256
const maxBatchRows = 4096
/** Callers that hear at once how it went, before others have their turn: each has an answer to write. */
const toldAtOnce = 8
/** Bounds what waits in memory: at a thousand changes a second on a slow disk, whoever comes behind these would
 *  wait ten seconds. */
const maxQueue = 10_000

export type CommitterOptions = {
  readonly tables: Tables
  readonly log: CommitLog
  readonly clock: Clock
  readonly factsOf?: FactsOf | undefined
  /** Who asks for a change at that moment. */
  readonly actorOf?: (() => Actor) | undefined
  /** Called with every commit once it is visible, before the listener. */
  readonly note?: (commit: Commit) => void
  /** Where the tables have recordsets packed. */
  readonly stored?: StoredRecordset
  /** Whether changes are taken; the committer's own when not given. */
  readonly writability?: Writability
  /** Called with each commit that the listener has. */
  readonly onTold?: ((lsn: number) => void) | undefined
  /** Called when changes are taken no more, because the log failed. */
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

/** A transaction that has run: what it wrote, if anything, and how to tell its caller how it went. That waits
 *  for the disk even where it was refused: the reason may be what the batch has not made durable yet. */
type Done = {
  readonly commit: Commit | undefined
  /** What it wrote over what it read; undefined where that was refused. */
  readonly layer?: Overlay | undefined
  readonly tell: () => void
}

type Batch = readonly { readonly done: Done; readonly reject: Waiting['reject'] }[]

/** A large commit that is being shown. */
type Beside = {
  readonly zoneId: string
  /** The state behind it; undefined when that can be seen. */
  after: Overlay | undefined
  readonly isOver: Promise<void>
}

/** Turns concurrent changes into a sequence of durable batches. */
export class Committer {
  /** What readers see. */
  readonly visible: VisibleTables
  readonly #options: CommitterOptions
  readonly #queue: Waiting[] = []
  /** What others have appended and is not visible here yet. */
  readonly #others: Commit[] = []
  #beside: Beside | undefined
  /** What was shown before it, and is behind it in order. */
  readonly #overtaking: Commit[] = []
  /** What waits until no transaction runs; undefined while none does. */
  #behindTransactions: (() => void)[] | undefined
  #listener: CommitListener | undefined
  #follower: CommitFollower | undefined
  #running: Promise<void> | undefined
  #lastLsn: number
  #lastAtMicros: number
  #durableLsn: number
  #begunLsn: number
  #visibleLsn: number
  #toldLsn: number
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
    this.#toldLsn = this.#lastLsn
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

  /** The last commit of which anything is in the tables. */
  get begunLsn(): number {
    return this.#begunLsn
  }

  /** The last commit that the listener knows, too. */
  get toldLsn(): number {
    return this.#toldLsn
  }

  setListener(listener: CommitListener, follower?: CommitFollower): void {
    this.#listener = listener
    this.#follower = follower
  }

  /** Takes no more changes and resolves when those already taken are done with. */
  async stop(reason: string): Promise<void> {
    this.#stopReason ??= reason
    await this.#running
    await this.#beside?.isOver
  }

  commit<T>(change: (tx: Transaction) => T): Promise<T> {
    return this.#enqueue((batch, actor, { resolve, reject }) => {
      const transaction = new BatchTransaction(batch, this.#nextAtMicros())
      try {
        const value = change(transaction)
        return this.#done(transaction, actor, () => resolve(value))
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
    return new BatchTransaction(this.visible, this.#nextAtMicros(), this.#options.stored)
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
    // Whatever else is asked for in the same turn of the event loop still gets into the first batch.
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
      if (commits.length > 0) await log.append(commits)
      else await log.end()
      this.#durableLsn = commits.at(-1)?.lsn ?? this.#durableLsn
    } catch (error) {
      this.#fail(error, batch)
      return
    }
    await this.#showBatch(batch)
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
        if (commit !== undefined) await this.#show(commit, slice)
        done.tell()
      }
      if (slice.isSpent || (i + 1) % toldAtOnce === 0) await slice.rest()
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
      if (slice.isSpent) await slice.rest()
    }
  }

  /** Runs what has queued, each over the ones before it. */
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
      // Not right behind it: nobody reads what the last one of a batch has written.
      const before = batch.at(-1)?.done.commit
      if (before !== undefined) overlay.absorb(before)
      const running = waiting.run(overlay)
      const done = running instanceof Promise ? await running : running
      batch.push({ done, reject: waiting.reject })
      if (done.commit !== undefined) rowCount += rowCountOf(done.commit)
      // The next ones run over it alone.
      if (done.commit !== undefined && isLarge(done.commit)) break
      if (slice.isSpent) await slice.rest()
    }
    return batch
  }

  async #show(commit: Commit, slice: TimeSlice): Promise<void> {
    this.#begunLsn = commit.lsn
    if (isLarge(commit)) {
      const reveal = await inSlices(this.visible.applyInSteps(commit), slice)
      reveal()
    } else this.visible.apply(commit)
    if (this.#beside === undefined) this.#visibleLsn = commit.lsn
    this.#options.note?.(commit)
    await this.#publish(commit, slice)
    if (this.#beside === undefined) this.#told(commit)
    else this.#overtaking.push(commit)
  }

  #showBeside({ commit, layer, tell }: Done & { readonly commit: Commit }, zoneId: string): void {
    this.#begunLsn = commit.lsn
    const beside: Beside = {
      zoneId,
      after: layer?.over(this.visible),
      isOver: this.#showAll(commit),
    }
    this.#beside = beside
    void beside.isOver.then(tell)
  }

  async #showAll(commit: Commit): Promise<void> {
    const slice = new TimeSlice()
    await slice.rest()
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
      this.#told(each)
    }
  }

  async #publish(commit: Commit, slice: TimeSlice): Promise<void> {
    const published = this.#listener?.(commit)
    if (published !== undefined) await inSlices(published, slice)
  }

  #told(commit: Commit): void {
    this.#toldLsn = commit.lsn
    this.#follower?.(commit)
    this.#options.onTold?.(commit.lsn)
  }

  /** Refuses a batch and, unless the log takes later ones, all that waits. Where the log has nothing of the batch, its
   *  numbers are given to the changes that come next. */
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

/** Whether what has run behind a large commit may be answered for before it. What has written nothing may hang on it. */
function mayOvertake(commit: Commit | undefined, { zoneId }: Beside): boolean {
  return commit !== undefined && !isLarge(commit) && isOfOtherZones(commit, zoneId)
}
