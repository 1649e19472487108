import { coefficientAt, type Decimal, decimal } from '../decimal.ts'
import { ExactSum } from '../exact-sum.ts'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { maxColumnInteger, readIntegers, writeIntegers } from './integer-column.ts'

/** A column of exact amounts with one scale. `values` are coefficients: whole floats where all of them fit,
 *  which is what sums run over, and bigints where one does not. */
export type Amounts =
  | { readonly scale: number; readonly values: Float64Array }
  | { readonly scale: number; readonly values: readonly bigint[] }

/** A single amount, as a column would hold it. */
export type Amount = { readonly scale: number; readonly value: number | bigint }

export function amountOf({ coefficient, scale }: Decimal): Amount {
  const value = Number(coefficient)
  return { scale, value: Math.abs(value) <= maxColumnInteger ? value : coefficient }
}

export function decimalOf({ scale, value }: Amount): Decimal {
  return decimal(BigInt(value), scale)
}

export function packAmounts(amounts: readonly Decimal[]): Amounts {
  let scale = 0
  for (const amount of amounts) if (amount.scale > scale) scale = amount.scale
  const values = new Float64Array(amounts.length)
  for (const [i, amount] of amounts.entries()) {
    const value = Number(coefficientAt(amount, scale))
    if (Math.abs(value) > maxColumnInteger) {
      return { scale, values: amounts.map(each => coefficientAt(each, scale)) }
    }
    values[i] = value
  }
  return { scale, values }
}

export function amountAt({ scale, values }: Amounts, i: number): Decimal {
  return decimal(BigInt(values[i] ?? 0), scale)
}

/** Indexes from `from` up to, not including, `to`. */
export type Range = { readonly from: number; readonly to: number }

/** Adds a range of a column to a sum. */
export function addAmounts(sum: ExactSum, { scale, values }: Amounts, { from, to }: Range): void {
  for (let i = from; i < to; i++) sum.addScaled(values[i] ?? 0, scale)
}

/** The exact total of a column. */
export function sumOfAmounts(amounts: Amounts): Amount {
  if (amounts.values.length === 1) return amountOf(amountAt(amounts, 0))
  const sum = new ExactSum()
  addAmounts(sum, amounts, { from: 0, to: amounts.values.length })
  return amountOf(sum.total())
}

/** The amounts at the given indexes, in that order. */
export function selectAmounts({ scale, values }: Amounts, indexes: Uint32Array): Amounts {
  return values instanceof Float64Array
    ? { scale, values: selectFloats(values, indexes) }
    : { scale, values: Array.from(indexes, index => values[index] ?? 0n) }
}

export function selectFloats(values: Float64Array, indexes: Uint32Array): Float64Array {
  const selected = new Float64Array(indexes.length)
  for (let i = 0; i < indexes.length; i++) selected[i] = values[indexes[i] ?? 0] ?? 0
  return selected
}

export function sliceAmounts({ scale, values }: Amounts, { from, to }: Range): Amounts {
  return values instanceof Float64Array
    ? { scale, values: values.subarray(from, to) }
    : { scale, values: values.slice(from, to) }
}

/** One column behind the other. */
export function concatAmounts(columns: readonly Amounts[]): Amounts {
  const scale = columns.reduce((largest, column) => Math.max(largest, column.scale), 0)
  const joined = new Float64Array(
    columns.reduce((count, column) => count + column.values.length, 0),
  )
  let at = 0
  for (const { values, scale: ownScale } of columns) {
    const factor = 10 ** (scale - ownScale)
    for (const value of values) {
      const aligned = Number(value) * factor
      if (Math.abs(aligned) > maxColumnInteger) return packAmounts(columns.flatMap(unpackAmounts))
      joined[at++] = aligned
    }
  }
  return { scale, values: joined }
}

function unpackAmounts(amounts: Amounts): readonly Decimal[] {
  return Array.from({ length: amounts.values.length }, (_, i) => amountAt(amounts, i))
}

// scale varint | kind byte | integers, or (kind 1) each coefficient as decimal text

const kindIntegers = 0
const kindText = 1

export function writeAmounts(writer: ByteWriter, { scale, values }: Amounts): void {
  writer.varint(scale)
  if (values instanceof Float64Array) {
    writer.byte(kindIntegers)
    writeIntegers(writer, values)
    return
  }
  writer.byte(kindText)
  for (const value of values) writer.text(String(value))
}

export function readAmounts(reader: ByteReader, count: number): Amounts {
  const scale = reader.varint()
  if (reader.byte() === kindIntegers) return { scale, values: readIntegers(reader, count) }
  return { scale, values: Array.from({ length: count }, () => BigInt(reader.text())) }
}

// A single amount: scale varint | kind byte | signed or text

export function writeAmount(writer: ByteWriter, { scale, value }: Amount): void {
  writer.varint(scale)
  writer.byte(typeof value === 'number' ? kindIntegers : kindText)
  if (typeof value === 'number') writer.signed(value)
  else writer.text(String(value))
}

export function readAmount(reader: ByteReader): Amount {
  const scale = reader.varint()
  return { scale, value: reader.byte() === kindIntegers ? reader.signed() : BigInt(reader.text()) }
}
