import { resolve } from 'node:path'
import type { Actor } from '../actor.ts'
import type { Clock } from '../clock.ts'
import type { CapturedFiles } from '../durable/captured-file.ts'
import { refuseDamage } from '../durable/damage.ts'
import { type FileSystem, realFiles } from '../durable/file-system.ts'
import { lockDirectory } from '../durable/lock.ts'
import { Log } from '../durable/log.ts'
import { Writability } from '../durable/writability.ts'
import type { Durations } from '../durations.ts'
import { packedVersion } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { inSlices } from '../time-slice.ts'
import { Checkpointer } from './checkpointer.ts'
import { commitLogOver, type LocalLog, localLogOver, logDirectory } from './commit-log.ts'
import { type CommitLog, Committer } from './committer.ts'
import { type Moment, readStore, type StoreContents } from './recovery.ts'
import type { Commit, FactsOf, PastCommit, Store } from './store.ts'
import { storeOver } from './store-over.ts'
import { type StoreEvent, WriteAccess } from './write-access.ts'
import { ZoneHistory } from './zone-history.ts'

export type LowdbStoreOptions = {
  /** Made where it does not exist; one process at a time. */
  readonly directory: string
  readonly clock: Clock
  /** Called with events for the operator: octets cut off after a crash, a failed write or checkpoint. */
  readonly report?: (event: StoreEvent) => void
  /** The machine's files, unless a test passes its own. */
  readonly files?: FileSystem
  /** What is kept of each commit beside its rows. */
  readonly factsOf?: FactsOf
  /** The actor of the change requested at that moment; kept with the commit. */
  readonly actorOf?: () => Actor
  /** Octets of the log kept for `history` beyond what a restart needs; none by default. */
  readonly historyOctets?: number
  /** Least number of segments to merge; lowered for small tests. */
  readonly mergedAtLeast?: number
  /** The commit after which all of the log is kept, beyond what a start needs. */
  readonly keptBehind?: () => number | undefined
  /** Turns the directory's log into the log that the store is changed through; by default, the directory's own. */
  readonly shareLog?: (local: LocalLog, lastLsn: number) => CommitLog
  /** Called with each commit once it is published. */
  readonly onPublished?: (lsn: number) => void
  /** Finds the commit whose later commits are requested (`OpeningStore.commitsBehind`), once no other process can change the store. */
  readonly findMoment?: () => Promise<Moment | undefined>
}

/** The durable store with what its owner needs beyond the interface. */
export type LowdbStore = Store &
  CapturedFiles & {
    /** Writes what has changed to segments and documents, and shortens the log. */
    checkpoint(): Promise<void>
    /** Accepts changes again if they were refused for lack of room and the disk takes writes again. */
    resume(): Promise<void>
  }

/** A store that has all rows but recordsets, and zones by their ids only. Nothing may be changed yet. */
export type OpeningStore = LowdbStore & {
  /** The last commit. */
  readonly lastMoment: Moment
  /** Octets of commits since then. */
  loggedOctets(): number
  /** Of the log. */
  readonly appendDurations: Durations
  /** The commits after the requested moment; undefined if there is none, or the log does not have them, and once recordsets are
   *  read. */
  commitsBehind(): Iterable<PastCommit> | undefined
  /** Indexes zones and reads recordsets: from then on these can be found by their zone, and all other rows can be found and
   *  changed. Other work runs meanwhile.
   *  @throws DamageError the files are not as the store wrote them; it can only be closed then. */
  loadRecordsets(): Promise<void>
  /** Lets recordsets be changed and found. Other work runs meanwhile. Throws what `loadRecordsets` does. */
  finishOpening(): Promise<void>
}

/** The stored form of a record set, if it is stored in this state: rows are compared by id and version. */
function storedIn({ tables }: Pick<StoreContents, 'tables'>, row: Recordset) {
  const number = tables.table('recordsets').numberOf(row.id)
  const record = number === undefined ? undefined : tables.recordsets.placed(number)
  return record !== undefined && packedVersion(record) === row.version ? record : undefined
}

/** At close, up to this many rows are still written, so that the next start has no log to read; more would delay the stop, and
 *  the log has them all anyway. */
const maxRowsAtClose = 10_000

/** Opens the store of a directory.
 *  @throws DamageError the files are not as the store wrote them.
 *  @throws StoreLockedError another process has it open. */
