import type { Actor } from '../actor.ts'
import type { LogPlace } from '../durable/log-segment.ts'
import type { CollectionName, Collections } from '../model/collections.ts'
import type { PlacedRecordset, RecordsetRun } from '../model/recordset-run.ts'
import type { Steps } from '../time-slice.ts'
import type { GroupIndexName, SumIndexName, UniqueIndexName } from './indexes.ts'
import type { Engine } from './shared/engine.ts'
import type { IndexDefect } from './table-audit.ts'

/** Reads rows. Rows are immutable values; hold on to them freely. */
export type StoreReader = {
  get<C extends CollectionName>(collection: C, id: string): Collections[C] | undefined
  /** Finds by a unique index. O(1). */
  find<C extends CollectionName>(
    collection: C,
    index: UniqueIndexName<C>,
    key: string,
  ): Collections[C] | undefined
  /** Walks a group of rows lazily in order of (createdAt, id). O(log n) to start at `after`, O(1) a row.
   *  `after` is a row's place: the walk starts strictly behind it, whether or not it still exists. */
  list<C extends CollectionName>(
    collection: C,
    index: GroupIndexName<C>,
    key: string,
    options?: ListOptions,
  ): Iterable<Collections[C]>
  /** Counts a group. O(1). */
  count<C extends CollectionName>(collection: C, index: GroupIndexName<C>, key: string): number
  /** Reads a declared sum over the rows with the same key. O(1). */
  sum<C extends CollectionName>(collection: C, index: SumIndexName<C>, key: string): number
}

export type ListOptions = {
  readonly after?: { readonly createdAt: number; readonly id: string }
  readonly isDescending?: boolean
}

/** Reads as the writer sees it: everything committed so far plus this transaction's own writes. */
export type Transaction = StoreReader & {
  /** The time of this commit in microseconds: strictly later than every earlier commit's. */
  readonly atMicros: number
  /** Inserts or replaces. @throws UniqueViolation another row has the same key in a unique index. */
  put<C extends CollectionName>(collection: C, row: Collections[C]): void
  /** Inserts new record sets of one zone, however many, without a look at each: nothing that there is may have the
   *  name and type of one, nor may two of them. `stampRun` has given them the time of this commit. */
  insertRecordsets(run: RecordsetRun): void
  /** Writes what was written of recordsets in a transaction that was staged, which is over then. Nothing that this depends on may
   *  have changed since, and this transaction has written no recordset before. */
  adoptRecordsets(staged: StagedTransaction): void
  /** Deletes; does nothing where there is no such row. */
  delete(collection: CollectionName, id: string): void
}

/** A transaction that only its holder sees (`Store.stage`). */
export type StagedTransaction = Transaction & {
  /** Packs what it has changed of recordsets, so that the commit that adopts it need not. Returns, packed and in order, those
   *  that it has made and that name no share: they are not among what it has written any more. */
  packRecordsets(): Steps<RecordsetRun>
}

/** One row's change within a commit: `before` absent on insert, `after` absent on delete. */
export type Change = {
  [C in CollectionName]: {
    readonly collection: C
    readonly id: string
    readonly before: Collections[C] | undefined
    readonly after: Collections[C] | undefined
    /** Rows of a recordset that were packed already. */
    readonly packedBefore?: PlacedRecordset | undefined
    readonly packedAfter?: PlacedRecordset | undefined
  }
}[CollectionName]

/** A transaction that is durable. Each row appears at most once, with its first and last state. */
export type Commit = {
  /** Log sequence number: counts commits, from 1, without gaps. */
  readonly lsn: number
  readonly atMicros: number
  /** All of them, those of `added` last. These are put together when somebody asks, which for very many takes long. */
  readonly changes: readonly Change[]
  /** All but those of `added`. */
  readonly rowChanges: readonly Change[]
  /** New recordsets that came packed, each run of one zone. */
  readonly added: readonly RecordsetRun[]
  /** Who asked for it; undefined where the store does not ask. */
  readonly actor?: Actor | undefined
  /** What the store's `factsOf` made of it. */
  readonly facts?: unknown
}

