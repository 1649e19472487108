// Numbers of rows in an order, usually that of (createdAt, id), in chunks: an insert or delete moves at most a chunk, a walk can
// start anywhere in O(log n), and rows that arrive in order, as nearly all do by creation, are appended.

/** A row's place in creation order. In any other order, the row itself is its place. */
export type Place = { readonly createdAt: number; readonly id: string }

/** Orders two places, never as equal unless they are of one row. */
export type Order = (left: Place, right: Place) => number

/** How to walk: upwards unless asked otherwise, strictly behind `after` where it is given. */
export type WalkOptions = { readonly after?: Place; readonly isDescending?: boolean }

/** What is known of the rows whose numbers are put in order. */
export type PlacedRows = {
  /** Undefined where no row has the number. */
  get(number: number): Place | undefined
  /** Orders a row's place against another. */
  comparePlace(number: number, place: Place): number
  /** Orders the places of two rows. */
  compare(left: number, right: number): number
}

const minChunk = 32
const maxChunk = 512

/** Orders two places; ids break ties. */
export function comparePlaces(left: Place, right: Place): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt
  return compareText(left.id, right.id)
}

/** Orders texts by their UTF-16 units. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Whether a walk passes a place. */
export function isBehind(
  place: Place,
  { after, isDescending }: WalkOptions,
  order: Order = comparePlaces,
): boolean {
  if (after === undefined) return true
  const side = order(place, after)
  return isDescending === true ? side < 0 : side > 0
}

/** A stretch of the order: the first `size` of the numbers, which are never none. */
type Chunk = { numbers: Int32Array; size: number }

/** A sorted collection of rows with distinct places. If rows come and go during a walk, it continues after the last row it yielded. */
export class OrderedRows {
  readonly #rows: PlacedRows
  readonly #chunks: Chunk[] = []
  #size = 0
  #changeCount = 0

  constructor(rows: PlacedRows) {
    this.#rows = rows
  }

  get size(): number {
    return this.#size
  }

  /** Whether the row with this number is in here, at its place. */
  has(number: number): boolean {
    const order = (other: number): number => this.#rows.compare(other, number)
    const chunk = this.#chunks[this.#chunkOf(order)]
    if (chunk === undefined) return false
    const index = lowerBound(chunk, order)
    return index < chunk.size && chunk.numbers[index] === number
  }

  /** Whether the size is the number of rows. Costs a look at each chunk. */
  get isCounted(): boolean {
    return this.#chunks.reduce((count, { size }) => count + size, 0) === this.#size
  }

  /** The earliest row; undefined when there is none. */
  get first(): number | undefined {
    return this.#chunks[0]?.numbers[0]
  }

  /** Inserts a row; does nothing where it is in here already. */
  add(number: number): void {
    const last = this.#chunks.at(-1)
    const lastNumber = last?.numbers[last.size - 1]
    const order = (other: number): number => this.#rows.compare(other, number)
    if (last === undefined || lastNumber === undefined || order(lastNumber) < 0) {
      if (last !== undefined && last.size < maxChunk) insert(last, last.size, number)
      else this.#chunks.push({ numbers: new Int32Array(minChunk).fill(number, 0, 1), size: 1 })
    } else {
      const at = this.#chunkOf(order)
      const chunk = this.#chunks[at] as Chunk
      const index = lowerBound(chunk, order)
      if (index < chunk.size && chunk.numbers[index] === number) return
      insert(chunk, index, number)
      if (chunk.size > maxChunk) this.#chunks.splice(at + 1, 0, splitOff(chunk, maxChunk / 2))
    }
    this.#size += 1
    this.#changeCount += 1
  }

  /** Inserts rows, each of them behind the one before it. */
  addAll(numbers: Int32Array): void {
    const [first] = numbers
    if (first === undefined) return
    this.add(first)
    let last = this.#chunks.at(-1) as Chunk
    if (last.numbers[last.size - 1] !== first) {
      for (const number of numbers.subarray(1)) this.add(number)
      return
    }
    for (let at = 1; at < numbers.length; ) {
      if (last.size === maxChunk) {
        last = { numbers: new Int32Array(minChunk), size: 0 }
        this.#chunks.push(last)
      }
      const some = numbers.subarray(at, at + maxChunk - last.size)
      append(last, some)
      at += some.length
    }
    this.#size += numbers.length - 1
    this.#changeCount += 1
  }

