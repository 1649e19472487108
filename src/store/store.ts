import type { Actor } from '../actor.ts'
import type { LogPlace } from '../durable/log-segment.ts'
import type { CollectionName, Collections } from '../model/collections.ts'
import type { PlacedRecordset, RecordsetRun } from '../model/recordset-run.ts'
import { OperatorError } from '../operator-error.ts'
import type { Steps } from '../time-slice.ts'
import { type GroupIndexName, indexes, type SumIndexName, type UniqueIndexName } from './indexes.ts'
import type { Engine } from './shared/engine.ts'
import type { IndexDefect } from './table-audit.ts'

/** Reads rows. Rows are immutable values; callers may keep them. */
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

type KeyIn<C extends CollectionName> = (row: Collections[C]) => string | undefined

/** Returns the other row, if there is one, that has the key of this row in a unique index. */
export function otherHolder<C extends CollectionName>(
  reader: StoreReader,
  collection: C,
  index: UniqueIndexName<C>,
  row: Collections[C],
): Collections[C] | undefined {
  const keyIn = indexes[collection].unique[index as never] as KeyIn<C>
  const key = keyIn(row)
  const holder = key === undefined ? undefined : reader.find(collection, index, key)
  return holder?.id === row.id ? undefined : holder
}

export type ListOptions = {
  readonly after?: { readonly createdAt: number; readonly id: string }
  readonly isDescending?: boolean
}

/** Reads as the writer sees it: everything committed so far plus this transaction's own writes. */
export type Transaction = StoreReader & {
  /** The time of this commit in microseconds: strictly later than every earlier commit's. */
  readonly atMicros: number
  /** Inserts or replaces a row, and returns it. @throws UniqueViolation another row has the same key in a unique index. */
  put<C extends CollectionName>(collection: C, row: Collections[C]): Collections[C]
  /** Inserts any number of new record sets of one zone without checking each: no existing record set may have the name and type
   *  of one of them, nor may two of them share both. `stampRun` has given them the time of this commit. */
  insertRecordsets(run: RecordsetRun): void
  /** Writes the recordset changes of a staged transaction, which ends with this call. Nothing they depend on may have changed
   *  since, and this transaction has written no recordset before. */
  adoptRecordsets(staged: StagedTransaction): void
  /** Deletes the row; does nothing if it does not exist. */
  delete(collection: CollectionName, id: string): void
}

/** A transaction visible only to its holder (`Store.stage`). */
export type StagedTransaction = Transaction & {
  /** Packs its recordset changes, so that the commit that adopts it need not. Returns, packed and in order, the recordsets that
   *  it has made and that name no share: they no longer count among its writes. */
  packRecordsets(): Steps<RecordsetRun>
}

/** One row's change within a commit: `before` absent on insert, `after` absent on delete. */
export type Change = {
  [C in CollectionName]: {
    readonly collection: C
    readonly id: string
    readonly before: Collections[C] | undefined
    readonly after: Collections[C] | undefined
    /** The rows of a recordset, where they are already packed. */
    readonly packedBefore?: PlacedRecordset | undefined
    packedAfter?: PlacedRecordset | undefined
  }
}[CollectionName]

/** A transaction that is durable. Each row appears at most once, with its first and last state. */
export type Commit = {
  /** Log sequence number: counts commits, from 1, without gaps. */
  readonly lsn: number
  readonly atMicros: number
  /** All changes, those of `added` last. These are built on access, which takes long for very many. */
  readonly changes: readonly Change[]
  /** All but those of `added`. */
  readonly rowChanges: readonly Change[]
  /** New recordsets that came packed, each run of one zone. */
  readonly added: readonly RecordsetRun[]
  /** Who requested it; undefined if the store does not record this. */
  readonly actor?: Actor | undefined
  /** What the store's `factsOf` made of it. */
  readonly facts?: unknown
}

/** Derives from a commit what its history records beside the rows: JSON, kept in the log with them. `reader` reads the state
 *  right after the commit. Must not throw. */
export type FactsOf = (commit: Commit, reader: StoreReader) => unknown

/** A commit read back from the log. What the program version that wrote it did not record is undefined: actor and facts, and
 *  in an earlier form of the log the rows before changes. Recordsets are built from packed rows on each access. */
export type PastCommit = Omit<Commit, 'rowChanges' | 'added'>

