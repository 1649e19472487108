import { maxBlockPages, windowPages } from './memory.ts'

/** Hands out runs of whole pages. A freed run is joined with the free runs beside it. A run never crosses the end of a
 *  window of the memory. */
export class PagePool {
  readonly #pageCount: number
  /** Pages from here on have never been used. */
  #freshPage: number
  #freePageCount = 0
  /** Free runs by their first page and by the page behind their last. */
  readonly #endByStart = new Map<number, number>()
  readonly #startByEnd = new Map<number, number>()

  /** @param freshPage pages below it are in use, and may be given back */
  constructor(freshPage: number, pageCount: number) {
    this.#freshPage = freshPage
    this.#pageCount = pageCount
  }

  /** Pages in use. */
  get usedPageCount(): number {
    return this.#freshPage - this.#freePageCount
  }

  /** Pages that can still be handed out, one at a time. */
  get freePageCount(): number {
    return this.#pageCount - this.usedPageCount
  }

  /** Pages that were ever in use: the most that the system has had to provide. */
  get touchedPageCount(): number {
    return this.#freshPage
  }

  /** @throws RangeError there is no such run any more. */
  allocate(count: number): number {
    if (count > maxBlockPages) throw new RangeError('the block is too large for a zone table')
    return this.#reuse(count) ?? this.#takeFresh(count)
  }

  free(page: number, count: number): void {
    this.#freePageCount += count
    let start = page
    let end = page + count
    const before = this.#startByEnd.get(start)
    if (before !== undefined && start % windowPages !== 0) {
      this.#forget(before, start)
      start = before
    }
    const after = this.#endByStart.get(end)
    if (after !== undefined && end % windowPages !== 0) {
      this.#forget(end, after)
      end = after
    }
    this.#remember(start, end)
  }

  #reuse(count: number): number | undefined {
    let triedCount = 0
    for (const [start, end] of this.#endByStart) {
      if (end - start < count) {
        triedCount += 1
        if (triedCount === maxTriedRuns) return undefined
        continue
      }
      this.#forget(start, end)
      if (end - start > count) this.#remember(start + count, end)
      this.#freePageCount -= count
      return start
    }
    return undefined
  }

  #takeFresh(count: number): number {
    const intoWindow = this.#freshPage % windowPages
    const skipped = intoWindow + count > windowPages ? windowPages - intoWindow : 0
    const start = this.#freshPage + skipped
    if (start + count > this.#pageCount) throw new RangeError('the zone table is full')
    if (skipped > 0) {
      this.#remember(this.#freshPage, start)
      this.#freePageCount += skipped
    }
    this.#freshPage = start + count
    return start
  }

  #remember(start: number, end: number): void {
    this.#endByStart.set(start, end)
    this.#startByEnd.set(end, start)
  }

  #forget(start: number, end: number): void {
    this.#endByStart.delete(start)
    this.#startByEnd.delete(end)
  }
}

/** Nearly all requests are for one page, which any run has. */
const maxTriedRuns = 64
