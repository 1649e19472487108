/** Words of the first page, which is all that a small table needs, and of all others. */
const firstPageWords = 1 << 8
const pageWords = 1 << 16

/** A stretch of a page. */
export type Block = { readonly page: number; readonly base: number }

/** Blocks of 32-bit words, of few sizes, in large pages outside V8's heap. */
export class SlotMemory {
  readonly pages: Int32Array[] = []
  /** By their sizes. */
  readonly #free = new Map<number, Block[]>()
  /** Of the last page. */
  #usedWords = 0

  /** A block of so many words, all 0. */
  take(words: number): Block {
    const free = this.#free.get(words)?.pop()
    if (free !== undefined) {
      this.pages[free.page]?.fill(0, free.base, free.base + words)
      return free
    }
    const last = this.pages.at(-1)
    if (last === undefined || this.#usedWords + words > last.length) this.#addPage(words)
    const block = { page: this.pages.length - 1, base: this.#usedWords }
    this.#usedWords += words
    return block
  }

  giveBack(block: Block, words: number): void {
    const free = this.#free.get(words)
    if (free === undefined) this.#free.set(words, [block])
    else free.push(block)
  }

  #addPage(words: number): void {
    const usual = this.pages.length === 0 ? firstPageWords : pageWords
    // Shared with nobody, but not counted among the memory that makes V8 collect garbage, of which none is here.
    const memory = new SharedArrayBuffer(4 * Math.max(usual, words))
    this.pages.push(new Int32Array(memory))
    this.#usedWords = 0
  }
}
