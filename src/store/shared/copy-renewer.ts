import { setTimeout as delay } from 'node:timers/promises'
import { type Place, realFiles } from '../../durable/file-system.ts'
import { inSlices } from '../../time-slice.ts'
import type { CommitListeners, Lost } from '../store.ts'
import { discardCopy, readCopy, readLost } from './copy.ts'
import type { Engine } from './engine.ts'
import { EngineUnavailableError } from './errors.ts'
import { requireFreeName } from './nodes.ts'
import {
  type OpenCopy,
  openCopy,
  reportLost,
  type SharedStoreOptions,
  standbyAwaited,
} from './open-copy.ts'
import { differenceOf } from './store-difference.ts'

/** Pause between two attempts to make a copy. */
const pauseMs = 500
/** How long a start without a copy tries to make one. */
const firstStartMs = 60_000

/** The copy of a node. If the log turns out not to be the one that the copy has followed, a new copy replaces it: their
 *  difference is passed to the listener as one commit. Until then the old copy is read, and changes are refused. */
export class CopyRenewer {
  /** Callers that wait until a commit is published. */
  readonly waiters = new Waiters()
  readonly #engine: Engine
  readonly #options: SharedStoreOptions
  readonly #closing = new AbortController()
  readonly #lostListeners: ((lost: Lost) => void)[] = []
  readonly #place: Place
  #copy: OpenCopy | undefined
  #lost: Lost | undefined
  #listeners: CommitListeners | undefined
  #renewing: Promise<void> | undefined

  constructor(engine: Engine, options: SharedStoreOptions) {
    this.#engine = engine
    this.#options = options
    this.#place = { files: realFiles, directory: options.directory }
  }

  /** Opens the copy; one that cannot be made because PostgreSQL cannot be reached is tried for a minute. Throws what `openCopy` does.
   *  @throws NodeNameError another server runs as this node */
  async open(): Promise<void> {
    this.#engine.log = (await readCopy(this.#place))?.cluster
    const deadline = performance.now() + firstStartMs
    const mayPass = (error: unknown) =>
      error instanceof EngineUnavailableError && performance.now() < deadline
    this.#copy = await this.#persistently(async () => {
      await this.#requireFreeName()
      return this.#openCopy()
    }, mayPass)
    this.#lost = await readLost(this.#place)
  }

  get copy(): OpenCopy {
    if (this.#copy === undefined) throw new Error('there is no copy yet')
    return this.#copy
  }

  get isRenewing(): boolean {
    return this.#renewing !== undefined
  }

  /** Why no change can be made; undefined while they can be. */
  get problem(): string | undefined {
    if (this.isRenewing) return 'the copy of the log that the nodes share is made anew'
    const { log, tail } = this.copy
    return log.problem ?? (tail.isStandbyAwaited ? standbyAwaited : undefined)
  }

  follow(...listeners: CommitListeners): void {
    this.#listeners = listeners
    this.copy.store.setCommitListener(...listeners)
    this.copy.follow()
  }

  /** What `SharedPart.whenLost` says. */
  whenLost(listener: (lost: Lost) => void): void {
    this.#lostListeners.push(listener)
    if (this.#lost !== undefined && this.#lost.commits.length > 0) listener(this.#lost)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#renewing !== undefined) await this.#renewing
    await this.copy.close()
  }

  async #requireFreeName(): Promise<void> {
    try {
      await this.#engine.use(each => requireFreeName(each, this.#engine.node))
    } catch (error) {
      // With a copy, the node starts all the same.
      if (!(error instanceof EngineUnavailableError)) throw error
    }
  }

  #openCopy(): Promise<OpenCopy> {
    return openCopy(this.#engine, {
      ...this.#options,
      onPublished: lsn => this.waiters.release(lsn),
      onDiverged: error => {
        this.#options.report?.({ kind: 'diverged', error })
        this.#renewing ??= this.#renew().catch(failure => {
          if (!this.#closing.signal.aborted)
            this.#options.report?.({ kind: 'renewal-failed', error: failure })
        })
      },
    })
  }

  async #renew(): Promise<void> {
    const before = this.copy
    await before.close()
    const lost = await this.#persistently(() => before.findLost())
    await this.#persistently(() => reportLost(this.#options, lost))
    const unsettled = await this.#persistently(() => readLost(this.#place))
    const after = await this.#persistently(async () => {
      await discardCopy(this.#options.directory)
      const copy = await this.#openCopy()
      try {
        await loadAll(copy)
        return copy
      } catch (error) {
        await copy.close()
        throw error
      }
    })
    const { lastMoment } = after.store
    const difference = await differenceOf(before.store, after.store, lastMoment)
    this.#copy = after
    const [listener, follower] = this.#listeners ?? []
    const steps = listener?.(difference)
    if (steps !== undefined) await inSlices(steps)
    follower?.(difference)
    this.waiters.release(lastMoment.lsn)
    this.#renewing = undefined
    if (this.#listeners !== undefined) this.follow(...this.#listeners)
    this.#options.report?.({ kind: 'copy-renewed' })
    if (lost.length === 0) return
    this.#lost = unsettled
    for (const listener of this.#lostListeners) listener(unsettled)
  }

  /** Retries work until it succeeds or the store is closed.
   *  @param mayPass whether to try again after an error */
  async #persistently<T>(
    work: () => Promise<T>,
    mayPass: (error: unknown) => boolean = () => true,
  ): Promise<T> {
    const { signal } = this.#closing
    for (;;) {
      signal.throwIfAborted()
      try {
        return await work()
      } catch (error) {
        if (!mayPass(error)) throw error
        this.#options.report?.({ kind: 'renewal-failed', error })
        await delay(pauseMs, undefined, { signal })
      }
    }
  }
}

/** Reads all of a copy. */
export async function loadAll({ store }: OpenCopy): Promise<void> {
  await store.loadRecordsets()
  await store.finishOpening()
}

/** Callers that wait until a commit is published. */
export class Waiters {
  #waiting: { readonly lsn: number; readonly resolve: () => void }[] = []

  release(lsn: number): void {
    if (this.#waiting.length === 0) return
    const due = this.#waiting.filter(each => each.lsn <= lsn)
    if (due.length === 0) return
    this.#waiting = this.#waiting.filter(each => each.lsn > lsn)
    for (const { resolve } of due) resolve()
  }

  until(lsn: number, publishedLsn: number): Promise<void> | undefined {
    if (lsn <= publishedLsn) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ lsn, resolve })
    return promise
  }
}
