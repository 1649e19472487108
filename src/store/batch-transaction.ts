import type { RecordsetRun } from '../model/recordset-run.ts'
import type { Steps } from '../time-slice.ts'
import type { StoredRecordset } from './commit-entry.ts'
import { Overlay } from './overlay.ts'
import type { StagedTransaction, StoreReader } from './store.ts'

/** What a change reads and writes; discarded entirely if the change throws. */
export class BatchTransaction extends Overlay implements StagedTransaction {
  readonly atMicros: number
  readonly #stored: StoredRecordset
  #isOver = false

  /** @param stored finds the packed form of a recordset of `base` */
  constructor(base: StoreReader, atMicros: number, stored: StoredRecordset = () => undefined) {
    super(base)
    this.atMicros = atMicros
    this.#stored = stored
  }

  packRecordsets(): Steps<RecordsetRun> {
    return this.pack(this.#stored)
  }

  /** Later writes would be lost silently, so they are refused. */
  end(): void {
    this.#isOver = true
  }

  protected override change(...args: Parameters<Overlay['change']>): void {
    this.#requireOpen()
    super.change(...args)
  }

  override insertRecordsets(run: RecordsetRun): void {
    this.#requireOpen()
    super.insertRecordsets(run)
  }

  adoptRecordsets(staged: StagedTransaction): void {
    this.#requireOpen()
    if (!(staged instanceof BatchTransaction))
      throw new Error('the transaction is of another store')
    staged.end()
    this.takeRecordsets(staged)
  }

  #requireOpen(): void {
    if (this.#isOver)
      throw new Error('the transaction is over: a change must do all of its work at once')
  }
}
