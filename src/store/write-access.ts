import { makeDurableDirectory } from '../durable/directories.ts'
import type { Place } from '../durable/file-system.ts'
import type { Log } from '../durable/log.ts'
import { NoRoomError } from '../durable/no-room.ts'
import { hasRoom, isForWantOfRoom, type Writability } from '../durable/writability.ts'
import { logDirectory } from './commit-log.ts'
import { revertGeneration, writeManifest } from './manifest.ts'
import { hasOlderDocuments, setOlderDocumentsAside } from './older-documents.ts'
import type { StoreContents } from './recovery.ts'
import { StoreReadOnlyError } from './store.ts'

/** What a person should know of the files. */
export type StoreEvent =
  /** A file could not be read, and all was put together from the generation before and the log. */
  | { readonly kind: 'document-healed'; readonly path: string }
  /** The end of the log was not whole and is cut off: a batch that was torn, or one that was damaged later. */
  | {
      readonly kind: 'log-cut'
      readonly path: string
      readonly offset: number
      readonly octets: number
    }
  | { readonly kind: 'checkpoint-failed'; readonly error: unknown }
  /** No changes are taken any more, or not before there is room. */
  | { readonly kind: 'read-only'; readonly reason: string; readonly error: unknown }
  /** Changes are taken again. */
  | { readonly kind: 'writable' }
  /** The log that several nodes share cannot be reached; or can be again. */
  | { readonly kind: 'log-lost'; readonly error: unknown }
  | { readonly kind: 'log-found' }
  /** The shared log has not these commits, which this node has answered for; they are in a file. */
  | {
      readonly kind: 'commits-lost'
      readonly path: string
      readonly first: number
      readonly last: number
    }
  /** The shared log is another than this node has followed: its copy is made anew. That failed and is tried again; or is done. */
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
  /** Writes all there is in the present format. */
  readonly migrate: () => Promise<void>
}

/** Lets the store write: from the start, or from when the disk takes it. Until then it reads what there is. */
export class WriteAccess {
  readonly writability: Writability
  readonly #options: WriteAccessOptions
  #isSettled = false

  constructor(options: WriteAccessOptions) {
    this.#options = options
    this.writability = options.writability
  }

  /** Readies the files of an opened store. Where the disk takes no writes the store is read-only.
   *  @throws NoRoomError there is no store yet, and none can be made */
  async begin(): Promise<void> {
    try {
      await this.#settle()
    } catch (error) {
      if (!isForWantOfRoom(error)) throw error
      const { found, directory } = this.#options
      // Without a store there is nothing to serve meanwhile.
      if (found.isNew) throw new NoRoomError(error, `no store can be made in ${directory}`)
      this.fail(error)
    }
  }

  /** @throws StoreReadOnlyError the files are of an earlier format, and the disk takes no others */
  requireMigrated(): void {
    if (this.#options.found.isOlder && !this.#isSettled)
      throw new StoreReadOnlyError('the files are of an earlier format until the disk takes writes')
  }

  /** Takes note of a failed write. */
  fail(error: unknown): void {
    const wasTaken = this.writability.reason === undefined
    this.writability.fail(error)
    if (wasTaken || this.writability.hasFailed) this.reportReadOnly()
  }

  reportReadOnly(): void {
    const { reason = '', error } = this.writability
    this.#options.report({ kind: 'read-only', reason, error })
  }

  /** Lets the store write again, if it waits for room and the disk takes writes. */
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

  /** What a crash left of an unacknowledged batch is cut off the log, all in front of it is on the disk, and where a
   *  generation could not be read the one before takes its place. What is in files of an earlier format is written anew,
   *  and these are moved away. Can be done again after a failure. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return
    const { files, directory, found, log, report, migrate } = this.#options
    const { isNew, isOlder, healedPaths } = found
    if (isNew) await writeManifest(this.#options, found.manifest)
    await makeDurableDirectory(files, logDirectory(directory))
    await log.settle()
    if (isOlder) await migrate()
    else if (healedPaths.length > 0) await revertGeneration(this.#options, healedPaths)
    if (await hasOlderDocuments(this.#options)) await setOlderDocumentsAside(this.#options)
    this.#isSettled = true
    if (found.log.break !== undefined) {
      const { segment, offset, lengthOctets } = found.log.break
      report({ kind: 'log-cut', path: segment.path, offset, octets: lengthOctets - offset })
    }
    for (const path of healedPaths) report({ kind: 'document-healed', path })
  }
}
