import type { CapturedFile, CapturedFiles } from '../../durable/captured-file.ts'
import { DamageError } from '../../durable/damage.ts'
import { type FileSystem, realFiles } from '../../durable/file-system.ts'
import type { Log } from '../../durable/log.ts'
import type { LogCut } from '../../durable/log-recovery.ts'
import { hasRoom, isForWantOfRoom, Writability } from '../../durable/writability.ts'
import type { Instant } from '../../model/rating.ts'
import { Mutex } from '../../mutex.ts'
import { StoreReadOnlyError } from '../../store/store.ts'
import { atOnce, inSlices } from '../../time-slice.ts'
import { allTime, type Month, monthPeriod } from '../period.ts'
import { type Batch, encodeBatch } from './batch.ts'
import { type CompactionLimits, chooseCompaction, compactionLimits } from './compaction.ts'
import { applyBatch, type Live } from './live.ts'
import type { SegmentEntry } from './manifest.ts'
import { Memtable, sortChunks } from './memtable.ts'
import { nobody, type PointListener } from './point-listener.ts'
import { type Recovered, recover } from './recovery.ts'
import type { Removal, Removals } from './removals.ts'
import type { Range } from './segment.ts'
import { journalFolder, SegmentSet, type WrittenSegment } from './segment-set.ts'
import type { ChunksInOrder, RankOf } from './segment-writer.ts'
import { mergeSegments, Snapshot } from './snapshot.ts'
import { type QueuedWrite, WriteQueue, type WriteResult } from './write-queue.ts'

type PointStoreLimits = CompactionLimits & {
  /** Points and octets of the log from which what is in memory is written out. */
  readonly memoryPoints: number
  readonly logOctets: number
}

const pointStoreLimits: PointStoreLimits = {
  ...compactionLimits,
  memoryPoints: 131_072,
  logOctets: 64 * 1024 * 1024,
}

export type PointStoreOptions = {
  readonly files?: FileSystem
  readonly limits?: Partial<PointStoreLimits>
  /** Called with the end of the log that is cut off, as it may have been acknowledged. */
  readonly onCut?: (cut: LogCut) => void
  /** Called with a segment that cannot be merged because it is damaged. */
  readonly onDamaged?: (damage: DamageError) => void
}

/** The operations on stored points. */
export type Points = Pick<PointStore, keyof PointStore>

/** Points that are written to a segment beside the store. They are gone when it is disposed of (`await using`) and was not
 *  stored. */
export type StagedSegment = AsyncDisposable & {
  /** Makes them part of the store, after removals, in the order of the batches: all of it is durable and visible at once when
   *  it resolves. To be called once.
   *  @throws StoreReadOnlyError as `write` */
  store(removals: readonly Removal[]): Promise<void>
}

/** An entry of the log that changes nothing. */
const emptyRecord = atOnce(encodeBatch({ key: undefined, removals: [], series: [] }))

/** Usage as it is kept: points by month, project and series, written once and never edited.
 *
 *  A batch goes into the log and is durable, then into memory and is visible. When enough is in memory it is
 *  written out, one segment a month, and small segments are merged in the background. Readers see the store as
 *  it was when they began. One process writes; the main store's lock keeps others away.
 *
 *  Where the disk has no room, writes are refused until `resume` finds some. Reading continues meanwhile, also in a store
 *  that was opened on a full disk. */
export class PointStore implements CapturedFiles {
  readonly #files: FileSystem
  readonly #folder: string
  readonly #limits: PointStoreLimits
  readonly #onDamaged: (damage: DamageError) => void
  readonly #segments: SegmentSet
  readonly #live: Live
  readonly #writability = new Writability()
  readonly #log: Log
  /** Whether the folder could be written to. */
  #isSettled = false
  /** The memtable that is being written out. It takes no more points, and removals hide its points as in a segment. */
  #frozen: Memtable | undefined
  #queue = new WriteQueue()
  readonly #stages = new Set<Promise<void>>()
  readonly #changes = new Mutex()
  #flushing: Promise<void> | undefined
  #compacting: Promise<void> | undefined
  #listener = nobody
  #isClosed = false

  private constructor(options: {
    readonly files: FileSystem
    readonly folder: string
    readonly limits: PointStoreLimits
    readonly onDamaged: (damage: DamageError) => void
    readonly segments: SegmentSet
    readonly recovered: Recovered
  }) {
    this.#files = options.files
    this.#folder = options.folder
    this.#limits = options.limits
    this.#onDamaged = options.onDamaged
    this.#segments = options.segments
    this.#live = options.recovered.live
    this.#log = options.recovered.log
  }

