import type { Instant } from '../../model/rating.ts'
import { compare, type Decimal } from '../decimal.ts'
import type { Period } from '../period.ts'
import {
  type Amounts,
  amountAt,
  concatAmounts,
  packAmounts,
  type Range,
  selectAmounts,
  selectFloats,
  sliceAmounts,
} from './amounts.ts'

/** The points of one series, column by column, in canonical order: by begin, end, quantity, price. Points that
 *  are equal in all of them are equal, so the order does not depend on how they arrived. */
export type Columns = {
  readonly begins: Float64Array
  readonly ends: Float64Array
  readonly qty: Amounts
  readonly price: Amounts
}

/** The fields of a point that are not those of its series. */
export type PointValues = Period & { readonly qty: Decimal; readonly price: Decimal }

/** Packs points that arrived in any order. */
export function packColumns(points: readonly PointValues[]): Columns {
  const sorted = isSorted(points) ? points : points.toSorted(comparePoints)
  const begins = new Float64Array(sorted.length)
  const ends = new Float64Array(sorted.length)
  for (const [i, { begin, end }] of sorted.entries()) {
    begins[i] = begin
    ends[i] = end
  }
  const qty = packAmounts(sorted.map(point => point.qty))
  const price = packAmounts(sorted.map(point => point.price))
  return { begins, ends, qty, price }
}

export function pointAt(columns: Columns, i: number): PointValues {
  return {
    begin: columns.begins[i] ?? 0,
    end: columns.ends[i] ?? 0,
    qty: amountAt(columns.qty, i),
    price: amountAt(columns.price, i),
  }
}

/** The points whose index passes a test; the same columns where all pass. */
export function filterColumns(columns: Columns, isKept: (index: number) => boolean): Columns {
  const { length } = columns.begins
  const indexes = new Uint32Array(length)
  let count = 0
  for (let i = 0; i < length; i++) if (isKept(i)) indexes[count++] = i
  return count === length ? columns : selectColumns(columns, indexes.subarray(0, count))
}

/** The points that begin in a period. Shares memory. */
export function columnsWithin(columns: Columns, { begin, end }: Period): Columns {
  const { begins } = columns
  return sliceColumns(columns, { from: countBefore(begins, begin), to: countBefore(begins, end) })
}

export function sliceColumns(columns: Columns, range: Range): Columns {
  const { from, to } = range
  if (from === 0 && to >= columns.begins.length) return columns
  return {
    begins: columns.begins.subarray(from, to),
    ends: columns.ends.subarray(from, to),
    qty: sliceAmounts(columns.qty, range),
    price: sliceAmounts(columns.price, range),
  }
}

/** Merges columns into one in canonical order. */
export function mergeColumns(parts: readonly Columns[]): Columns {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const joined = {
    begins: concatFloats(parts.map(part => part.begins)),
    ends: concatFloats(parts.map(part => part.ends)),
    qty: concatAmounts(parts.map(part => part.qty)),
    price: concatAmounts(parts.map(part => part.price)),
  }
  const indexes = Uint32Array.from(joined.begins, (_, i) => i)
  const isInOrder = indexes.every(i => i === 0 || compareAt(joined, i - 1, i) <= 0)
  return isInOrder
    ? joined
    : selectColumns(
        joined,
        indexes.sort((a, b) => compareAt(joined, a, b)),
      )
}

export function comparePoints(a: PointValues, b: PointValues): number {
  return a.begin - b.begin || a.end - b.end || compare(a.qty, b.qty) || compare(a.price, b.price)
}

/** How many points are not behind the given one. O(log n). */
export function countUpTo(columns: Columns, bound: PointValues): number {
  let low = 0
  let high = columns.begins.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePoints(pointAt(columns, middle), bound) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/** How many of sorted begins are before an instant. O(log n). */
function countBefore(begins: Float64Array, instant: Instant): number {
  let low = 0
  let high = begins.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((begins[middle] ?? 0) < instant) low = middle + 1
    else high = middle
  }
  return low
}

function compareAt(columns: Columns, a: number, b: number): number {
  const { begins, ends } = columns
  const byPeriod = (begins[a] ?? 0) - (begins[b] ?? 0) || (ends[a] ?? 0) - (ends[b] ?? 0)
  return byPeriod || comparePoints(pointAt(columns, a), pointAt(columns, b))
}

function isSorted(points: readonly PointValues[]): boolean {
  for (let i = 1; i < points.length; i++) {
    const [before, point] = [points[i - 1], points[i]]
    if (before === undefined || point === undefined || comparePoints(before, point) > 0)
      return false
  }
  return true
}

function selectColumns(columns: Columns, indexes: Uint32Array): Columns {
  return {
    begins: selectFloats(columns.begins, indexes),
    ends: selectFloats(columns.ends, indexes),
    qty: selectAmounts(columns.qty, indexes),
    price: selectAmounts(columns.price, indexes),
  }
}

function concatFloats(parts: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(parts.reduce((count, part) => count + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
