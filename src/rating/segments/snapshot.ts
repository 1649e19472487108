import { inSlices, TimeSlice } from '../../time-slice.ts'
import { type Month, monthPeriod, type Period } from '../period.ts'
import type { Chunk } from './chunk.ts'
import type { SegmentEntry } from './manifest.ts'
import { type MemoryChunk, type Memtable, sortChunks } from './memtable.ts'
import { type ChunkSource, mergeChunks } from './merge.ts'
import type { Removals } from './removals.ts'
import { overlaps, restrictChunk } from './restrict.ts'
import type { Range, Segment } from './segment.ts'
import type { SegmentSet } from './segment-set.ts'
import type { Series } from './series.ts'

/** What a store consists of at a moment: segments, and the memtables of generations after theirs. */
export type Contents = {
  readonly segments: SegmentSet
  readonly memtables: readonly Memtable[]
  readonly removals: Removals
}

/** All points of a range at one moment, unaffected by later writes, removals and merges. It keeps files from being
 *  removed until it is disposed of. */
export class Snapshot implements AsyncDisposable {
  readonly #range: Range
  readonly #removals: Removals
  #segments: readonly HeldSegment[]
  readonly #memory: readonly NotedMemory[]

  constructor({ segments, memtables, removals }: Contents, range: Range) {
    this.#range = range
    this.#removals = removals.snapshot()
    const entries = segments.manifest.segments.filter(entry => overlaps(range, entry.span))
    this.#segments = holdSegments(segments, entries)
    this.#memory = memtables.flatMap(memtable => noteMemory(memtable, range))
  }

  /** Yields the points, or those that begin within a part of the range, in no particular order. Holds a block at a time. */
  async *scan(within: Period = this.#range): AsyncGenerator<readonly Chunk[]> {
    for (const month of this.#months(within)) {
      for (const source of this.#sources(month, within, { inOrder: false })) yield* source
    }
  }

  /** Yields the points in canonical order: by month, project, series key, begin, end, quantity and price. The
   *  same points come in the same order, however they were written. Holds a block of each segment of a month. */
  async *scanInOrder(within: Period = this.#range): AsyncGenerator<readonly Chunk[]> {
    for (const month of this.#months(within)) {
      const sources = this.#sources(month, within, { inOrder: true })
      const [only] = sources
      if (only !== undefined && sources.length === 1) yield* only
      else for await (const chunk of mergeChunks(sources)) yield [chunk]
    }
  }

  /** Releases the files; nothing can be read after that. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    const held = this.#segments
    this.#segments = []
    await releaseSegments(held)
  }

  #months(within: Period): readonly Month[] {
    const parts = [...this.#segments.map(({ entry }) => entry), ...this.#memory]
    const months = new Set(parts.map(({ month }) => month))
    return [...months].filter(month => overlaps(within, monthPeriod(month))).sort()
  }

  /** Segments are in order; points in memory are sorted if necessary. */
  #sources(month: Month, within: Period, order: Order): readonly ChunkSource[] {
    const range = {
      ...this.#range,
      begin: Math.max(within.begin, this.#range.begin),
      end: Math.min(within.end, this.#range.end),
    }
    return [
      ...this.#segments
        .filter(({ entry }) => entry.month === month && overlaps(range, entry.span))
        .map(held => segmentSource(held, range, this.#removals)),
      ...this.#memory
        .filter(noted => noted.month === month)
        .map(noted => memorySource(noted, order, range, this.#removals)),
    ]
  }
}

/** Yields the points of segments of one month in canonical order, without what removals hide.
 *  @param requireWanted as of `Range` */
export async function* mergeSegments(
  segments: SegmentSet,
  entries: readonly SegmentEntry[],
  removals: Removals,
  requireWanted: () => void,
): AsyncGenerator<Chunk> {
  const held = holdSegments(segments, entries)
  const sources = held.map(each =>
    segmentSource(each, { ...each.entry.span, requireWanted }, removals),
  )
  try {
    yield* mergeChunks(sources)
  } finally {
    await releaseSegments(held)
  }
}

/** A segment whose file stays until it is released, even after the store has dropped it. */
type HeldSegment = { readonly entry: SegmentEntry; readonly segment: Segment }

function holdSegments(
  segments: SegmentSet,
  entries: readonly SegmentEntry[],
): readonly HeldSegment[] {
  return entries.map(entry => {
    const segment = segments.segment(entry)
    segment.retain()
    return { entry, segment }
  })
}

async function releaseSegments(held: readonly HeldSegment[]): Promise<void> {
  for (const { segment } of held) await segment.release()
}

/** The chunks a memtable had of a month. */
type NotedMemory = {
  readonly month: Month
  readonly generation: number
  readonly chunks: readonly MemoryChunk[]
}

function noteMemory(memtable: Memtable, range: Range): readonly NotedMemory[] {
  const months = memtable.months.filter(month => overlaps(range, monthPeriod(month)))
  const noted = months.map(month => ({
    month,
    generation: memtable.generation,
    chunks: memtable.chunks(month, range.projectIds),
  }))
  return noted.filter(({ chunks }) => chunks.length > 0)
}

async function* segmentSource(
  { entry, segment }: HeldSegment,
  range: Range,
  removals: Removals,
): AsyncGenerator<readonly Chunk[]> {
  const hiding = removals.hidingFrom(entry.generation)
  for await (const chunks of segment.chunks(range)) yield* visible(chunks, range, hiding)
}

type Order = { readonly inOrder: boolean }

async function* memorySource(
  noted: NotedMemory,
  { inOrder }: Order,
  range: Range,
  removals: Removals,
): AsyncGenerator<readonly Chunk[]> {
  const hiding = removals.hidingFrom(noted.generation)
  const chunks = inOrder ? await inSlices(sortChunks(noted.chunks)) : noted.chunks
  yield* visible(chunks, range, hiding)
}

/** Chunks handed out at once. Those of a memtable are packed as they are read, and those that are seen in part are unpacked. */
const batchChunks = 64

async function* visible(
  chunks: readonly Chunk[],
  range: Range,
  hiding: (series: Series) => readonly Period[],
): AsyncGenerator<readonly Chunk[]> {
  const slice = new TimeSlice()
  for (let i = 0; i < chunks.length; i += batchChunks) {
    range.requireWanted?.()
    const batch = chunks.slice(i, i + batchChunks)
    yield batch.flatMap(chunk => restrictChunk(chunk, range, hiding(chunk.series)) ?? [])
    if (slice.isSpent) await slice.yield()
  }
}
