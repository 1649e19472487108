import { extname } from 'node:path'
import { packed, type SigningBatch, signBatch, unpacked } from '../dnssec/sign-batch.ts'
import type { ReceivedTransfer } from '../zone/transfer-in.ts'
import type { BulkTasks } from './bulk-thread.ts'
import { type CompareInput, compareRuns, type RunDifference } from './compare-runs.ts'
import { readTransfer, type TransferReading } from './read-transfer.ts'
import { readZoneFile, type ZoneFileInput, type ZoneFileReading } from './read-zone-file.ts'
import { WorkerPool } from './worker-pool.ts'

/** Less than this takes no longer than a turn of the event loop may. */
const smallOctets = 32 * 1024

/** The same of two zones together that are held against each other: some thousand recordsets. */
const smallRunOctets = 256 * 1024

/** Each takes 50 us, and a thread as much to be asked. */
const smallSignatures = 32

/** What a thread may hold beside octets: a zone on its way in is octets, so more than this is for no good. The young
 *  generation is larger than usual, since nearly all that is made of a line is garbage at the next one. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 24 }

export type BulkOptions = {
  /** 0: all is done at once, where it is asked for. */
  readonly maxThreads: number
}

/** Work on whole zones. What would hold up the event loop is done in a thread; the rest at once, by the same functions,
 *  since to start a thread takes longer. */
export class Bulk {
  readonly #pool: WorkerPool | undefined

  constructor({ maxThreads }: BulkOptions) {
    // Sources run as they are; what is built from them has another extension.
    const module = new URL(`./bulk-thread${extname(import.meta.filename)}`, import.meta.url)
    if (maxThreads > 0) this.#pool = new WorkerPool({ module, maxThreads, resourceLimits })
  }

  /** The memory of the file is given away.
   *  @throws WorkerDiedError */
  async readZoneFile(input: ZoneFileInput): Promise<ZoneFileReading> {
    const { octets } = input
    if (this.#pool === undefined || isSmallFile(octets)) return readZoneFile(input)
    return this.#inThread('readZoneFile', input, [octets.buffer as ArrayBuffer])
  }

  /** The memory of the messages is given away.
   *  @throws WorkerDiedError */
  async readTransfer(received: ReceivedTransfer): Promise<TransferReading> {
    const { messages } = received
    const octets = messages.reduce((sum, { length }) => sum + length, 0)
    if (this.#pool === undefined || octets <= smallOctets) return readTransfer(received)
    return this.#inThread(
      'readTransfer',
      received,
      messages.map(({ buffer }) => buffer),
    )
  }

  /** The memory of both is given away; that of what is to be comes back.
   *  @throws WorkerDiedError */
  async compareRuns(input: CompareInput): Promise<RunDifference> {
    const runs = [...input.stored, ...input.next]
    const octets = runs.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (this.#pool === undefined || octets <= smallRunOctets) return compareRuns(input)
    return this.#inThread(
      'compareRuns',
      input,
      runs.map(({ buffer }) => buffer),
    )
  }

  /** @throws WorkerDiedError */
  async signBatch(batch: SigningBatch): Promise<readonly Uint8Array[]> {
    if (this.#pool === undefined || batch.data.length <= smallSignatures) return signBatch(batch)
    const { privateKeys, by } = batch
    const pieces = packed(batch.data)
    const memory = [pieces.octets.buffer as ArrayBuffer]
    return unpacked(await this.#inThread('signPacked', { privateKeys, by, ...pieces }, memory))
  }

  /** Ends all threads; what they were at fails. */
  async close(): Promise<void> {
    await this.#pool?.close()
  }

  async #inThread<N extends keyof BulkTasks>(
    name: N,
    input: Parameters<BulkTasks[N]['run']>[0],
    memory: readonly ArrayBuffer[],
  ): Promise<ReturnType<BulkTasks[N]['run']>> {
    return (await this.#pool?.run(name, input, memory)) as ReturnType<BulkTasks[N]['run']>
  }
}

/** A line of $GENERATE makes many of itself. */
function isSmallFile(octets: Uint8Array): boolean {
  if (octets.length > smallOctets) return false
  const { buffer, byteOffset, byteLength } = octets
  return !/\$generate/i.test(Buffer.from(buffer, byteOffset, byteLength).toString('latin1'))
}
