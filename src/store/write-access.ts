import { makeDurableDirectory } from '../durable/directories.ts'
import type { Place } from '../durable/file-system.ts'
import type { Log } from '../durable/log.ts'
import { tornEndOf } from '../durable/log-recovery.ts'
import { NoRoomError } from '../durable/no-room.ts'
import { hasRoom, isForWantOfRoom, requireRoom, type Writability } from '../durable/writability.ts'
import { logDirectory } from './commit-log.ts'
import { revertGeneration, writeManifest } from './manifest.ts'
import { hasOlderDocuments, setOlderDocumentsAside } from './older-documents.ts'
import type { StoreContents } from './recovery.ts'
import { StoreReadOnlyError } from './store.ts'

/** Events about the files that an operator should know. */
export type StoreEvent =
  /** A file could not be read, and the state was rebuilt from the previous generation and the log. */
  | { readonly kind: 'document-healed'; readonly path: string; readonly problem: string }
  /** The end of the log was not whole and is cut off: a batch that was torn, or one that was damaged later. */
  | {
      readonly kind: 'log-cut'
      readonly path: string
      readonly offset: number
      readonly octets: number
    }
  /** The clock was ahead when the last change was made: until it has caught up, each change is a microsecond later than the last. */
  | { readonly kind: 'times-ahead'; readonly aheadSeconds: number }
  | { readonly kind: 'checkpoint-failed'; readonly error: unknown }
  /** Somebody has removed documents or segments; they are written again. */
  | { readonly kind: 'files-removed'; readonly directory: string }
  /** Changes are refused, permanently or until there is room. */
  | { readonly kind: 'read-only'; readonly reason: string; readonly error: unknown }
  /** Changes are accepted again. */
  | { readonly kind: 'writable' }
  /** The log that several nodes share cannot be reached; or can be again. */
  | { readonly kind: 'log-lost'; readonly error: unknown }
  | { readonly kind: 'log-found' }
  /** The shared log lacks these commits, which this node has reported as durable; they are in a file. */
  | {
      readonly kind: 'commits-lost'
      readonly path: string
      readonly first: number
      readonly last: number
    }
  /** The shared log is not the one that this node has followed: its copy is being rebuilt. That failed and is retried, or has
   *  succeeded. */
  | { readonly kind: 'diverged'; readonly error: unknown }
  | { readonly kind: 'renewal-failed'; readonly error: unknown }
  | { readonly kind: 'copy-renewed' }
  /** The copy of the shared log stays behind until the next start. */
  | { readonly kind: 'copy-failed'; readonly error: unknown }

export type WriteAccessOptions = Place & {
  /** What the start has read. */
  readonly found: Omit<StoreContents, 'commitsBehind'>
  readonly log: Log
  readonly writability: Writability
  readonly report: (event: StoreEvent) => void
  /** Rewrites everything in the present format. */
  readonly migrate: () => Promise<void>
  /** Whether the directory is a copy of what is elsewhere, so that changes are taken without room here. */
  readonly isCopy: boolean
}

/** Room for a small change: disks give it out in blocks of this size. */
const blockOctets = 4096

/** Enables writing: from the start, or once the disk takes writes. Until then the store serves reads only. */
export class WriteAccess {
  readonly writability: Writability
  readonly #options: WriteAccessOptions
  #isSettled = false

  constructor(options: WriteAccessOptions) {
    this.#options = options
    this.writability = options.writability
  }

  /** Prepares the files of an opened store. If the disk takes no writes the store is read-only.
   *  @throws NoRoomError there is no store yet, and none can be made */
  async begin(): Promise<void> {
    try {
      await this.#settle()
    } catch (error) {
      if (!isForWantOfRoom(error)) throw error
      this.#refuse(error)
      return
    }
    const { files, directory, isCopy } = this.#options
    // What settles a sound store takes no room, as the first change does.
    if (!isCopy)
      await requireRoom(files, directory, blockOctets).catch(error => this.#refuse(error))
  }

  /** Serves reads only from the start on. */
  #refuse(error: unknown): void {
    const { found, directory } = this.#options
    // Without a store there is nothing to serve meanwhile.
    if (found.isNew) throw new NoRoomError(error, `no store can be made in ${directory}`)
    this.fail(error)
  }

  /** @throws StoreReadOnlyError the files are of an earlier format, and the disk takes no others */
  requireMigrated(): void {
    if (this.#options.found.isOlder && !this.#isSettled)
      throw new StoreReadOnlyError('the files are of an earlier format until the disk takes writes')
  }

  /** Notes a failed write. */
  fail(error: unknown): void {
    const wasTaken = this.writability.reason === undefined
    this.writability.fail(error)
    if (wasTaken || this.writability.hasFailed) this.reportReadOnly()
  }

  reportReadOnly(): void {
    const { reason = '', error } = this.writability
    this.#options.report({ kind: 'read-only', reason, error })
  }

  /** Enables writing again if the store waits for room and the disk takes writes. */
  async resume(): Promise<void> {
    const { files, directory, report } = this.#options
    if (!this.writability.isWaiting || !(await hasRoom(files, directory))) return
    try {
      await this.#settle()
      this.writability.resume()
      report({ kind: 'writable' })
    } catch (error) {
      this.fail(error)
    }
  }

  /** Cuts off what a crash left of an unacknowledged batch, makes the log before it durable, and replaces an unreadable
   *  generation by the previous one. Rewrites files of an earlier format and moves the old ones away. Can be repeated after a
   *  failure. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return
    const { files, directory, found, log, report, migrate } = this.#options
    const { isNew, isOlder, healed } = found
    if (isNew) await writeManifest(this.#options, found.manifest)
    await makeDurableDirectory(files, logDirectory(directory))
    await log.settle()
    if (isOlder) await migrate()
    else if (healed.length > 0)
      await revertGeneration(
        this.#options,
        healed.map(({ file }) => file),
      )
    if (await hasOlderDocuments(this.#options)) await setOlderDocumentsAside(this.#options)
    this.#isSettled = true
    const cut = tornEndOf(found.log)
    if (cut !== undefined) report({ kind: 'log-cut', ...cut })
    for (const { file, problem } of healed) report({ kind: 'document-healed', path: file, problem })
  }
}