  /** Opens the store in a folder, as the last acknowledged batch left it.
   *  @throws DamageError a file is missing or is not what was written */
  static async open(
    folder: string,
    { files = realFiles, limits, onCut, onDamaged = () => undefined }: PointStoreOptions = {},
  ): Promise<PointStore> {
    const segments = await SegmentSet.open(files, folder)
    const recovered = await recover(files, `${folder}/${journalFolder}`, segments.manifest)
    const store = new PointStore({
      files,
      folder,
      limits: { ...pointStoreLimits, ...limits },
      onDamaged,
      segments,
      recovered,
    })
    await store.#settle().catch(error => {
      if (!isForWantOfRoom(error)) throw error
      store.#writability.fail(error)
    })
    if (recovered.cut !== undefined) onCut?.(recovered.cut)
    store.#startCompaction()
    return store
  }

  capture(): readonly CapturedFile[] {
    return [...this.#segments.capture(), ...this.#log.capture()]
  }

  /** Resumes writing, if the disk takes writes again. */
  async resume(): Promise<void> {
    if (this.#isClosed || !this.#writability.isWaiting) return
    if (!(await hasRoom(this.#files, this.#folder))) return
    this.#writability.resume()
    await this.#inTurn(() => this.#settle())
    if (this.#frozen !== undefined) this.#startWriteOut(this.#frozen)
    this.#startCompaction()
  }

  /** Why nothing can be written any more, or undefined while all is well. */
  get readOnlyReason(): string | undefined {
    return this.#writability.reason
  }

  /** Stores a batch; resolves when it is durable and visible.
   *  @throws StoreReadOnlyError the disk has refused a write; what is stored can still be read */
  async write(batch: Batch): Promise<WriteResult> {
    this.#requireWritable()
    const queue = this.#queue
    const result = queue.add(batch)
    this.#inTurn(() => this.#writeQueue(queue))
    return result
  }

  /** Writes points of a month to a segment, without log and memory: for more than memory should hold. Batches do not wait
   *  meanwhile. What the chunks throw ends it.
   *  @throws StoreReadOnlyError as `write` */
  async stage(month: Month, chunks: ChunksInOrder, rankOf?: RankOf): Promise<StagedSegment> {
    this.#requireWritable()
    const { promise: disposed, resolve } = Promise.withResolvers<void>()
    this.#stages.add(disposed)
    const end = () => {
      this.#stages.delete(disposed)
      resolve()
    }
    const listener = this.#listener.stageBegun(month)
    let written: WrittenSegment | undefined
    try {
      written = await this.#segments.write(month, chunks, chunk => {
        this.#requireOpen()
        listener.add(chunk)
        return rankOf?.(chunk) ?? 0
      })
    } catch (error) {
      end()
      if (isForWantOfRoom(error)) this.#fail(error)
      this.#requireWritable()
      throw error
    }
    return {
      store: async removals => {
        const segment = written
        written = undefined
        const stored =
          segment === undefined
            ? this.write({ origin: '', removals, points: [] })
            : this.#storeSegment(segment, removals, () => listener.stored(removals))
        end()
        await stored
      },
      [Symbol.asyncDispose]: async () => {
        // A file that cannot be removed now is removed by the next start.
        if (written !== undefined) await this.#segments.discard([written]).catch(() => undefined)
        end()
      },
    }
  }

  /** Sets the listener; there is only one. */
  setListener(listener: PointListener): void {
    this.#listener = listener
  }

  /** Takes a snapshot of a range; dispose of it (`await using`) when done reading. */
  snapshot(range: Range): Snapshot {
    const { active, removals } = this.#live
    const memtables = this.#frozen === undefined ? [active] : [this.#frozen, active]
    return new Snapshot({ segments: this.#segments, memtables, removals }, range)
  }

  /** A lower bound, as coarse as a month, of the first begin of a point from `from` on. Undefined where there is none.
   *  Removed points may count until they are merged away. */
  heldFrom(from: Instant): Instant | undefined {
    const inMemory = [this.#live.active, this.#frozen].flatMap(memtable => memtable?.months ?? [])
    const spans = [
      ...this.#segments.manifest.segments.map(({ span }) => span),
      ...inMemory.map(monthPeriod),
    ]
    const ahead = spans.filter(({ end }) => end > from)
    return ahead.length === 0
      ? undefined
      : Math.max(Math.min(...ahead.map(each => each.begin)), from)
  }

  /** The last begin of a point; undefined without points. Removed points may count until they are merged away.
   *  O(series in memory). */
  get lastBegin(): Instant | undefined {
    const inMemory = [this.#live.active, this.#frozen].flatMap(
      memtable => memtable?.lastBegin ?? [],
    )
    const begins = [
      ...this.#segments.manifest.segments.map(({ span }) => span.end - 1),
      ...inMemory,
    ]
    return begins.length === 0 ? undefined : Math.max(...begins)
  }

  /** Whether any point begins before an instant. */
  async holdsBefore(end: Instant): Promise<boolean> {
    await using snapshot = this.snapshot({ begin: allTime.begin, end })
    for await (const chunks of snapshot.scan()) if (chunks.length > 0) return true
    return false
  }

  /** Removes the points that begin before an instant from the disk. */
  async dropBefore(end: Instant): Promise<void> {
    const period = { begin: allTime.begin, end }
    await this.write({ origin: '', removals: [{ period }], points: [] })
    await this.flush()
  }

  /** Writes out what is in memory and waits until merging has come to rest. */
  async flush(): Promise<void> {
    await this.#inTurn(() => this.#rotate())
    await this.#flushing
    await this.#compacting
    this.#requireHealthy()
  }

  /** Finishes the writes under way and closes the store; merging ends and is done by the next run. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await Promise.all(this.#stages)
    await this.#changes.drained()
    await this.#flushing
    await this.#compacting
    await this.#log.close()
  }

  /** Runs a change of the log when those before it are done. A failure makes the store read-only. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    return this.#changes.run(() => change().catch(error => this.#fail(error)))
  }

  /** Prepares the files for writing, once. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return
    await this.#segments.settle()
    await this.#log.settle()
    if (this.#log.segments.length === 0) await this.#log.begin()
    await this.#log.dropThrough(this.#segments.manifest.firstJournal - 1)
    this.#isSettled = true
  }

  /** Writes what is queued with one sync. A turn that finds the queue empty has nothing to do. */
  async #writeQueue(queue: WriteQueue): Promise<void> {
    const writes = await queue.takeGroup()
    if (writes.length === 0) return
    try {
      if (this.#isFull()) await this.#rotate()
      this.#requireHealthy()
      const fresh = this.#withoutKnown(writes)
      await this.#log.append(Array.from(fresh, write => write.record))
      for (const { batch } of fresh) {
        applyBatch(this.#live, batch)
        this.#listener.batchStored(batch)
      }
      for (const write of writes) write.outcome.resolve({ isNew: fresh.has(write) })
    } catch (error) {
      this.#fail(error)
      const refusal = new StoreReadOnlyError(this.readOnlyReason, { cause: error })
      for (const write of writes) write.outcome.reject(refusal)
    }
  }

  #withoutKnown(writes: readonly QueuedWrite[]): ReadonlySet<QueuedWrite> {
    const keys = new Set<string>()
    const fresh = writes.filter(({ batch: { key } }) => {
      if (key === undefined) return true
      if (keys.has(key) || this.#live.keys.has(key)) return false
      keys.add(key)
      return true
    })
    return new Set(fresh)
  }

  #isFull(): boolean {
    const { memoryPoints, logOctets } = this.#limits
    return this.#live.active.pointCount >= memoryPoints || this.#log.octetCount >= logOctets
  }

  /** Begins a new generation and starts writing out the last one, after the one before it is written. */
  async #rotate(): Promise<void> {
    if (this.#log.octetCount === 0) return
    await this.#flushing
    this.#requireHealthy()
    await this.#log.begin()
    this.#frozen = this.#live.active
    this.#live.active = new Memtable(this.#log.lastNumber + 1)
    this.#startWriteOut(this.#frozen)
  }

  #startWriteOut(frozen: Memtable): void {
    this.#flushing = this.#writeOut(frozen)
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#flushing = undefined
      })
  }

  async #writeOut(memtable: Memtable): Promise<void> {
    const { generation } = memtable
    const firstJournal = this.#live.active.generation
    const added: SegmentEntry[] = []
    await this.#orDiscard(added, async () => {
      for (const month of memtable.months) {
        const chunks = await inSlices(sortChunks(memtable.chunks(month)))
        const written = await this.#segments.write(month, chunks)
        if (written !== undefined) added.push({ ...written, generation })
      }
      await this.#commit({ added, removed: [], firstJournal })
    })
    await this.#dropLog(firstJournal - 1)
    this.#startCompaction()
  }

  #startCompaction(): void {
    this.#compacting ??= Promise.resolve().then(() => this.#compact())
  }

  async #compact(): Promise<void> {
    try {
      while (!this.#isClosed && this.readOnlyReason === undefined) {
        const { segments, firstJournal } = this.#segments.manifest
        const closed = this.#live.removals.closed(firstJournal)
        const chosen = chooseCompaction(segments, closed, this.#limits)
        if (chosen === undefined) return
        // Removals of later generations may be applied as well; applying them again does no harm.
        const removals = this.#live.removals.snapshot()
        const month = chosen[0]?.month ?? ''
        // Those up to this generation have been applied.
        const generation = firstJournal - 1
        const merged = mergeSegments(this.#segments, chosen, removals, () => this.#requireOpen())
        const written = await this.#segments.write(month, merged)
        const added = written === undefined ? [] : [{ ...written, generation }]
        await this.#orDiscard(added, () => this.#commit({ added, removed: chosen }))
      }
    } catch (error) {
      // What is written next does not depend on the segment; the next points written out try again.
      if (error instanceof DamageError) this.#onDamaged(error)
      else this.#fail(error)
    } finally {
      // In the same step as the last look at the segments, so that segments added later start another compaction.
      this.#compacting = undefined
    }
  }

  /** Makes a segment part of the store, and its removals, in a generation of its own: they hide what was stored before, and
   *  nothing of it. Batches that are given later come after it, and those before it are written out. */
  async #storeSegment(
    written: WrittenSegment,
    removals: readonly Removal[],
    onVisible: () => void,
  ): Promise<void> {
    this.#requireWritable()
    this.#queue = new WriteQueue()
    await this.#inTurn(() =>
      this.#orDiscard([written], async () => {
        await this.#rotate()
        await this.#flushing
        this.#requireHealthy()
        const { generation } = this.#live.active
        await this.#log.append([emptyRecord])
        await this.#log.begin()
        const firstJournal = this.#log.lastNumber + 1
        this.#live.active = new Memtable(firstJournal)
        const added = [{ ...written, generation }]
        await this.#commit({ added, removed: [], firstJournal, removals, onVisible })
        await this.#dropLog(firstJournal - 1)
      }),
    )
    this.#requireHealthy()
    this.#startCompaction()
  }

  /** Removes what was written where the disk had no room for all of it. After any other failure it may be part of the store. */
  async #orDiscard(written: readonly WrittenSegment[], work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (isForWantOfRoom(error)) await this.#segments.discard(written)
      throw error
    }
  }

  /** What is left of it is removed by the next start. */
  async #dropLog(through: number): Promise<void> {
    await this.#log.dropThrough(through).catch(() => undefined)
  }

  /** Replaces segments, or the generations before `firstJournal`, by others: on disk and for readers in one step each.
   *  Removals that hide nothing any more are dropped after that. */
  #commit(change: {
    readonly added: readonly SegmentEntry[]
    readonly removed: readonly SegmentEntry[]
    readonly firstJournal?: number
    /** Of the generation before `firstJournal`. */
    readonly removals?: readonly Removal[]
    readonly onVisible?: () => void
  }): Promise<void> {
    const { removals: added = [] } = change
    const addTo = (removals: Removals, firstJournal: number) => {
      for (const removal of added) removals.add(firstJournal - 1, removal)
    }
    return this.#segments.commit(
      before => {
        const firstJournal = change.firstJournal ?? before.firstJournal
        const segments = [
          ...before.segments.filter(entry => !change.removed.includes(entry)),
          ...change.added,
        ]
        const removals = this.#live.removals.snapshot()
        addTo(removals, firstJournal)
        removals.keepNeeded({ firstJournal, segments })
        return {
          format: 1,
          firstJournal,
          segments,
          removals: removals.store(firstJournal),
          keys: this.#live.keys.toArray(),
        }
      },
      () => {
        const { manifest } = this.#segments
        if (change.firstJournal !== undefined) this.#frozen = undefined
        addTo(this.#live.removals, manifest.firstJournal)
        this.#live.removals.keepNeeded(manifest)
        change.onVisible?.()
      },
    )
  }

  #requireWritable(): void {
    this.#requireOpen()
    this.#requireHealthy()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new StoreReadOnlyError('the store is closed')
  }

  #requireHealthy(): void {
    const { reason, error } = this.#writability
    if (reason !== undefined) throw new StoreReadOnlyError(reason, { cause: error })
  }

  #fail(error: unknown): void {
    // That is the consequence of an earlier failure.
    if (!(error instanceof StoreReadOnlyError)) this.#writability.fail(error)
  }
}