  /** Removes a row; returns whether it was in here. */
  delete(number: number): boolean {
    const order = (other: number): number => this.#rows.compare(other, number)
    const at = this.#chunkOf(order)
    const chunk = this.#chunks[at]
    if (chunk === undefined) return false
    const index = lowerBound(chunk, order)
    if (index === chunk.size || chunk.numbers[index] !== number) return false
    chunk.numbers.copyWithin(index, index + 1, chunk.size)
    chunk.size -= 1
    if (chunk.size === 0) this.#chunks.splice(at, 1)
    this.#size -= 1
    this.#changeCount += 1
    return true
  }

  /** Walks over the rows in order. A number stands for its row until the walk goes on.
   *  @param placeOf returns the place of a row at less cost than the row, for callers that do not need the row */
  *walk(
    options: WalkOptions = {},
    placeOf = (number: number): Place | undefined => this.#rows.get(number),
  ): Generator<number> {
    const step = options.isDescending === true ? -1 : 1
    let cursor = this.#seek(options.after, step)
    let changeCount = this.#changeCount
    for (;;) {
      const chunk = this.#chunks[cursor.chunk]
      if (chunk === undefined || cursor.index < 0 || cursor.index >= chunk.size) return
      const number = chunk.numbers[cursor.index] ?? 0
      // Asked now: when the walk goes on, the row may be gone.
      const place = placeOf(number)
      yield number
      if (changeCount === this.#changeCount) {
        cursor = this.#next(cursor, step)
      } else {
        if (place === undefined) return
        cursor = this.#seek(place, step)
        changeCount = this.#changeCount
      }
    }
  }

  #seek(after: Place | undefined, step: 1 | -1): Cursor {
    if (after === undefined) {
      const chunk = step === 1 ? 0 : this.#chunks.length - 1
      return { chunk, index: step === 1 ? 0 : this.#sizeOf(chunk) - 1 }
    }
    const order = (number: number): number => this.#rows.comparePlace(number, after)
    const at = this.#chunkOf(order)
    const chunk = this.#chunks[at]
    if (chunk === undefined) return { chunk: 0, index: 0 }
    const index = lowerBound(chunk, order)
    if (step === -1) return this.#next({ chunk: at, index }, step)
    if (index === chunk.size) return { chunk: at + 1, index: 0 }
    const isThere = order(chunk.numbers[index] ?? 0) === 0
    return isThere ? this.#next({ chunk: at, index }, step) : { chunk: at, index }
  }

  #next({ chunk, index }: Cursor, step: 1 | -1): Cursor {
    const next = index + step
    if (next < 0) return { chunk: chunk - 1, index: this.#sizeOf(chunk - 1) - 1 }
    if (next >= this.#sizeOf(chunk) && step === 1) return { chunk: chunk + 1, index: 0 }
    return { chunk, index: next }
  }

  #sizeOf(chunk: number): number {
    return this.#chunks[chunk]?.size ?? 0
  }

  /** The chunk that holds a place or would: the last one that begins at or before it. `order` compares a row with
   *  that place. */
  #chunkOf(order: (number: number) => number): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      const first = this.#chunks[middle]?.numbers[0]
      if (first !== undefined && order(first) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }
}

type Cursor = { readonly chunk: number; readonly index: number }

/** The first index whose row is not before the place that `order` compares with. */
function lowerBound({ numbers, size }: Chunk, order: (number: number) => number): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (order(numbers[middle] ?? 0) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function insert(chunk: Chunk, index: number, number: number): void {
  if (chunk.size === chunk.numbers.length) {
    const { numbers } = chunk
    chunk.numbers = new Int32Array(2 * numbers.length)
    chunk.numbers.set(numbers)
  }
  chunk.numbers.copyWithin(index + 1, index, chunk.size)
  chunk.numbers[index] = number
  chunk.size += 1
}

function append(chunk: Chunk, numbers: Int32Array): void {
  const size = chunk.size + numbers.length
  if (size > chunk.numbers.length) {
    const larger = new Int32Array(Math.max(size, Math.min(2 * size, maxChunk)))
    larger.set(chunk.numbers.subarray(0, chunk.size))
    chunk.numbers = larger
  }
  chunk.numbers.set(numbers, chunk.size)
  chunk.size = size
}

/** Leaves the first `size` numbers of a chunk in it; returns a new one with the others. */
function splitOff(chunk: Chunk, size: number): Chunk {
  const { numbers } = chunk
  const other = { numbers: numbers.slice(size, size + maxChunk), size: chunk.size - size }
  chunk.numbers = numbers.slice(0, maxChunk)
  chunk.size = size
  return other
}
