import { extname } from 'node:path'
import { packed, type SigningBatch, signBatch, unpacked } from '../dnssec/sign-batch.ts'
import type { ReceivedTransfer } from '../zone/transfer-in.ts'
import type { BulkTasks } from './bulk-thread.ts'
import { type CompareInput, compareRuns, type RunDifference } from './compare-runs.ts'
import { readTransfer, type TransferReading } from './read-transfer.ts'
import { readZoneFile, type ZoneFileInput, type ZoneFileReading } from './read-zone-file.ts'
import { WorkerPool } from './worker-pool.ts'

/** A smaller file or transfer takes no longer than one turn of the event loop may. */
const smallOctets = 32 * 1024

/** The same limit for the sum of two zones that are compared: a few thousand recordsets. */
const smallRunOctets = 256 * 1024

/** Each takes 50 us, and calling a thread takes as long. */
const smallSignatures = 32

/** The heap of a thread, without octets. An incoming zone is held as octets, so no valid input needs more than this. The
 *  young generation is larger than usual, since nearly all objects made of a line are garbage at the next one. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 24 }

type BulkOptions = {
  /** 0: all work is done at once in the calling thread. */
  readonly maxThreads: number
}

/** Work on whole zones. Work that would block the event loop is done in a thread, projects in turn; the rest at once, by the
 *  same functions, since starting a thread would take longer. */
export class Bulk {
  readonly #pool: WorkerPool | undefined

  constructor({ maxThreads }: BulkOptions) {
    // Sources run unbuilt; built files have another extension.
    const module = new URL(`./bulk-thread${extname(import.meta.filename)}`, import.meta.url)
    if (maxThreads > 0) this.#pool = new WorkerPool({ module, maxThreads, resourceLimits })
  }

  /** Transfers the memory of the file.
   *  @throws WorkerDiedError */
  async readZoneFile(input: ZoneFileInput, projectId: string): Promise<ZoneFileReading> {
    const { pieces } = input
    if (this.#pool === undefined || isSmallFile(pieces)) return readZoneFile(input)
    return this.#inThread(
      projectId,
      'readZoneFile',
      input,
      pieces.map(({ buffer }) => buffer as ArrayBuffer),
    )
  }

  /** @throws WorkerDiedError */
  async readTransfer(received: ReceivedTransfer, projectId: string): Promise<TransferReading> {
    const octets = received.pieces.reduce((sum, { length }) => sum + length, 0)
    if (this.#pool === undefined || octets <= smallOctets) return readTransfer(received)
    return this.#inThread(projectId, 'readTransfer', received, [])
  }

  /** Transfers the memory of both zones; that of `next` is returned.
   *  @throws WorkerDiedError */
  async compareRuns(input: CompareInput, projectId: string): Promise<RunDifference> {
    const runs = [...input.stored, ...input.next]
    const octets = runs.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (this.#pool === undefined || octets <= smallRunOctets) return compareRuns(input)
    return this.#inThread(
      projectId,
      'compareRuns',
      input,
      runs.map(({ buffer }) => buffer),
    )
  }

  /** @throws WorkerDiedError */
  async signBatch(batch: SigningBatch, projectId: string): Promise<readonly Uint8Array[]> {
    if (this.#pool === undefined || batch.data.length <= smallSignatures) return signBatch(batch)
    const { privateKeys, by } = batch
    const pieces = packed(batch.data)
    const input = { privateKeys, by, ...pieces }
    const memory = [pieces.octets.buffer as ArrayBuffer]
    return unpacked(await this.#inThread(projectId, 'signPacked', input, memory))
  }

  /** Ends all threads; their tasks fail. */
  async close(): Promise<void> {
    await this.#pool?.close()
  }

  async #inThread<N extends keyof BulkTasks>(
    projectId: string,
    name: N,
    input: Parameters<BulkTasks[N]['run']>[0],
    memory: readonly ArrayBuffer[],
  ): Promise<ReturnType<BulkTasks[N]['run']>> {
    const work = { task: name, input }
    return (await this.#pool?.run(projectId, work, memory)) as ReturnType<BulkTasks[N]['run']>
  }
}

/** A file with $GENERATE is not small, since one such line makes many records. */
function isSmallFile(pieces: readonly Uint8Array[]): boolean {
  const octetCount = pieces.reduce((sum, { length }) => sum + length, 0)
  return octetCount <= smallOctets && !/\$generate/i.test(Buffer.concat(pieces).toString('latin1'))
}
