import type { Instant } from '../../model/rating.ts'
import { type Amount, readAmount, readAmounts, writeAmount, writeAmounts } from './amounts.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import type { Chunk } from './chunk.ts'
import type { Columns } from './columns.ts'
import { readIntegers, writeIntegers } from './integer-column.ts'
import { type Series, WrittenSeries, writeSeries } from './series.ts'
import { readTexts, TextDictionary, type Texts } from './text-dictionary.ts'

// A block holds chunks with a dictionary of their texts, so it can be read alone:
//
//   dictionary   count, then texts
//   table        count, then for each chunk: octets of its series, series, points, first begin, last minus first
//                begin, sums, octets of its columns
//   columns      for each chunk: begins, durations, quantities, prices
//
// A reader of sums, or of one project, reads the table and skips the columns.

/** Gathers chunks into a block. */
export class BlockBuilder {
  readonly #dictionary = new TextDictionary()
  readonly #table = new ByteWriter()
  readonly #series = new ByteWriter()
  readonly #columns = new ByteWriter()
  #chunkCount = 0

  /** Octets the block has so far. */
  get length(): number {
    return this.#dictionary.length + this.#table.length + this.#columns.length
  }

  add(chunk: Chunk): void {
    const before = this.#columns.length
    writeColumns(this.#columns, chunk.columns())
    this.#series.clear()
    writeSeries(this.#series, chunk.series, this.#dictionary)
    this.#table.varint(this.#series.length)
    this.#table.append(this.#series.bytes)
    this.#table.varint(chunk.count)
    this.#table.signed(chunk.firstBegin)
    this.#table.varint(chunk.lastBegin - chunk.firstBegin)
    writeAmount(this.#table, chunk.qtySum)
    writeAmount(this.#table, chunk.priceSum)
    this.#table.varint(this.#columns.length - before)
    this.#chunkCount++
  }

  /** The finished block. */
  finish(): Buffer {
    const block = new ByteWriter()
    this.#dictionary.writeTo(block)
    block.varint(this.#chunkCount)
    block.append(this.#table.bytes)
    block.append(this.#columns.bytes)
    return block.bytes
  }
}

/** Reads the chunks of a block, in order; with `projectIds`, of those projects only. They share the block's
 *  memory. @throws RangeError the block is not one */
export function decodeBlock(block: Buffer, projectIds?: ReadonlySet<string>): readonly Chunk[] {
  const reader = new ByteReader(block)
  const texts = readTexts(reader)
  const chunks: WrittenChunk[] = []
  for (let count = reader.varint(); count > 0; count--) chunks.push(new WrittenChunk(reader, texts))
  for (const chunk of chunks) chunk.claimColumns(reader)
  return projectIds === undefined
    ? chunks
    : chunks.filter(chunk => projectIds.has(texts(chunk.projectIndex())))
}

/** A chunk of a block: its entry in the table, the rest decoded when asked for. */
class WrittenChunk implements Chunk {
  readonly count: number
  readonly firstBegin: Instant
  readonly lastBegin: Instant
  readonly qtySum: Amount
  readonly priceSum: Amount
  readonly #block: Buffer
  readonly #texts: Texts
  readonly #seriesAt: number
  readonly #columnsLength: number
  #columnsAt = 0
  #series: Series | undefined

  /** Reads the next entry of a table. */
  constructor(reader: ByteReader, texts: Texts) {
    this.#block = reader.bytes
    this.#texts = texts
    this.#seriesAt = reader.skip(reader.varint())
    this.count = reader.varint()
    this.firstBegin = reader.signed()
    this.lastBegin = this.firstBegin + reader.varint()
    this.qtySum = readAmount(reader)
    this.priceSum = readAmount(reader)
    this.#columnsLength = reader.varint()
  }

  /** Passes over the chunk's columns, behind the table and those of the chunks before it. */
  claimColumns(reader: ByteReader): void {
    this.#columnsAt = reader.skip(this.#columnsLength)
  }

  /** The project's index in the dictionary. */
  projectIndex(): number {
    return new ByteReader(this.#block, this.#seriesAt).varint()
  }

  get series(): Series {
    this.#series ??= new WrittenSeries(new ByteReader(this.#block, this.#seriesAt), this.#texts)
    return this.#series
  }

  columns(): Columns {
    return readColumns(new ByteReader(this.#block, this.#columnsAt), this.count)
  }

  begins(): Float64Array {
    return readIntegers(new ByteReader(this.#block, this.#columnsAt), this.count)
  }
}

function writeColumns(writer: ByteWriter, { begins, ends, qty, price }: Columns): void {
  writeIntegers(writer, begins)
  writeIntegers(
    writer,
    ends.map((end, i) => end - (begins[i] ?? 0)),
  )
  writeAmounts(writer, qty)
  writeAmounts(writer, price)
}

function readColumns(reader: ByteReader, count: number): Columns {
  const begins = readIntegers(reader, count)
  const ends = readIntegers(reader, count)
  for (let i = 0; i < count; i++) ends[i] = (ends[i] ?? 0) + (begins[i] ?? 0)
  return { begins, ends, qty: readAmounts(reader, count), price: readAmounts(reader, count) }
}