/** Makes of a commit what its history is to say beside its rows: JSON, kept in the log with them. `reader` reads
 *  as of right behind the commit. It must not throw. */
export type FactsOf = (commit: Commit, reader: StoreReader) => unknown

/** A commit that is read again. */
export type PastCommit = {
  readonly lsn: number
  readonly atMicros: number
  readonly changes: readonly PastChange[]
  /** Undefined where it was written by a program that did not note it. */
  readonly actor?: Actor | undefined
  /** Undefined where it was written by a program that kept none. */
  readonly facts?: unknown
}

/** A commit with changes of a zone, and perhaps of others. */
export type ZoneCommit = {
  readonly lsn: number
  readonly atMicros: number
  /** Of all of it in the log: what reading it costs. */
  readonly octetCount: number
  /** The zone's serial after it; undefined where the zone's own row has not changed or is gone. */
  readonly serial: number | undefined
  readonly place: LogPlace
}

/** One row's change in it: `before` absent on insert, `after` absent on delete. Record sets are put together from packed
 *  rows each time they are asked for. */
export type PastChange = {
  [C in CollectionName]: {
    readonly collection: C
    readonly id: string
    readonly before?: Collections[C] | undefined
    readonly after: Collections[C] | undefined
  }
}[CollectionName] & {
  readonly packedBefore?: PlacedRecordset | undefined
  readonly packedAfter?: PlacedRecordset | undefined
}

/** Called once per commit, after it is durable and visible and before its promise resolves: in order, but that small commits
 *  of other zones come while a large one is made visible or its steps are under way. What takes long is returned as steps:
 *  others have their turn between them, and the listener gets nothing else of this zone before they are done. */
export type CommitListener = (commit: Commit) => Steps<void> | undefined

/** Called once per commit, in order, when the listener is done with it and with all before it. */
export type CommitFollower = (commit: Commit) => void

