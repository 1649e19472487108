import { dirname, resolve } from 'node:path'
import type { Clock } from '../clock.ts'
import { inSlices } from '../time-slice.ts'
import { Checkpointer } from './checkpointer.ts'
import { Committer } from './committer.ts'
import { type FileSystem, realFiles } from './file-system.ts'
import { Journal, journalDirectory } from './journal.ts'
import { JournalHistory } from './journal-history.ts'
import { lockDirectory } from './lock.ts'
import { isPresentFormat, writeManifest } from './manifest.ts'
import { recover } from './recovery.ts'
import { defaultRowsPerShard } from './shard-plan.ts'
import type { Commit, FactsOf, Store } from './store.ts'
import { storeOver } from './store-over.ts'

export type LowdbStoreOptions = {
  /** Made where it does not exist; one process at a time. */
  readonly directory: string
  readonly clock: Clock
  /** Told of what a person should know: octets cut off after a crash, a write or a checkpoint that failed. */
  readonly report?: (event: StoreEvent) => void
  /** The machine's files, unless a test has its own. */
  readonly files?: FileSystem
  /** What is kept of each commit beside its rows. */
  readonly factsOf?: FactsOf
  /** Octets of the journal that are kept for `history` beyond what a restart needs; none when not given. */
  readonly historyOctets?: number
  /** Record sets in a document of a large zone; fewer make small tests see many. */
  readonly rowsPerShard?: number
}

export type StoreEvent =
  /** A document could not be read and was put together from its previous generation and the journal. */
  | { readonly kind: 'document-healed'; readonly path: string }
  | { readonly kind: 'journal-cut'; readonly octets: number }
  | { readonly kind: 'checkpoint-failed'; readonly error: unknown }
  /** No changes are taken any more. */
  | { readonly kind: 'read-only'; readonly reason: string }

/** The durable store with what its keeper needs beside the interface. */
export type LowdbStore = Store & {
  /** Writes what has changed to the documents and shortens the journal. */
  checkpoint(): Promise<void>
}

/** A store whose record sets may not be changed yet, nor be found but by their zone. Anything else is as it will be. */
export type OpeningStore = LowdbStore & {
  /** Takes the other half of the time. Others have their turn meanwhile.
   *  @throws StoreDamageError the files are not as the store wrote them; it can only be closed then. */
  finishOpening(): Promise<void>
}

/** At close, this many documents are still written, so that the next start has no journal to read; more
 *  would hold up the stop, and the journal has them all anyway. */
const maxDocumentsAtClose = 100

/** Opens the store of a directory.
 *  @throws StoreDamageError the files are not as the store wrote them.
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
  const found = await recover(files, directory)
  const { tables, segments, manifest, journal: read } = found
  if (read.break !== undefined) {
    report({ kind: 'journal-cut', octets: read.break.lengthOctets - read.break.offset })
  }
  for (const path of found.healedPaths) report({ kind: 'document-healed', path })
  if (found.isNew || !isPresentFormat(manifest)) await writeManifest(files, directory, manifest)
  await settleDirectories(files, directory)
  const journal = new Journal({
    files,
    directory,
    segments,
    octetCount: read.octetCount,
    keptOctets: options.historyOctets,
  })
  const committer = new Committer({
    tables,
    log: journal,
    clock,
    factsOf: options.factsOf,
    lastLsn: read.lastLsn,
    lastAtMicros: found.lastAtMicros,
    note: commit => note(commit),
    onFailed: reason => report({ kind: 'read-only', reason }),
  })
  const checkpointer = new Checkpointer({
    files,
    directory,
    tables,
    journal,
    manifest,
    lastAtMicros: found.lastAtMicros,
    dirty: found.dirty,
    obsoletePaths: found.documents.obsoletePaths,
    shardsByZone: found.documents.shardsByZone,
    shardNumbers: found.documents.shardNumbers,
    rowsPerShard: options.rowsPerShard ?? defaultRowsPerShard,
    visibleLsn: () => committer.visibleLsn,
  })
  let isOpen = false
  // After a failure the journal is the truth, as far as it goes; and what is at the path now may be another store. Rows
  // that are found damaged when they are indexed are no truth at all.
  const run = async () => (committer.hasFailed || !isOpen ? undefined : checkpointer.run())
  const checkpoint = () => run().catch(error => report({ kind: 'checkpoint-failed', error }))
  const note = (commit: Commit): void => {
    checkpointer.note(commit)
    if (checkpointer.isDue) void checkpoint()
  }
  let isClosed = false
  const close = async () => {
    isClosed = true
    try {
      await checkpointer.stop()
      if (checkpointer.dirtyCount <= maxDocumentsAtClose) await checkpoint()
      await journal.close()
    } finally {
      await options.unlock()
    }
  }
  const past = new JournalHistory({
    files,
    segments: () => journal.segments,
    lastLsn: () => committer.toldLsn,
  })
  const history = (afterLsn: number) => past.read(afterLsn)
  const store = storeOver({ tables, committer, history, close })
  return Object.assign(store, {
    finishOpening: async () => {
      await inSlices(found.indexRecordsets())
      isOpen = true
    },
    // Once the lock is gone the files may be another's.
    checkpoint: async () => (isClosed ? undefined : run()),
  })
}

/** Makes the directory of the journal, and makes its name and every name on the way there durable: a file is
 *  no safer than the path to it. That a process before this one made them does not mean that they are. */
async function settleDirectories(files: FileSystem, directory: string): Promise<void> {
  await files.makeDirectory(journalDirectory(directory))
  for (let at = directory; ; at = dirname(at)) {
    try {
      await files.syncDirectory(at)
    } catch (error) {
      // Whoever may not read it did not make what is in it.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    }
    if (at === dirname(at)) return
  }
}