/** A commit with changes of a zone, and perhaps of others. */
export type ZoneCommit = {
  readonly lsn: number
  readonly atMicros: number
  /** The size of the whole commit in the log: the cost of reading it. */
  readonly octetCount: number
  /** The zone's serial after it; undefined where the zone's own row has not changed or is gone. */
  readonly serial: number | undefined
  readonly place: LogPlace
}

/** Called once per commit, after it is durable and visible and before its promise resolves: in order, except that small commits
 *  of other zones arrive while a large one is made visible or its steps are running. Long work is returned as steps: other work
 *  runs between them, and the listener gets nothing else of this zone before they are done. */
export type CommitListener = (commit: Commit) => Steps<void> | undefined

/** Called once per commit, in order, when the listener has finished it and all earlier ones. */
export type CommitFollower = (commit: Commit) => void

/** Called with some of the commits while they are being made durable, when the listener has had all earlier ones: it may prepare
 *  what the listener will do, if that is brief, and must not throw. A commit that fails is never seen again. */
export type CommitPreparer = (commit: Commit) => void

/** Who is called with the commits. */
export type CommitListeners = readonly [
  listener: CommitListener,
  follower?: CommitFollower | undefined,
  preparer?: CommitPreparer | undefined,
]

/** What a caller does before its commit resolves. What it throws is ignored: the caller has to notice by itself. */
export type EarlyWork = {
  /** Brief work that does not depend on the outcome, such as preparing the answer: called, if at all, once while the change is
   *  made durable. */
  readonly meanwhile?: () => void
  /** Called, if at all, once when the change is durable, visible and served, just before followers are told of it: the answer
   *  may leave, and they work while it is under way. Not called for a large change. */
  readonly onServed?: () => void
}

/** The one place where resources live. One writer process; readers see only what is durable. */
export type Store = StoreReader & {
  /** Walks all rows of a collection, independently of its indexes, in no guaranteed order. If rows change during the walk, it
   *  may miss new rows, yield deleted ones, or yield a row twice. */
  rows<C extends CollectionName>(collection: C): Iterable<Collections[C]>
  /** The record sets of a zone, packed, in order of creation; each is valid until the next is requested or anything changes. */
  packedRecordsets(zoneId: string): Iterable<PlacedRecordset>
  /** Checks all indexes and sums against the rows, in small steps between which other work runs and rows may change: yields each
   *  defect, and undefined after a step that found none. */
  indexDefects(): Iterable<IndexDefect | undefined>
  /** Counts all rows of a collection. O(1). */
  size(collection: CollectionName): number
  /** Reads a declared sum over all rows, whatever their keys. O(1). */
  total<C extends CollectionName>(collection: C, index: SumIndexName<C>): number
  /** The distinct keys of the rows in a group index, in no guaranteed order. O(keys). */
  groupKeys<C extends CollectionName>(collection: C, index: GroupIndexName<C>): readonly string[]
  /** Counts those keys. O(1). */
  countGroups<C extends CollectionName>(collection: C, index: GroupIndexName<C>): number
  /** Runs `change` in the writer's turn and resolves with its value once all it wrote is durable, visible and passed to the
   *  listener. `change` runs exactly once, synchronously, alone; an error it throws rejects the promise and discards all it
   *  wrote. A transaction that writes nothing costs no disk.
   *  @throws StoreReadOnlyError the disk has refused a write; reads continue.
   *  @throws StoreBusyError too many changes are waiting for the disk.
   *  @throws StoreUnavailableError the log that several nodes share has not taken it. */
  commit<T>(change: (tx: Transaction) => T, early?: EarlyWork): Promise<T>
  /** As `commit`, for a long-running change: other work runs between its steps, and commits queued meanwhile wait. Once it is in
   *  the log, changes of other zones no longer wait for it. */
  commitInSteps<T>(change: (tx: Transaction) => Steps<T>): Promise<T>
  /** Whether a commit of the zone's recordsets is being made visible: `packedRecordsets` already returns part of it, while all
   *  other reads return the state before. */
  isChanging(zoneId: string): boolean
  /** Begins a transaction that is not committed itself and that only its holder sees: for work that takes longer than others can
   *  wait. Others may commit meanwhile, so the commit that writes its result must check that what it depends on has not changed. */
  stage(): StagedTransaction
  /** The last commit that is, with all before it, durable, visible and passed to the listener; 0 if there is none. */
  readonly lastLsn: number
  /** Reads back the commits after an LSN, oldest first, up to the last one passed to the listener when it gets there. Commits no
   *  longer kept are left out: LSNs have no gaps, so a jump reveals them. Reads on demand, with at most one commit and a small piece
   *  of a file in memory; commits dropped meanwhile are left out too. */
  history(afterLsn: number): AsyncIterable<PastCommit>
  /** Finds the commits that `history` would yield and that have changed a zone or any of its recordsets, newest first; very
   *  rarely one that has not. A log file that this process has not written itself is read before its first commit is found, by
   *  the first caller who needs anything in it. */
  zoneCommits(zoneId: string): AsyncIterable<ZoneCommit>
  /** As `zoneCommits`, the commits that have changed zones of a project, newest first; a commit of several zones appears once for each.
   *  @param zoneIds the project's present zones; those that it has deleted are found */
  projectCommits(projectId: string, zoneIds: Iterable<string>): AsyncIterable<ZoneCommit>
  /** As `zoneCommits`, the commits that have deleted a zone of a project, or of any project if none is given: those that removed
   *  the zone's row, newest first. */
  deletions(projectId: string | undefined): AsyncIterable<ZoneCommit>
  /** Reads commits that were found, in order of LSN; commits no longer kept are left out. */
  readCommits(commits: readonly ZoneCommit[]): AsyncIterable<PastCommit>
  /** Sets the listener; there is only one (publish.ts), so that "served" has one meaning. It must not throw. */
  setCommitListener(...listeners: CommitListeners): void
  /** Set if the store shares its log with other nodes. */
  readonly shared?: SharedPart | undefined
  /** Why changes are refused, or undefined while they are accepted. */
  readonly readOnlyReason: string | undefined
  /** Makes what is queued durable, writes a checkpoint and releases the lock. Idempotent. */
  close(): Promise<void>
}

