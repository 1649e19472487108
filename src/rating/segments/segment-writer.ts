import type { AppendFile, FileSystem } from '../../durable/file-system.ts'
import { frameHeaderLength, frameOf } from '../../durable/frame.ts'
import { writeNewFile } from '../../durable/replace-file.ts'
import type { Period } from '../period.ts'
import { BlockBuilder } from './block.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { type Chunk, chunkOf, maxChunkPoints } from './chunk.ts'
import { sliceColumns } from './columns.ts'

// A segment is a file that is written once: frames of blocks, a frame with their index, and a trailer with the
// position of the index.
//
//   blocks... | index | offset of the index's frame f64 | "ZwRtSeg1"

export const segmentEnd = Buffer.from('ZwRtSeg1')
export const segmentEndLength = 16

/** The position of a block, and the range of its points. */
export type BlockEntry = BlockRange & { readonly at: number; readonly length: number }

type BlockRange = {
  readonly pointCount: number
  readonly firstProjectId: string
  readonly lastProjectId: string
  /** From the first begin to behind the last. */
  readonly span: Period
}

/** Octets from which a block is closed: large enough for few reads, small enough to be read for one project. */
const blockOctets = 64 * 1024

/** Chunks in the order of a segment: of project and series key. */
export type ChunksInOrder = AsyncIterable<Chunk> | Iterable<Chunk>

/** The place of chunks that do not come in order: those of one rank come one after the other and in order, and the ranks have the
 *  order of the segment. */
export type RankOf = (chunk: Chunk) => number

const noRank: RankOf = () => 0

/** Writes chunks and makes the file durable, though not yet its name. Returns the index; it is empty, and there is no file,
 *  where there were no chunks. */
export async function writeSegment(
  files: FileSystem,
  path: string,
  chunks: ChunksInOrder,
  rankOf: RankOf = noRank,
): Promise<readonly BlockEntry[]> {
  let index: readonly BlockEntry[] = []
  try {
    await writeNewFile(files, path, async file => {
      const writer = new SegmentWriter(file)
      for await (const chunk of chunks) {
        await writer.beginRank(rankOf(chunk))
        for (const part of splitChunk(chunk)) await writer.add(part)
      }
      index = await writer.finish()
    })
  } finally {
    // Also on a full disk, where half a segment would take the room that others need.
    if (index.length === 0) await files.remove(path)
  }
  return index
}

class SegmentWriter {
  readonly #file: AppendFile
  readonly #index: (BlockEntry & { readonly rank: number })[] = []
  #rank = 0
  #at = 0
  #block = new BlockBuilder()
  /** What the block has so far; its chunks are not kept, as they are many. */
  #range: BlockRange | undefined

  constructor(file: AppendFile) {
    this.#file = file
  }

  /** Blocks are read in the order of the index, wherever they are in the file. */
  async beginRank(rank: number): Promise<void> {
    if (rank === this.#rank) return
    await this.#closeBlock()
    this.#rank = rank
  }

  async add(chunk: Chunk): Promise<void> {
    this.#block.add(chunk)
    this.#range = extended(this.#range, chunk)
    if (this.#block.length >= blockOctets) await this.#closeBlock()
  }

  async finish(): Promise<readonly BlockEntry[]> {
    await this.#closeBlock()
    const indexAt = this.#at
    const index = this.#index.toSorted((a, b) => a.rank - b.rank)
    await this.#appendFrame(encodeIndex(index))
    const end = Buffer.alloc(segmentEndLength)
    end.writeDoubleLE(indexAt)
    segmentEnd.copy(end, 8)
    await this.#file.append(end)
    return index
  }

  async #closeBlock(): Promise<void> {
    if (this.#range === undefined) return
    const payload = this.#block.finish()
    const place = { rank: this.#rank, at: this.#at, length: payload.length }
    this.#index.push({ ...place, ...this.#range })
    this.#block = new BlockBuilder()
    this.#range = undefined
    await this.#appendFrame(payload)
  }

  async #appendFrame(payload: Buffer): Promise<void> {
    await this.#file.append(frameOf(payload))
    this.#at += frameHeaderLength + payload.length
  }
}

function extended(range: BlockRange | undefined, chunk: Chunk): BlockRange {
  const { projectId } = chunk.series
  const { begin = chunk.firstBegin, end = chunk.lastBegin + 1 } = range?.span ?? {}
  return {
    pointCount: (range?.pointCount ?? 0) + chunk.count,
    firstProjectId: range?.firstProjectId ?? projectId,
    lastProjectId: projectId,
    span: {
      begin: Math.min(begin, chunk.firstBegin),
      end: Math.max(end, chunk.lastBegin + 1),
    },
  }
}

function* splitChunk(chunk: Chunk): Generator<Chunk> {
  if (chunk.count <= maxChunkPoints) return yield chunk
  const columns = chunk.columns()
  for (let from = 0; from < chunk.count; from += maxChunkPoints) {
    const to = Math.min(from + maxChunkPoints, chunk.count)
    yield chunkOf(chunk.series, sliceColumns(columns, { from, to }))
  }
}

function encodeIndex(entries: readonly BlockEntry[]): Buffer {
  const writer = new ByteWriter()
  writer.varint(entries.length)
  for (const entry of entries) {
    writer.varint(entry.at)
    writer.varint(entry.length)
    writer.varint(entry.pointCount)
    writer.text(entry.firstProjectId)
    writer.text(entry.lastProjectId)
    writer.signed(entry.span.begin)
    writer.signed(entry.span.end)
  }
  return writer.bytes
}

/** What all blocks have together. */
export function totalsOf(index: readonly BlockEntry[]): { pointCount: number; span: Period } {
  return {
    pointCount: index.reduce((count, block) => count + block.pointCount, 0),
    span: {
      begin: Math.min(...index.map(block => block.span.begin)),
      end: Math.max(...index.map(block => block.span.end)),
    },
  }
}

export function decodeIndex(payload: Buffer): readonly BlockEntry[] {
  const reader = new ByteReader(payload)
  return Array.from({ length: reader.varint() }, () => ({
    at: reader.varint(),
    length: reader.varint(),
    pointCount: reader.varint(),
    firstProjectId: reader.text(),
    lastProjectId: reader.text(),
    span: { begin: reader.signed(), end: reader.signed() },
  }))
}
