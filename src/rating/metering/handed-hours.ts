import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { TimeSlice } from '../../time-slice.ts'
import { ByteReader } from '../segments/byte-reader.ts'
import { ByteWriter } from '../segments/byte-writer.ts'
import type { ZoneTally } from './hourly-usage.ts'
import type { Hour } from './tally.ts'
import { readOwner, readTally, writeOwner, writeTally } from './usage-record.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** An hour as one node has counted it. */
export type NodeHour = {
  /** The node, or one of its directories (`openHourSource`). */
  readonly source: string
  /** Whether the node ran from the hour's begin to its end, and so has seen each change of a zone when it came. */
  readonly isWhole: boolean
  /** The same for the same usage. */
  readonly digest: string
  readonly parts: readonly Buffer[]
}

/** The place to which nodes hand over finished hours: one entry for each hour and source. */
export type HandedHours = {
  /** Replaces what a source has handed over for an hour; durable when it resolves. An entry with the same digest is left
   *  as it is. */
  handOver(hour: Hour, counted: NodeHour): Promise<void>
  /** The hours with entries that are not marked as merged, ascending. */
  unmerged(): Promise<readonly Hour[]>
  /** The entries of an hour. */
  read(hour: Hour): Promise<readonly NodeHour[]>
  /** Marks entries as merged, except those that have been replaced since they were read. */
  markMerged(hour: Hour, read: readonly NodeHour[]): Promise<void>
  /** Removes the hours before one. */
  dropBefore(hour: Hour): Promise<void>
}

/** An hour could not be handed over, and is kept until it can. */
export class HandOverError extends Error {
  override readonly name = 'HandOverError'

  constructor(cause: unknown) {
    super('an hour of usage could not be handed over yet', { cause })
  }
}

/** Tallies of one part, which is decoded in one step. */
const talliesPerPart = 5000

/** Packs what was counted in an hour, in small steps. The digest does not depend on the order. */
export async function packHour(
  tallies: Iterable<ZoneTally>,
): Promise<Pick<NodeHour, 'digest' | 'parts'>> {
  const slice = new TimeSlice()
  const parts: Buffer[] = []
  const sum = Buffer.alloc(32)
  const entries = new ByteWriter()
  let count = 0
  for (const { owner, tally } of tallies) {
    const from = entries.length
    writeOwner(entries, owner)
    writeTally(entries, tally)
    const digest = createHash('sha256').update(entries.bytes.subarray(from)).digest()
    for (const [i, octet] of digest.entries()) sum[i] = (sum[i] as number) + octet
    count += 1
    if (count === talliesPerPart) {
      parts.push(await packed(count, entries))
      entries.clear()
      count = 0
    }
    if (slice.isSpent) await slice.yield()
  }
  if (count > 0) parts.push(await packed(count, entries))
  return { digest: sum.toString('hex'), parts }
}

/** Yields what `packHour` was given. */
export async function* unpackHour({ parts }: Pick<NodeHour, 'parts'>): AsyncGenerator<ZoneTally> {
  for (const part of parts) {
    const reader = new ByteReader(await inflate(part))
    for (let count = reader.varint(); count > 0; count -= 1)
      yield { owner: readOwner(reader, reader.byte()), tally: readTally(reader) }
  }
}

function packed(count: number, entries: ByteWriter): Promise<Buffer> {
  const writer = new ByteWriter()
  writer.varint(count)
  writer.append(entries.bytes)
  return deflate(writer.bytes, { level: 1 })
}
