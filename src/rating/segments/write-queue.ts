import { inSlices, type Steps } from '../../time-slice.ts'
import { type Batch, encodeBatch, type PreparedBatch, prepareBatch } from './batch.ts'

/** Whether a batch was stored, or its key known from one before. */
export type WriteResult = { readonly isNew: boolean }

/** A batch as it is applied and as the log has it, with the promise of its writer. */
export type QueuedWrite = EncodedBatch & { readonly outcome: PromiseWithResolvers<WriteResult> }

type EncodedBatch = { readonly batch: PreparedBatch; readonly record: Buffer }

type WaitingWrite = {
  readonly encoded: Promise<EncodedBatch>
  readonly outcome: PromiseWithResolvers<WriteResult>
}

/** Octets of records that are made durable with one sync. */
const groupOctets = 16 * 1024 * 1024

/** Batches that wait to be written, in the order in which they were added. They are encoded while they wait, in small
 *  steps. */
export class WriteQueue {
  readonly #waiting: WaitingWrite[] = []

  /** Adds a batch; settles as the outcome of its write does, and rejects where it cannot be encoded. */
  add(batch: Batch): Promise<WriteResult> {
    const outcome = Promise.withResolvers<WriteResult>()
    const encoded = inSlices(encode(batch))
    // `takeGroup` awaits it and passes a failure on. Until then the rejection would count as unhandled.
    encoded.catch(() => undefined)
    this.#waiting.push({ encoded, outcome })
    return outcome.promise
  }

  /** Takes the first batches, as many as one sync is to make durable. A batch that cannot be encoded fails alone. */
  async takeGroup(): Promise<readonly QueuedWrite[]> {
    const writes: QueuedWrite[] = []
    let octets = 0
    while (octets < groupOctets) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      try {
        const { batch, record } = await next.encoded
        octets += record.length
        writes.push({ batch, record, outcome: next.outcome })
      } catch (error) {
        next.outcome.reject(error)
      }
    }
    return writes
  }
}

function* encode(batch: Batch): Steps<EncodedBatch> {
  const prepared = yield* prepareBatch(batch)
  return { batch: prepared, record: yield* encodeBatch(prepared) }
}
