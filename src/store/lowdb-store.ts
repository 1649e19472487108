import { resolve } from 'node:path'
import type { Actor } from '../actor.ts'
import type { Clock } from '../clock.ts'
import type { CapturedFiles } from '../durable/captured-file.ts'
import { refuseDamage } from '../durable/damage.ts'
import { type FileSystem, realFiles } from '../durable/file-system.ts'
import { lockDirectory } from '../durable/lock.ts'
import { Log } from '../durable/log.ts'
import type { LogHistorySource } from '../durable/log-history.ts'
import { packedVersion } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { inSlices } from '../time-slice.ts'
import { Checkpointer } from './checkpointer.ts'
import { commitLogOver, historyOf, logDirectory } from './commit-log.ts'
import { Committer } from './committer.ts'
import { readStore, type StoreContents } from './recovery.ts'
import { defaultMergedAtLeast } from './segment-merge.ts'
import type { Commit, FactsOf, Store } from './store.ts'
import { type Past, storeOver } from './store-over.ts'
import { type StoreEvent, WriteAccess } from './write-access.ts'
import { ZoneHistory } from './zone-history.ts'

export type LowdbStoreOptions = {
  /** Made where it does not exist; one process at a time. */
  readonly directory: string
  readonly clock: Clock
  /** Called with what a person should know: octets cut off after a crash, a write or a checkpoint that failed. */
  readonly report?: (event: StoreEvent) => void
  /** The machine's files, unless a test has its own. */
  readonly files?: FileSystem
  /** What is kept of each commit beside its rows. */
  readonly factsOf?: FactsOf
  /** Who asks for a change at that moment; kept with the commit. */
  readonly actorOf?: () => Actor
  /** Octets of the log that are kept for `history` beyond what a restart needs; none when not given. */
  readonly historyOctets?: number
  /** Segments that are merged at least; fewer make small tests see it. */
  readonly mergedAtLeast?: number
}

/** The durable store with what its keeper needs beside the interface. */
export type LowdbStore = Store &
  CapturedFiles & {
    /** Writes what has changed to segments and documents, and shortens the log. */
    checkpoint(): Promise<void>
    /** Takes changes again, if they were refused for want of room and the disk takes writes again. */
    resume(): Promise<void>
  }

/** A store whose record sets may not be changed yet, nor be found but by their zone. Anything else is as it will be. */
export type OpeningStore = LowdbStore & {
  /** Takes the other half of the time. Others have their turn meanwhile.
   *  @throws DamageError the files are not as the store wrote them; it can only be closed then. */
  finishOpening(): Promise<void>
}

/** A record set as it is kept, where it is in this state: rows are compared by id and version. */
function storedIn({ tables, recordsets }: StoreContents, row: Recordset) {
  const number = tables.table('recordsets').numberOf(row.id)
  const record = number === undefined ? undefined : recordsets.placed(number)
  return record !== undefined && packedVersion(record) === row.version ? record : undefined
}

function pastOf(source: LogHistorySource, zoneHistory: ZoneHistory): Past {
  return {
    history: historyOf(source),
    zoneCommits: zoneId => zoneHistory.of(zoneId),
    readCommits: commits => zoneHistory.read(commits),
  }
}

/** At close, this many rows are still written, so that the next start has no log to read; more would hold up the
 *  stop, and the log has them all anyway. */
const maxRowsAtClose = 10_000

/** Opens the store of a directory.
 *  @throws DamageError the files are not as the store wrote them.
 *  @throws StoreLockedError another process has it open. */
export async function openLowdbStore(options: LowdbStoreOptions): Promise<LowdbStore> {
  const store = await beginLowdbStore(options)
  try {
    await store.finishOpening()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens the store of a directory as far as it takes to serve the zones in it. Throws what `openLowdbStore` does. */
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
  const { directory, files, clock, report = () => undefined } = options
  const found = await readStore({ files, directory }, refuseDamage(directory))
  const { tables, segments, manifest } = found
  const log = new Log({
    files,
    directory: logDirectory(directory),
    segments,
    found: found.log,
    keptOctets: options.historyOctets,
  })
  const migrate = () => checkpointer.migrate()
  const access = new WriteAccess({ files, directory, found, log, report, migrate })
  const { writability } = access
  const source = { files, segments: () => log.segments, lastNumber: () => committer.toldLsn }
  const zoneHistory = new ZoneHistory(source)
  const committer = new Committer({
    tables,
    log: commitLogOver({ log, stored: row => storedIn(found, row), zoneHistory }),
    clock,
    factsOf: options.factsOf,
    actorOf: options.actorOf,
    lastLsn: log.lastNumber,
    lastAtMicros: found.lastAtMicros,
    note: commit => note(commit),
    writability,
    onFailed: () => access.reportReadOnly(),
  })
  const checkpointer = new Checkpointer({
    files,
    directory,
    tables,
    recordsets: found.recordsets,
    log,
    manifest,
    lastAtMicros: found.lastAtMicros,
    dirtyDocuments: found.dirtyDocuments,
    mergedAtLeast: options.mergedAtLeast ?? defaultMergedAtLeast,
    visibleLsn: () => committer.visibleLsn,
  })
  let isOpen = false
  // After a failure the log is the truth, as far as it goes; and what is at the path now may be another store. Rows
  // that are found damaged when they are indexed are no truth at all.
  const mayRun = () => writability.reason === undefined && isOpen
  const run = async () => (mayRun() ? checkpointer.run() : undefined)
  const reported = (work: Promise<void>) =>
    work.catch(error => report({ kind: 'checkpoint-failed', error }))
  const note = (commit: Commit): void => {
    checkpointer.note(commit)
    if (checkpointer.isDue) void reported(run())
  }
  let isClosed = false
  const close = async () => {
    isClosed = true
    try {
      await checkpointer.stop()
      if (mayRun() && checkpointer.dirtyRowCount <= maxRowsAtClose)
        await reported(checkpointer.runBriefly())
      await log.close()
    } finally {
      await options.unlock()
    }
  }
  const store = storeOver({ tables, committer, past: pastOf(source, zoneHistory), close })
  await access.begin()
  return Object.assign(store, {
    finishOpening: async () => {
      await inSlices(found.indexRecordsets())
      isOpen = true
    },
    // Once the lock is gone the files may be another's.
    checkpoint: async () => (isClosed ? undefined : run()),
    resume: async () => (isClosed ? undefined : access.resume()),
    capture: () => {
      access.requireMigrated()
      return [...checkpointer.capture(), ...log.capture()]
    },
  })
}