/** The one place where resources live. One writer process; readers see only what is durable. */
export type Store = StoreReader & {
  /** Walks over all rows of a collection, whatever its indexes say, in no promised order. Of what changes while
   *  the walk is under way it may miss what is new, and give out what is gone, or a row twice. */
  rows<C extends CollectionName>(collection: C): Iterable<Collections[C]>
  /** The record sets of a zone, packed, in order of creation, each until another one is asked for or anything changes. */
  packedRecordsets(zoneId: string): Iterable<PlacedRecordset>
  /** Holds all indexes and sums against the rows, in small steps between which others have their turn and rows
   *  may change: yields each defect, and undefined after a step that found none. */
  indexDefects(): Iterable<IndexDefect | undefined>
  /** Counts all rows of a collection. O(1). */
  size(collection: CollectionName): number
  /** Reads a declared sum over all rows, whatever their keys. O(1). */
  total<C extends CollectionName>(collection: C, index: SumIndexName<C>): number
  /** The keys that the rows of a group index have, each once, in no promised order. O(keys). */
  groupKeys<C extends CollectionName>(collection: C, index: GroupIndexName<C>): readonly string[]
  /** Counts those keys. O(1). */
  countGroups<C extends CollectionName>(collection: C, index: GroupIndexName<C>): number
  /** Runs `change` in the writer's turn and resolves with its value once all it wrote is durable, visible
   *  and given to the listener. `change` runs exactly once, synchronously, alone; what it throws rejects
   *  the promise and nothing of it is kept. A transaction that writes nothing costs no disk.
   *  @throws StoreReadOnlyError the disk has refused a write; reads go on.
   *  @throws StoreBusyError too many changes are waiting for the disk.
   *  @throws StoreUnavailableError the log that several nodes share has not taken it. */
  commit<T>(change: (tx: Transaction) => T): Promise<T>
  /** As `commit`, of a change that takes long: others have their turn between its steps, and what they commit waits. When
   *  it is in the log, changes of other zones wait no longer for it. */
  commitInSteps<T>(change: (tx: Transaction) => Steps<T>): Promise<T>
  /** Whether a commit of the zone's recordsets is being made visible: `packedRecordsets` has some of it by then, while all
   *  else reads as before. */
  isChanging(zoneId: string): boolean
  /** Begins a transaction that no commit is made of, and that only its holder sees: for work that takes longer than
   *  others can wait. They may commit meanwhile, so whoever writes what came of it asks in that commit whether what it
   *  depends on is as it was. */
  stage(): StagedTransaction
  /** The last commit that is, with all before it, durable, visible and given to the listener; 0 where there is none. */
  readonly lastLsn: number
  /** Reads commits behind an LSN again, oldest first, up to the last one given to the listener by the time it gets there. Those
   *  that are not kept any more are left out: LSNs have no gaps, so a jump tells. Reads as it is asked, at most one
   *  commit and a little of a file in memory; what is given up meanwhile is left out too. */
  history(afterLsn: number): AsyncIterable<PastCommit>
  /** Finds the commits that `history` would give out and that have changed a zone or any of its recordsets, newest first; hardly
   *  ever one that has not. Of what the process has not written itself, a file of the log is read before the first of it
   *  is found: by the first who asks for anything in it. */
  zoneCommits(zoneId: string): AsyncIterable<ZoneCommit>
  /** Of the same the commits that have changed zones of a project, newest first, one of several zones as often.
   *  @param zoneIds those that it has; those that it has deleted are found */
  projectCommits(projectId: string, zoneIds: Iterable<string>): AsyncIterable<ZoneCommit>
  /** Of the same the commits that have deleted a zone of a project, or of any project where none is given: those that
   *  removed the zone's row, newest first. */
  deletions(projectId: string | undefined): AsyncIterable<ZoneCommit>
  /** Reads commits that were found, in the order of their LSNs; those that are not kept any more are left out. */
  readCommits(commits: readonly ZoneCommit[]): AsyncIterable<PastCommit>
  /** Sets the listener; there is only one (publish.ts), so that "served" has one meaning. It must not throw. */
  setCommitListener(listener: CommitListener, follower?: CommitFollower): void
  /** Of a store that goes on with the same log as others. */
  readonly shared?: SharedPart | undefined
  /** Why no change is accepted any more, or undefined while all is well. */
  readonly readOnlyReason: string | undefined
  /** Makes what is queued durable, writes a checkpoint and releases the lock. Idempotent. */
  close(): Promise<void>
}

/** What a store has with others that go on with the same log. */
export type SharedPart = {
  /** The name of this one. */
  readonly node: string
  /** Where the log is. */
  readonly engine: Engine
  /** The last commit of the log that this node has, and the link of all up to there; undefined before it has found its place. */
  position(): { readonly lsn: number; readonly link: Buffer } | undefined
  /** Calls `listener` each time that the log turns out not to have commits that this node had and has answered for: at once with those
   *  that were found at the start. They are not visible any more then. */
  whenLost(listener: (lost: readonly PastCommit[]) => void): void
  /** Holds this node, and what the nodes say of themselves, against the log, its links and all rows, while all go on changing. */
  compare(): AsyncIterable<LogDifference>
  /** Resolves when all that was acknowledged anywhere by now is visible here and given to the listener; where that
   *  cannot be known in time, with how old what is visible may be. */
  caughtUp(): Promise<{ readonly staleSeconds: number } | undefined>
}

/** Something that should be the same everywhere: the log as a whole, a row at this node and in PostgreSQL, or what a node says
 *  of itself. */
export type LogDifference = {
  readonly kind: 'log' | 'copy' | 'node'
  readonly collection?: CollectionName
  readonly id?: string
  readonly problem: string
}

/** A change was refused because the store can no longer make it durable. */
export class StoreReadOnlyError extends Error {
  override readonly name = 'StoreReadOnlyError'
}

/** A change was refused because too many are waiting; a later try may well succeed. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError'
}

/** A change is not made, or not known to be made, because the log that several nodes share does not answer; a later try may
 *  well succeed. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** A programming error's guard: services check first and give the proper conflict; this never should fire. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation'
}
