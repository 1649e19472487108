import { pageOctets, pageShift } from './layout.ts'
import type { TableMemory } from './memory.ts'

/** The pages of a table that were written to since they were last copied, so that a changing table can be copied a little
 *  at a time: the copy of an unmarked page equals the memory. */
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

  markBlock(ref: number, wordCount: number): void {
    const last = (ref + wordCount - 1) >>> pageShift
    for (let page = ref >>> pageShift; page <= last; page += 1) this.marks[page] = 1
  }

  /** Returns the next marked page from one on, and clears its mark; undefined where there is none. The caller must copy
   *  the page before it does anything else. */
  take(from: number): { readonly page: number; readonly octets: Uint8Array } | undefined {
    const page = this.marks.subarray(0, this.#pageCount()).indexOf(1, from)
    if (page < 0) return undefined
    this.marks[page] = 0
    return { page, octets: new Uint8Array(this.#memory.buffer, page * pageOctets, pageOctets) }
  }
}
