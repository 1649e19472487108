/** Words of the first page, which is all that a small table needs, less than a unit; and of all others. */
const firstPageWords = 1 << 7
const pageWords = 1 << 16
/** A block has a whole number of units, or is one of several in a unit. */
const unitWords = 1 << 8
const pageUnits = pageWords / unitWords

/** A stretch of a page. */
export type Block = { readonly page: number; readonly base: number }

/** Blocks of 32-bit words in large pages outside V8's heap. A freed block is joined with free space beside it: as tables grow,
 *  their blocks of one size are all replaced by blocks of another. */
export class SlotMemory {
  readonly pages: Int32Array[] = []
  /** Free blocks that are smaller than a unit, by their sizes. */
  readonly #small = new Map<number, Block[]>()
  /** What no small block has been cut from yet. */
  #rest = { page: 0, base: 0, words: 0 }
  /** For each page, whether each unit is in use. */
  readonly #units: Uint8Array[] = []
  /** For each page, an upper bound of its consecutive free units. */
  readonly #longestRuns: number[] = []

  /** A block of so many words, all 0: less than a unit of them, or a multiple of it. */
  take(words: number): Block {
    const block = words < unitWords ? this.#takeSmall(words) : this.#takeUnits(words / unitWords)
    this.pages[block.page]?.fill(0, block.base, block.base + words)
    return block
  }

  giveBack({ page, base }: Block, words: number): void {
    if (words < unitWords) {
      const free = this.#small.get(words)
      if (free === undefined) this.#small.set(words, [{ page, base }])
      else free.push({ page, base })
      return
    }
    const units = this.#units[page] as Uint8Array
    const first = base / unitWords
    units.fill(0, first, first + words / unitWords)
    this.#longestRuns[page] = pageUnits
  }

  #takeSmall(words: number): Block {
    const free = this.#small.get(words)?.pop()
    if (free !== undefined) return free
    if (this.#rest.words < words) {
      this.#rest =
        this.pages.length === 0
          ? { page: this.#addPage(firstPageWords), base: 0, words: firstPageWords }
          : { ...this.#takeUnits(1), words: unitWords }
    }
    const { page, base } = this.#rest
    this.#rest = { page, base: base + words, words: this.#rest.words - words }
    return { page, base }
  }

  #takeUnits(count: number): Block {
    for (let page = 0; page < this.pages.length; page += 1) {
      if ((this.#longestRuns[page] as number) < count) continue
      const first = this.#findRun(page, count)
      if (first >= 0) return this.#use(page, first, count)
    }
    return this.#use(this.#addPage(pageWords), 0, count)
  }

  #use(page: number, first: number, count: number): Block {
    this.#units[page]?.fill(1, first, first + count)
    return { page, base: first * unitWords }
  }

  /** The first of so many free units in a row; -1 where a page has none, which is noted. */
  #findRun(page: number, count: number): number {
    const units = this.#units[page] as Uint8Array
    let longest = 0
    let length = 0
    for (let unit = 0; unit < units.length; unit += 1) {
      length = units[unit] === 0 ? length + 1 : 0
      if (length === count) return unit + 1 - count
      if (length > longest) longest = length
    }
    this.#longestRuns[page] = longest
    return -1
  }

  #addPage(words: number): number {
    // Shared with nobody, but not counted among the memory that makes V8 collect garbage, of which none is here.
    this.pages.push(new Int32Array(new SharedArrayBuffer(4 * words)))
    const unitCount = Math.floor(words / unitWords)
    this.#units.push(new Uint8Array(unitCount))
    this.#longestRuns.push(unitCount)
    return this.pages.length - 1
  }
}