export async function openLowdbStore(options: LowdbStoreOptions): Promise<LowdbStore> {
  const store = await beginLowdbStore(options)
  try {
    await store.loadRecordsets()
    await store.finishOpening()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the store of a directory far enough to know its zones. Throws what `openLowdbStore` does. */
export async function beginLowdbStore(options: LowdbStoreOptions): Promise<OpeningStore> {
  const { files = realFiles } = options
  const directory = resolve(options.directory)
  await files.makeDirectory(directory)
  const unlock = files === realFiles ? await lockDirectory(directory) : async () => undefined
  try {
    return await openLocked({ ...options, directory, files, unlock })
  } catch (error) {
    await unlock()
    throw error
  }
}

type LockedOptions = LowdbStoreOptions & {
  readonly files: FileSystem
  readonly unlock: () => Promise<unknown>
}

async function openLocked(options: LockedOptions): Promise<OpeningStore> {
  const { report = () => undefined } = options
  const { commitsBehind: behind, ...found } = await readFound(options)
  let commitsBehind = behind
  const { tables } = found
  const log = logOf(options, found)
  const writability = new Writability()
  let opened: ReturnType<typeof openFiles> | undefined
  const source = log.pastUpTo(() => committer.shown.publishedLsn)
  const zoneHistory = new ZoneHistory(source)
  const stored = (row: Recordset) => storedIn(found, row)
  const local = localLogOver({ log, source, stored, zoneHistory })
  const committer = new Committer({
    ...options,
    tables,
    stored,
    log: options.shareLog?.(local, log.lastNumber) ?? commitLogOver(local),
    lastLsn: log.lastNumber,
    lastAtMicros: found.lastAtMicros,
    note: commit => note(commit),
    writability,
    onFailed: () => opened?.access.reportReadOnly(),
  })
  let isIndexed = false
  // After a failure only the log is reliable, as far as it goes; and the path may now hold another store. Rows found damaged during
  // indexing are not reliable at all.
  const mayRun = () => writability.reason === undefined && isIndexed
  const run = async () => {
    if (!mayRun()) return
    await opened?.checkpointer.run()
  }
  const reported = (work: Promise<void>) =>
    work.catch(error => report({ kind: 'checkpoint-failed', error }))
  const note = (commit: Commit): void => {
    opened?.checkpointer.note(commit)
    if (opened?.checkpointer.isDue) void reported(run())
  }
  let isClosed = false
  const close = async () => {
    isClosed = true
    try {
      await opened?.checkpointer.stop()
      if (opened !== undefined && mayRun() && opened.checkpointer.dirtyRowCount <= maxRowsAtClose)
        await reported(opened.checkpointer.runBriefly())
      await log.close()
    } finally {
      await options.unlock()
    }
  }
  const store = storeOver({ tables, committer, past: zoneHistory, close })
  const { commit } = store
  return Object.assign(store, {
    commit: (change, early) =>
      opened === undefined
        ? Promise.reject(new Error('the recordsets of the store are not there yet'))
        : commit(change, early),
    lastMoment: { lsn: log.lastNumber, atMicros: found.lastAtMicros },
    loggedOctets: () => log.appendedOctets,
    appendDurations: log.appendDurations,
    commitsBehind: () => commitsBehind,
    loadRecordsets: async () => {
      commitsBehind = undefined
      const inFiles = { ...found, ...(await found.loadRecordsets()) }
      const { shown } = committer
      const lsns = { visibleLsn: () => shown.visibleLsn, begunLsn: () => shown.begunLsn }
      opened = openFiles({ ...options, report }, inFiles, { log, writability, ...lsns })
      await opened.access.begin()
    },
    finishOpening: async () => {
      await inSlices(found.indexRecordsets())
      isIndexed = true
    },
    // Once the lock is released, another process may own the files.
    checkpoint: async () => (isClosed ? undefined : run()),
    resume: async () => (isClosed ? undefined : opened?.access.resume()),
    capture: () => {
      if (opened === undefined) return []
      opened.access.requireMigrated()
      return [...opened.checkpointer.capture(), ...log.capture()]
    },
  } satisfies Partial<OpeningStore>)
}

/** What writes the files of a store beside its log. */
function openFiles(
  options: LockedOptions & Required<Pick<LockedOptions, 'report'>>,
  found: Omit<StoreContents, 'commitsBehind'>,
  parts: {
    readonly log: Log
    readonly writability: Writability
    readonly visibleLsn: () => number
    readonly begunLsn: () => number
  },
): { readonly checkpointer: Checkpointer; readonly access: WriteAccess } {
  const checkpointer = new Checkpointer({ ...options, ...found, ...parts })
  const migrate = () => checkpointer.migrate()
  const isCopy = isSyncedLate(options)
  return { checkpointer, access: new WriteAccess({ ...options, ...parts, found, migrate, isCopy }) }
}

function logOf(
  options: LockedOptions,
  { segments, log: found }: Pick<StoreContents, 'segments' | 'log'>,
): Log {
  const { files, directory: parent, historyOctets: keptOctets } = options
  const directory = logDirectory(parent)
  const isLate = isSyncedLate(options)
  return new Log({ files, directory, segments, found, keptOctets, isSyncedLate: isLate })
}

/** A clock that was ahead by less is nothing to act on. */
const notableSeconds = 60

async function readFound(options: LockedOptions): Promise<StoreContents> {
  const { files, directory, findMoment, clock } = options
  const moment = await findMoment?.()
  const how = { moment, isSyncedLate: isSyncedLate(options) }
  const found = await readStore({ files, directory }, refuseDamage(directory), how)
  const aheadSeconds = Math.round(found.lastAtMicros / 1e6 - clock.nowMillis() / 1e3)
  if (aheadSeconds > notableSeconds) options.report?.({ kind: 'times-ahead', aheadSeconds })
  return found
}

/** Entries of a shared log can be fetched from it again. */
function isSyncedLate({ shareLog }: LowdbStoreOptions): boolean {
  return shareLog !== undefined
}
