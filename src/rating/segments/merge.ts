import { TimeSlice } from '../../time-slice.ts'
import { type Chunk, chunkOf, maxChunkPoints } from './chunk.ts'
import { comparePoints, countUpTo, mergeColumns, pointAt, sliceColumns } from './columns.ts'
import { seriesKey } from './series.ts'

/** Chunks in order of project, series key and begin; several at a time. */
export type ChunkSource = AsyncIterable<readonly Chunk[]> | Iterable<readonly Chunk[]>

/** Merges sources into one in canonical order: project, series key, begin, end, quantity, price. The order of
 *  the points does not depend on how they are spread over the sources. Stretches of a series that follow each
 *  other come as one chunk, up to about its usual length. Holds one batch a source. */
export async function* mergeChunks(sources: readonly ChunkSource[]): AsyncGenerator<Chunk> {
  let parts: Chunk[] = []
  let count = 0
  let last: Part | undefined
  for await (const part of mergeParts(sources)) {
    const isNext = last !== undefined && isSameSeries(part, last)
    if (parts.length > 0 && (!isNext || count + part.chunk.count > maxChunkPoints)) {
      yield joinParts(parts)
      parts = []
      count = 0
    }
    last = part
    parts.push(part.chunk)
    count += part.chunk.count
  }
  if (parts.length > 0) yield joinParts(parts)
}

function isSameSeries(a: Part, b: Part): boolean {
  return a.key === b.key && a.chunk.series.projectId === b.chunk.series.projectId
}

function joinParts(parts: readonly Chunk[]): Chunk {
  const [first] = parts
  if (first === undefined) throw new Error('there is nothing to join')
  if (parts.length === 1) return first
  return chunkOf(first.series, mergeColumns(parts.map(part => part.columns())))
}

/** A stretch of a series, with the series' key. */
type Part = { readonly chunk: Chunk; readonly key: string }

async function* mergeParts(sources: readonly ChunkSource[]): AsyncGenerator<Part> {
  const cursors: Cursor[] = []
  for (const source of sources) {
    const cursor = new Cursor(source)
    if (await cursor.advance()) cursors.push(cursor)
  }
  const slice = new TimeSlice()
  try {
    while (cursors.length > 0) {
      if (slice.isSpent) await slice.yield()
      const first = leading(cursors)
      const key = first[0]?.key ?? ''
      yield { chunk: takeLeading(first), key }
      for (const cursor of first) {
        if (cursor.chunk === undefined && !(await cursor.advance())) {
          cursors.splice(cursors.indexOf(cursor), 1)
        }
      }
    }
  } finally {
    for (const cursor of cursors) await cursor.close()
  }
}

/** The cursors that stand at the earliest series. */
function leading(cursors: readonly Cursor[]): readonly Cursor[] {
  const [start, ...rest] = cursors
  let first = start === undefined ? [] : [start]
  for (const cursor of rest) {
    const order = first[0] === undefined ? -1 : cursor.compare(first[0])
    if (order < 0) first = [cursor]
    else if (order === 0) first.push(cursor)
  }
  return first
}

/** Takes from the cursors at one series all points up to the end of the chunk that ends first: no later point can sort
 *  before them. */
function takeLeading(cursors: readonly Cursor[]): Chunk {
  const chunks = cursors.flatMap(cursor => cursor.chunk ?? [])
  const [only] = chunks
  if (only === undefined) throw new Error('a merge needs a chunk')
  const ahead = cursorAhead(cursors)
  if (ahead?.chunk !== undefined) {
    const { chunk } = ahead
    ahead.chunk = undefined
    return chunk
  }
  const bound = chunks
    .map(chunk => pointAt(chunk.columns(), chunk.count - 1))
    .reduce((least, point) => (comparePoints(point, least) < 0 ? point : least))
  const heads = cursors.map(cursor => {
    const { chunk = only } = cursor
    const columns = chunk.columns()
    const count = countUpTo(columns, bound)
    cursor.chunk =
      count === chunk.count
        ? undefined
        : chunkOf(chunk.series, sliceColumns(columns, { from: count, to: chunk.count }))
    return sliceColumns(columns, { from: 0, to: count })
  })
  return chunkOf(only.series, mergeColumns(heads.filter(head => head.begins.length > 0)))
}

/** The cursor whose chunk ends before those of the others begin: so do hours that were written one after the other. */
function cursorAhead(cursors: readonly Cursor[]): Cursor | undefined {
  const end = Math.min(...cursors.map(({ chunk }) => chunk?.lastBegin ?? Infinity))
  const begun = cursors.filter(({ chunk }) => chunk !== undefined && chunk.firstBegin <= end)
  return begun.length === 1 ? begun[0] : undefined
}

/** A cursor in a source. */
class Cursor {
  readonly #batches: AsyncIterator<readonly Chunk[]> | Iterator<readonly Chunk[]>
  #batch: readonly Chunk[] = []
  #next = 0
  #projectId = ''
  /** The series' key. */
  key = ''
  /** The chunk it stands at, or what is left of it. */
  chunk: Chunk | undefined

  constructor(source: ChunkSource) {
    this.#batches =
      Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  }

  /** Moves to the next chunk; false at the end. */
  async advance(): Promise<boolean> {
    while (this.#next >= this.#batch.length) {
      const { done, value } = await this.#batches.next()
      if (done) return false
      this.#batch = value
      this.#next = 0
    }
    this.chunk = this.#batch[this.#next++]
    if (this.chunk === undefined) return false
    this.#projectId = this.chunk.series.projectId
    this.key = seriesKey(this.chunk.series)
    return true
  }

  compare(other: Cursor): number {
    if (this.#projectId !== other.#projectId) return this.#projectId < other.#projectId ? -1 : 1
    if (this.key === other.key) return 0
    return this.key < other.key ? -1 : 1
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}