/** The part of a store that shares its log with other nodes. */
export type SharedPart = {
  /** The name of this node. */
  readonly node: string
  /** Where the log is. */
  readonly engine: Engine
  /** The last commit of the log that this node has, and the link over all commits up to it; undefined before the node has found
   *  its position. */
  position(): { readonly lsn: number; readonly link: Buffer } | undefined
  /** Why this node may not change anything although PostgreSQL can be reached (its clock is off, or a later version has written what
   *  it does not know); undefined while it may. */
  refusal(): string | undefined
  /** Whether the copy on the disk of this node could not be written, and is brought up to date at the next start. */
  isCopyBehind(): boolean
  /** Calls `listener` each time the log turns out to lack commits that this node had and has reported as durable, and immediately with
   *  those that are not settled from before. They are no longer visible then. */
  whenLost(listener: (lost: Lost) => void): void
  /** Compares this node, and what the nodes report about themselves, with the log, its links and all rows, while all of these
   *  keep changing. */
  compare(): AsyncIterable<LogDifference>
  /** Resolves when everything acknowledged on any node by now is visible here and passed to the listener; if that cannot be
   *  known in time, with how old the visible state may be. */
  caughtUp(): Promise<{ readonly staleSeconds: number } | undefined>
}

/** Commits that a node had and the log lacks. */
export type Lost = {
  readonly commits: readonly Pick<PastCommit, 'lsn' | 'changes'>[]
  /** To be called when they are made up for: until then each start reports them again. */
  settle(): Promise<void>
}

/** A difference in something that should be the same everywhere: the log as a whole, a row at this node and in PostgreSQL, or
 *  what a node reports about itself. */
export type LogDifference = {
  readonly kind: 'log' | 'copy' | 'node'
  readonly collection?: CollectionName
  readonly id?: string
  readonly problem: string
  /** What an operator can do about it, if it is not what helps against most of its kind. */
  readonly remedy?: string
}

/** A change was refused because the store can no longer make it durable. */
export class StoreReadOnlyError extends Error {
  override readonly name = 'StoreReadOnlyError'
}

/** A change was refused because too many are waiting; a retry may succeed. */
export class StoreBusyError extends Error {
  override readonly name = 'StoreBusyError'
}

/** A change was not made, or is not known to be made, because the log that several nodes share does not answer; a retry may
 *  succeed. */
export class StoreUnavailableError extends OperatorError {}

/** Whether a change was refused for a reason that passes. */
export function isRefusedForNow(error: unknown): error is Error {
  return (
    error instanceof StoreReadOnlyError ||
    error instanceof StoreBusyError ||
    error instanceof StoreUnavailableError
  )
}

/** Guards against a programming error: services check first and return the proper conflict, so this should never be thrown. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation'
}
