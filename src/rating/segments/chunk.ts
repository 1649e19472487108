import type { Instant } from '../../model/rating.ts'
import type { DataPoint } from '../data-point.ts'
import { type Amount, sumOfAmounts } from './amounts.ts'
import { type Columns, packColumns, pointAt } from './columns.ts'
import { type Series, seriesOf } from './series.ts'

/** A stretch of one series: what the store reads and writes as a unit. Sums are there without the points. */
export type Chunk = {
  readonly series: Series
  readonly count: number
  readonly firstBegin: Instant
  readonly lastBegin: Instant
  readonly qtySum: Amount
  readonly priceSum: Amount
  /** The points; decoded again on each call where the chunk comes from a file. */
  columns(): Columns
  /** Their begins alone, for counting. */
  begins(): Float64Array
}

/** Points of a chunk at most. A longer series is several chunks. */
export const maxChunkPoints = 4096

/** A chunk of points in memory. There must be at least one. */
export function chunkOf(series: Series, columns: Columns): Chunk {
  return new PackedChunk(series, columns)
}

/** A single point in memory. */
export function chunkOfPoint(point: DataPoint, origin: string): Chunk {
  return chunkOf(seriesOf(point, origin), packColumns([point]))
}

/** A class: V8 gives each object literal with getters a dictionary of its own, and there are hundreds of thousands of chunks. */
class PackedChunk implements Chunk {
  readonly series: Series
  readonly #columns: Columns

  constructor(series: Series, columns: Columns) {
    this.series = series
    this.#columns = columns
  }

  get count(): number {
    return this.#columns.begins.length
  }

  get firstBegin(): Instant {
    return this.#columns.begins[0] ?? 0
  }

  get lastBegin(): Instant {
    return this.#columns.begins.at(-1) ?? 0
  }

  get qtySum(): Amount {
    return sumOfAmounts(this.#columns.qty)
  }

  get priceSum(): Amount {
    return sumOfAmounts(this.#columns.price)
  }

  columns(): Columns {
    return this.#columns
  }

  begins(): Float64Array {
    return this.#columns.begins
  }
}

/** The points of a chunk as values. */
export function* pointsOf(chunk: Chunk): Generator<DataPoint> {
  const { metric, unit, groupby, metadata } = chunk.series
  const columns = chunk.columns()
  for (let i = 0; i < chunk.count; i++) {
    yield { metric, unit, groupby, metadata, ...pointAt(columns, i) }
  }
}
