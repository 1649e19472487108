import { inSlices, TimeSlice, unlessDone } from '../time-slice.ts'
import { isLarge, isOfOtherZones, onlyZoneOf } from './large-commit.ts'
import type { Overlay } from './overlay.ts'
import type {
  Commit,
  CommitFollower,
  CommitListener,
  CommitListeners,
  CommitPreparer,
  EarlyWork,
  StoreReader,
} from './store.ts'
import type { Tables } from './tables.ts'
import { VisibleTables } from './visible-tables.ts'

// Makes durable commits visible and passes them to the listener, one after the other.
//
// A large commit of one zone is made visible beside the later batches, which run over it as if it were visible. Their changes to
// other zones become visible and are acknowledged before it; all else waits until it is visible.

/** Callers notified in one go before other work runs: each has a response to write. */
const callersAtOnce = 8

export type ShownCommitsOptions = {
  readonly tables: Tables
  /** The last commit that is durable already. */
  readonly lastLsn?: number
  /** Called with every commit once it is visible, before the listener. */
  readonly note?: (commit: Commit) => void
  /** Called with each commit once it is published. */
  readonly onPublished?: ((lsn: number) => void) | undefined
}

/** A transaction that has run: what it wrote, if anything, and how to notify its caller. Notification waits for the disk even if
 *  the transaction was refused: the reason may be a row that the batch has not made durable yet. */
export type Done = {
  readonly commit: Commit | undefined
  /** What it wrote over what it read; undefined if it was refused. */
  readonly layer?: Overlay | undefined
  readonly early?: EarlyWork | undefined
  readonly tell: () => void
}

/** A large commit that is being made visible. */
type Beside = {
  readonly zoneId: string
  /** The state after it; undefined once that is visible. */
  after: Overlay | undefined
  readonly isOver: Promise<void>
}

/** Commits on their way from the log to readers and the listener. */
export class ShownCommits {
  /** What readers see. */
  readonly visible: VisibleTables
  readonly #options: ShownCommitsOptions
  #beside: Beside | undefined
  /** Later commits that became visible before it. */
  readonly #overtaking: Commit[] = []
  /** Callbacks waiting until no transaction runs; undefined while none runs. */
  #behindTransactions: (() => void)[] | undefined
  #listener: CommitListener | undefined
  #follower: CommitFollower | undefined
  #preparer: CommitPreparer | undefined
  #begunLsn: number
  #visibleLsn: number
  #publishedLsn: number

  constructor(options: ShownCommitsOptions) {
    this.#options = options
    this.visible = new VisibleTables(options.tables)
    const { lastLsn = 0 } = options
    this.#begunLsn = lastLsn
    this.#visibleLsn = lastLsn
    this.#publishedLsn = lastLsn
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

  /** Resolves when no commit is visible only in part; undefined if none is. */
  get whole(): Promise<void> | undefined {
    return this.#beside?.isOver
  }

  /** Runs transactions over the state that the next commits change: a large commit does not become visible meanwhile. */
  async unchanged<T>(run: (base: StoreReader) => Promise<T>): Promise<T> {
    this.#behindTransactions = []
    try {
      return await run(this.#beside?.after ?? this.#options.tables)
    } finally {
      const behind = this.#behindTransactions
      this.#behindTransactions = undefined
      for (const work of behind) work()
    }
  }

  /** Prepares a commit that is not durable yet, and is to be shown next. */
  prepare(commit: Commit): void {
    if (this.#beside === undefined && !isLarge(commit)) this.#preparer?.(commit)
  }

  /** Shows a batch that is durable, and notifies its callers. */
  async showBatch(batch: readonly Done[]): Promise<void> {
    const slice = new TimeSlice()
    for (const [i, done] of batch.entries()) {
      const { commit } = done
      const beside = this.#beside
      if (beside !== undefined && !mayOvertake(commit, beside)) await beside.isOver
      const zoneId = commit !== undefined && isLarge(commit) ? onlyZoneOf(commit) : undefined
      if (commit !== undefined && zoneId !== undefined)
        this.#showBeside({ ...done, commit }, zoneId)
      else {
        const shown = commit && this.show(commit, slice, done.early)
        if (shown instanceof Promise) await shown
        done.tell()
      }
      if (slice.isSpent || (i + 1) % callersAtOnce === 0) await slice.yield()
    }
  }

  /** Does without a promise what a slice has time for. */
  show(commit: Commit, slice: TimeSlice, early?: EarlyWork): Promise<void> | undefined {
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
}

/** Does work for a caller. */
export function doEarly(work: (() => void) | undefined): void {
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
