// Rows of numbers that are only ever appended, in chunks of their own: growth copies nothing, and the garbage collector
// does not scan them. Shared memory does not count among what makes V8 collect all garbage.

/** Rows in one chunk. */
const chunkBits = 12
const chunkRows = 1 << chunkBits

/** Rows by their numbers, from 0 on; their cells are signed 32-bit integers, initially 0. */
export class PackedRows {
  readonly #columns: number
  readonly #chunks: Int32Array[] = []
  #count = 0

  constructor(columns: number) {
    this.#columns = columns
  }

  get count(): number {
    return this.#count
  }

  /** Returns the number of the new row. */
  add(): number {
    const row = this.#count
    this.#count += 1
    if (row >> chunkBits === this.#chunks.length) {
      this.#chunks.push(new Int32Array(new SharedArrayBuffer(4 * chunkRows * this.#columns)))
    }
    return row
  }

  get(row: number, column: number): number {
    const chunk = this.#chunks[row >> chunkBits] as Int32Array
    return chunk[(row & (chunkRows - 1)) * this.#columns + column] as number
  }

  set(row: number, column: number, value: number): void {
    const chunk = this.#chunks[row >> chunkBits] as Int32Array
    chunk[(row & (chunkRows - 1)) * this.#columns + column] = value
  }
}
