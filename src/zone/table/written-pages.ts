import { pageOctets, pageShift } from './layout.ts'
import type { TableMemory } from './memory.ts'

/** Which pages of a table were written to since they were copied last, so that a table that changes can be copied a little
 *  at a time: what a copy has of a page that is not marked is what is in the memory. */
export class WrittenPages {
  /** By page: 1 where it was written to. */
  readonly marks: Uint8Array
  readonly #memory: TableMemory
  readonly #pageCount: () => number

  /** @param pageCount pages that were ever in use */
  constructor(memory: TableMemory, pageCount: () => number) {
    this.#memory = memory
    this.#pageCount = pageCount
    this.marks = new Uint8Array(Math.ceil(memory.buffer.byteLength / pageOctets))
  }

  get count(): number {
    let count = 0
    for (let page = this.#pageCount() - 1; page >= 0; page -= 1) count += this.marks[page] as number
    return count
  }

  markAll(): void {
    this.marks.fill(1, 0, this.#pageCount())
  }

  /** Forgets all marks: somebody has a copy of the memory as it is. */
  clear(): void {
    this.marks.fill(0)
  }

  markBlock(ref: number, wordCount: number): void {
    const last = (ref + wordCount - 1) >>> pageShift
    for (let page = ref >>> pageShift; page <= last; page += 1) this.marks[page] = 1
  }

  /** Returns the next marked page from one on, and takes its mark off; undefined where there is none. What is in it has to
   *  be copied before anything else is done. */
  take(from: number): { readonly page: number; readonly octets: Uint8Array } | undefined {
    const page = this.marks.subarray(0, this.#pageCount()).indexOf(1, from)
    if (page < 0) return undefined
    this.marks[page] = 0
    return { page, octets: new Uint8Array(this.#memory.buffer, page * pageOctets, pageOctets) }
  }
}
