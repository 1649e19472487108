import type { CapturedFile, CapturedFiles } from '../durable/captured-file.ts'
import type { Log } from '../durable/log.ts'
import { collectionOf, documentOf, zoneShardCount } from './layout.ts'
import {
  captureGeneration,
  type Manifest,
  removeUnnamed,
  replaceManifest,
  withoutMissing,
} from './manifest.ts'
import type { Commit } from './store.ts'
import { verifyGeneration } from './verify-generation.ts'
import type { StoreEvent } from './write-access.ts'
import { type GenerationOptions, writeGeneration } from './write-generation.ts'

// A checkpoint writes what has changed since the last one into new files, then the manifest that names them, and then
// drops the files and the part of the log that no start can need any more. It may be interrupted anywhere: until the
// manifest is replaced, recovery starts from the old one and finds all of the log behind it.

export type CheckpointerOptions = Omit<GenerationOptions, 'signal' | 'mergeOctets'> & {
  readonly log: Pick<Log, 'octetCount' | 'lastNumber' | 'rotate' | 'sync' | 'dropThrough'>
  /** The last commit that is, with all before it, in the tables. */
  readonly visibleLsn: () => number
  /** The one on disk. */
  readonly manifest: Manifest
  readonly lastAtMicros: number
  readonly report: (event: StoreEvent) => void
  /** Documents that are behind the rows already. */
  readonly dirtyDocuments: ReadonlySet<string>
  /** The commit after which another part needs the log; undefined if none does. */
  readonly keptBehind?: (() => number | undefined) | undefined
}

/** Logged octets after which a checkpoint pays off, since the next start reads them. */
const minLogOctets = 16 * 1024 * 1024
/** Logged octets at which a checkpoint is due however much it has to write: a start reads about 50 MB a second. */
const maxLogOctets = 256 * 1024 * 1024
/** Octets that a checkpoint with a waiting caller may rewrite. */
const briefMergeOctets = 1024 * 1024

/** Writes what has changed in the background. */
export class Checkpointer implements CapturedFiles {
  readonly #options: CheckpointerOptions
  #manifest: Manifest
  #dirtyDocuments: Set<string>
  #lastAtMicros: number
  /** Octets that the last checkpoint wrote, as an estimate for the next. */
  #writtenOctets = 0
  #running: Promise<void> | undefined
  #stopping = new AbortController()

  constructor(options: CheckpointerOptions) {
    this.#options = options
    this.#manifest = options.manifest
    this.#lastAtMicros = options.lastAtMicros
    this.#dirtyDocuments = new Set(options.dirtyDocuments)
  }

  /** The latest generation. */
  capture(): readonly CapturedFile[] {
    return captureGeneration(this.#options.directory, this.#manifest)
  }

  /** Rows that a checkpoint would write now, about. */
  get dirtyRowCount(): number {
    const { tables } = this.#options
    const zones = tables.table('zones').size
    let count = tables.recordsets.changed.size
    for (const name of this.#dirtyDocuments) {
      const collection = collectionOf(name)
      const { size } = tables.table(collection)
      count += collection === 'zones' ? Math.ceil(zones / zoneShardCount) : size
    }
    return count
  }

  /** Whether more has been logged than a start should have to read. If a checkpoint writes much for few changes, half of what
   *  the last one wrote has to be logged first: then each logged octet costs at most two more in files. */
  get isDue(): boolean {
    const octets = Math.max(minLogOctets, this.#writtenOctets / 2)
    return this.#options.log.octetCount >= Math.min(octets, maxLogOctets)
  }

  /** Notes which documents a commit makes stale. Record sets are tracked separately. */
  note({ rowChanges, atMicros }: Pick<Commit, 'rowChanges' | 'atMicros'>): void {
    this.#lastAtMicros = Math.max(this.#lastAtMicros, atMicros)
    for (const change of rowChanges) {
      if (change.collection !== 'recordsets')
        this.#dirtyDocuments.add(documentOf(change.collection, change.id))
    }
  }

  /** Writes a checkpoint, or waits for one in progress instead. After a failure everything is as dirty as before and still in
   *  the log. */
  run(): Promise<void> {
    return this.#alone(() => this.#run(Number.POSITIVE_INFINITY))
  }

  /** As `run`, but writes little and takes little time. */
  runBriefly(): Promise<void> {
    return this.#alone(() => this.#run(briefMergeOctets))
  }

  /** Writes a checkpoint of all rows, which come from files of an earlier format. Those files are superfluous when it resolves:
   *  what is on the disk was read back and compared. */
  migrate(): Promise<void> {
    const how = { mergeOctets: 0, isVerified: true, base: this.#manifest }
    return this.#alone(() => this.#write(how))
  }

  /** Aborts a checkpoint in progress at its next step. Resolves when nothing is being written any more. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled([this.#running])
    this.#stopping = new AbortController()
  }

  #alone(work: () => Promise<void>): Promise<void> {
    this.#running ??= work().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Also writes again what somebody has removed: until a restart, memory has it. Writes nothing where the log could not be
   *  written, as that of a copy, since no file may know of later changes. */
  async #run(mergeOctets: number): Promise<void> {
    if (this.#options.log.lastNumber < this.#options.visibleLsn()) return
    const base = await withoutMissing(this.#options, this.#manifest)
    const isWhole = base === this.#manifest
    const { report, directory, tables } = this.#options
    if (isWhole && this.#dirtyDocuments.size + tables.recordsets.changed.size === 0) return
    if (!isWhole) report({ kind: 'files-removed', directory })
    for (const { name } of this.#manifest.documents)
      if (!base.documents.some(document => document.name === name)) this.#dirtyDocuments.add(name)
    try {
      await this.#write({ mergeOctets, isVerified: false, base })
    } catch (error) {
      if (error !== this.#stopping.signal.reason) throw error
    }
  }

  /** @param how.base the last generation, as far as its files are there */
  async #write(how: {
    readonly mergeOctets: number
    readonly isVerified: boolean
    readonly base: Manifest
  }): Promise<void> {
    const { tables, log, visibleLsn, files, directory } = this.#options
    const { changed } = tables.recordsets
    const { signal } = this.#stopping
    const before = this.#manifest
    const lsn = visibleLsn()
    const atMicros = this.#lastAtMicros
    const changes = { documents: this.#dirtyDocuments, recordsets: changed.take() }
    this.#dirtyDocuments = new Set()
    log.rotate()
    try {
      const options = { ...this.#options, ...how, signal }
      const { octetCount, ...written } = await writeGeneration(options, how.base, changes)
      // The previous generation is of another format, and no longer read.
      const previousLsn = how.isVerified ? lsn : before._lsn
      const manifest = { ...before, ...written, _lsn: lsn, previousLsn, atMicros }
      if (how.isVerified) await verifyGeneration(options, manifest)
      signal.throwIfAborted()
      // No file may know of later changes than the log.
      await log.sync()
      await replaceManifest(this.#options, manifest)
      // Its files must not be written again, even if its name cannot be made durable now.
      this.#manifest = manifest
      await files.syncDirectory(directory)
      this.#writtenOctets = octetCount
    } catch (error) {
      changed.putBack(changes.recordsets)
      for (const name of changes.documents) this.#dirtyDocuments.add(name)
      throw error
    }
    if (how.isVerified) return
    const { previousLsn } = this.#manifest
    await log.dropThrough(Math.min(previousLsn, this.#options.keptBehind?.() ?? previousLsn))
    await removeUnnamed(this.#options, [before, this.#manifest])
  }
}
