import type { CapturedFile } from '../../durable/captured-file.ts'
import type { Instant } from '../../model/rating.ts'
import { StoreUnavailableError } from '../../store/store.ts'
import type { Batch } from './batch.ts'
import type { PointListener } from './point-listener.ts'
import type { PointStore, Points, StagedSegment } from './point-store.ts'
import type { Range } from './segment.ts'
import type { Snapshot } from './snapshot.ts'
import type { WriteResult } from './write-queue.ts'

/** The points of several nodes, which one node has at a time: the store is opened with each term of the duty. Between
 *  terms calls fail with `StoreUnavailableError`. */
export class TermPoints implements Points {
  #store: PointStore | undefined
  #listener: PointListener | undefined

  /** Begins a term, or ends it. */
  use(store: PointStore | undefined): void {
    this.#store = store
    if (this.#listener !== undefined) store?.setListener(this.#listener)
  }

  get isOpen(): boolean {
    return this.#store !== undefined
  }

  capture(): readonly CapturedFile[] {
    return this.#store?.capture() ?? []
  }

  async resume(): Promise<void> {
    await this.#store?.resume()
  }

  get readOnlyReason(): string | undefined {
    return this.#store?.readOnlyReason
  }

  async write(batch: Batch): Promise<WriteResult> {
    return this.#open.write(batch)
  }

  async stage(...staged: Parameters<PointStore['stage']>): Promise<StagedSegment> {
    return this.#open.stage(...staged)
  }

  setListener(listener: PointListener): void {
    this.#listener = listener
    this.#store?.setListener(listener)
  }

  snapshot(range: Range): Snapshot {
    return this.#open.snapshot(range)
  }

  heldFrom(from: Instant): Instant | undefined {
    return this.#open.heldFrom(from)
  }

  get lastBegin(): Instant | undefined {
    return this.#open.lastBegin
  }

  async holdsBefore(end: Instant): Promise<boolean> {
    return this.#open.holdsBefore(end)
  }

  async dropBefore(end: Instant): Promise<void> {
    await this.#open.dropBefore(end)
  }

  async flush(): Promise<void> {
    await this.#open.flush()
  }

  async close(): Promise<void> {
    const store = this.#store
    this.#store = undefined
    await store?.close()
  }

  get #open(): PointStore {
    if (this.#store === undefined) throw new StoreUnavailableError('Usage is rated at another node')
    return this.#store
  }
}
