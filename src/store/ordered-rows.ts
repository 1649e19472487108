import type { Stamped } from '../model/stamped.ts'

// Rows in order of (createdAt, id), in chunks: an insert or delete moves at most a chunk, a walk can start
// anywhere in O(log n), and rows that arrive in order, as nearly all do, are appended.

/** A row's place in creation order. */
export type Place = { readonly createdAt: number; readonly id: string }

/** How to walk: upwards unless told otherwise, strictly behind `after` where it is given. */
export type WalkOptions = { readonly after?: Place; readonly isDescending?: boolean }

const chunkSize = 512

/** Orders two places; ids break ties. */
export function comparePlaces(left: Place, right: Place): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt
  if (left.id === right.id) return 0
  return left.id < right.id ? -1 : 1
}

/** Whether a walk comes by a place. */
export function isBehind(place: Place, { after, isDescending }: WalkOptions): boolean {
  if (after === undefined) return true
  const order = comparePlaces(place, after)
  return isDescending === true ? order < 0 : order > 0
}

/** A sorted collection of rows with distinct places. A walk that is under way while rows come and go carries
 *  on behind the last row it gave out. */
export class OrderedRows<Row extends Stamped> {
  readonly #chunks: Row[][] = []
  #size = 0
  #changeCount = 0

  get size(): number {
    return this.#size
  }

  /** Whether exactly this row is in here. */
  has(row: Row): boolean {
    const chunk = this.#chunks[this.#chunkOf(row)] ?? []
    return chunk[lowerBound(chunk, row)] === row
  }

  /** Whether the size is the number of rows. Costs a look at each chunk. */
  get isCounted(): boolean {
    return this.#chunks.reduce((count, { length }) => count + length, 0) === this.#size
  }

  /** The earliest row; undefined when there is none. */
  get first(): Row | undefined {
    return this.#chunks[0]?.[0]
  }

  /** Inserts, or replaces the row at the same place. */
  put(row: Row): void {
    const last = this.#chunks.at(-1)
    const lastRow = last?.at(-1)
    if (last === undefined || lastRow === undefined || comparePlaces(row, lastRow) > 0) {
      if (last !== undefined && last.length < chunkSize) last.push(row)
      else this.#chunks.push([row])
      this.#size += 1
      this.#changeCount += 1
      return
    }
    const at = this.#chunkOf(row)
    const chunk = this.#chunks[at] as Row[]
    const index = lowerBound(chunk, row)
    const found = chunk[index]
    if (found !== undefined && comparePlaces(found, row) === 0) {
      chunk[index] = row
      return
    }
    chunk.splice(index, 0, row)
    if (chunk.length > 2 * chunkSize) this.#chunks.splice(at + 1, 0, chunk.splice(chunkSize))
    this.#size += 1
    this.#changeCount += 1
  }

  /** Removes the row at a place; returns whether there was one. */
  delete(place: Place): boolean {
    const at = this.#chunkOf(place)
    const chunk = this.#chunks[at]
    if (chunk === undefined) return false
    const index = lowerBound(chunk, place)
    const found = chunk[index]
    if (found === undefined || comparePlaces(found, place) !== 0) return false
    chunk.splice(index, 1)
    if (chunk.length === 0) this.#chunks.splice(at, 1)
    this.#size -= 1
    this.#changeCount += 1
    return true
  }

  /** Walks over the rows in order. */
  *walk(options: WalkOptions = {}): Generator<Row> {
    const step = options.isDescending === true ? -1 : 1
    let cursor = this.#seek(options.after, step)
    let changeCount = this.#changeCount
    for (;;) {
      const row = this.#chunks[cursor.chunk]?.[cursor.index]
      if (row === undefined) return
      yield row
      if (changeCount === this.#changeCount) {
        cursor = this.#next(cursor, step)
      } else {
        cursor = this.#seek(row, step)
        changeCount = this.#changeCount
      }
    }
  }

  #seek(after: Place | undefined, step: 1 | -1): Cursor {
    if (after === undefined) {
      const chunk = step === 1 ? 0 : this.#chunks.length - 1
      return { chunk, index: step === 1 ? 0 : (this.#chunks[chunk]?.length ?? 0) - 1 }
    }
    const chunk = this.#chunkOf(after)
    const rows = this.#chunks[chunk]
    if (rows === undefined) return { chunk: 0, index: 0 }
    const index = lowerBound(rows, after)
    const found = rows[index]
    const isThere = found !== undefined && comparePlaces(found, after) === 0
    if (step === -1) return this.#next({ chunk, index }, step)
    if (isThere) return this.#next({ chunk, index }, step)
    return found === undefined ? { chunk: chunk + 1, index: 0 } : { chunk, index }
  }

  #next({ chunk, index }: Cursor, step: 1 | -1): Cursor {
    const next = index + step
    if (next < 0) return { chunk: chunk - 1, index: (this.#chunks[chunk - 1]?.length ?? 0) - 1 }
    if (next >= (this.#chunks[chunk]?.length ?? 0) && step === 1)
      return { chunk: chunk + 1, index: 0 }
    return { chunk, index: next }
  }

  /** The chunk that holds a place or would: the last one that begins at or before it. */
  #chunkOf(place: Place): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      const first = this.#chunks[middle]?.[0]
      if (first !== undefined && comparePlaces(first, place) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }
}

type Cursor = { readonly chunk: number; readonly index: number }

/** The first index whose row is not before `place`. */
function lowerBound(rows: readonly Place[], place: Place): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePlaces(rows[middle] as Place, place) < 0) low = middle + 1
    else high = middle
  }
  return low
}
