import { pageShift, pageWords } from './layout.ts'
import type { TableMemory } from './memory.ts'
import { PagePool } from './page-pool.ts'
import { maxClassWords, sizeClass, sizeClassCount, wordsOfClass } from './size-class.ts'

// Blocks of a zone table, without a header: a page is cut into blocks of one size, and the page determines the size of
// its blocks. A page whose last block is freed can become one of another size, so memory that was full of short names
// can fill up with long ones.

/** The class of a page outside the slabs, and of one that begins a run for a single large block. */
const noClass = 0
const largeClass = 255
/** Words for each page in `state`. */
const stateWords = 4
const noState = new Int32Array()

export class Slabs {
  readonly #words: Int32Array
  readonly #pages: PagePool
  /** By page: the class of its blocks, how many are in use, the first freed one, and where the part begins
   *  that was never used. */
  readonly #classOf: Uint8Array
  readonly #usedCount: Int32Array
  readonly #freedBlock: Int32Array
  readonly #freshBlock: Int32Array
  readonly #isClosed: Uint8Array
  readonly #closedPages: number[] = []
  /** By class: a circular list of the pages that have room, through `#nextPage` and `#previousPage`; 0 for none. */
  readonly #roomyPage = new Int32Array(sizeClassCount)
  readonly #nextPage: Int32Array
  readonly #previousPage: Int32Array
  #usedWords = 0

  /** @param firstPage pages below it are not for blocks; at least 1, so that no reference is 0
   *  @param state of the slabs that the blocks in the memory are from */
  constructor({ words }: TableMemory, firstPage: number, state: Int32Array = noState) {
    const pageCount = words.length / pageWords
    this.#words = words
    this.#pages = new PagePool(Math.max(firstPage, state.length / stateWords), pageCount)
    this.#classOf = new Uint8Array(pageCount)
    this.#usedCount = new Int32Array(pageCount)
    this.#freedBlock = new Int32Array(pageCount)
    this.#freshBlock = new Int32Array(pageCount)
    this.#isClosed = new Uint8Array(pageCount)
    this.#nextPage = new Int32Array(pageCount)
    this.#previousPage = new Int32Array(pageCount)
    this.#restore(firstPage, state)
  }

  /** Octets of the blocks in use, rounded up to their sizes. */
  get usedOctets(): number {
    return this.#usedWords * 4
  }

  /** Octets of the pages that those are in. */
  get pageOctets(): number {
    return this.#pages.usedPageCount * pageWords * 4
  }

  /** Octets of the pages that were ever used. */
  get touchedOctets(): number {
    return this.touchedPageCount * pageWords * 4
  }

  get touchedPageCount(): number {
    return this.#pages.touchedPageCount
  }

  /** The state of all pages that were ever used, as far as it is not in the memory. */
  get state(): Int32Array {
    const state = new Int32Array(stateWords * this.touchedPageCount)
    for (let page = 0; page < this.touchedPageCount; page += 1) {
      state[stateWords * page] = this.#classOf[page] as number
      state[stateWords * page + 1] = this.#usedCount[page] as number
      state[stateWords * page + 2] = this.#freedBlock[page] as number
      state[stateWords * page + 3] = this.#freshBlock[page] as number
    }
    return state
  }

  /** Octets of the pages that hold nothing. */
  get freeOctets(): number {
    return this.#pages.freePageCount * pageWords * 4
  }

  /** Returns a block of at least so many words, with arbitrary contents.
   *  @throws RangeError the memory is full. */
  allocate(wordCount: number): number {
    if (wordCount > maxClassWords) return this.#allocateLarge(wordCount)
    const size = sizeClass(wordCount)
    const page = this.#roomyPage[size] || this.#addPage(size)
    const freed = this.#freedBlock[page] as number
    const blockWords = wordsOfClass(size)
    let ref = freed
    if (freed !== 0) this.#freedBlock[page] = this.#words[freed] as number
    else {
      ref = this.#freshBlock[page] as number
      this.#freshBlock[page] = ref + blockWords
    }
    this.#usedCount[page] = (this.#usedCount[page] as number) + 1
    this.#usedWords += blockWords
    if (!this.#hasRoom(page, blockWords)) this.#unlink(page, size)
    return ref
  }

  /** Frees a block, which no reader can reach any more. */
  free(ref: number): void {
    const page = ref >>> pageShift
    const size = this.#classOf[page] as number
    if (size === largeClass) {
      this.#freeLarge(page)
      return
    }
    const blockWords = wordsOfClass(size)
    const hadRoom = this.#hasRoom(page, blockWords)
    this.#words[ref] = this.#freedBlock[page] as number
    this.#freedBlock[page] = ref
    const usedCount = (this.#usedCount[page] as number) - 1
    this.#usedCount[page] = usedCount
    this.#usedWords -= blockWords
    if (this.#isClosed[page] === 1) {
      if (usedCount === 0) this.#dropPage(page)
      return
    }
    if (!hadRoom) this.#link(page, size)
    // The only page with room stays, or a block that comes and goes would allocate and free its page each time.
    else if (usedCount === 0 && this.#nextPage[page] !== page) {
      this.#unlink(page, size)
      this.#dropPage(page)
    }
  }

  /** How many words the block has. */
  wordsOf(ref: number): number {
    const page = ref >>> pageShift
    const size = this.#classOf[page] as number
    if (size === largeClass) return (this.#usedCount[page] as number) * pageWords
    return wordsOfClass(size)
  }

  /** Closes the pages that are less than three quarters full: they get no new blocks, and once their blocks have been
   *  moved they can be used for other sizes. Returns whether there were any. */
  closeSparsePages(): boolean {
    for (let size = 1; size < sizeClassCount; size += 1) {
      const capacity = Math.floor(pageWords / wordsOfClass(size))
      for (const page of this.#roomyPages(size)) {
        if ((this.#usedCount[page] as number) >= capacity * 0.75) continue
        // The only page of its size with room stays open.
        if (this.#nextPage[page] === page) break
        this.#unlink(page, size)
        this.#isClosed[page] = 1
        this.#closedPages.push(page)
      }
    }
    return this.#closedPages.length > 0
  }

  /** Whether the block should be moved. */
  isInClosedPage(ref: number): boolean {
    return this.#isClosed[ref >>> pageShift] === 1
  }

  /** Reopens closed pages that still hold blocks. */
  reopenPages(): void {
    for (const page of this.#closedPages) {
      if (this.#isClosed[page] === 0) continue
      this.#isClosed[page] = 0
      this.#link(page, this.#classOf[page] as number)
    }
    this.#closedPages.length = 0
  }

  #restore(firstPage: number, state: Int32Array): void {
    for (let page = firstPage; page < state.length / stateWords; ) {
      const size = state[stateWords * page] as number
      const usedCount = state[stateWords * page + 1] as number
      this.#classOf[page] = size
      this.#usedCount[page] = usedCount
      this.#freedBlock[page] = state[stateWords * page + 2] as number
      this.#freshBlock[page] = state[stateWords * page + 3] as number
      if (size === noClass) this.#pages.free(page, 1)
      else if (size === largeClass) this.#usedWords += usedCount * pageWords
      else {
        this.#usedWords += usedCount * wordsOfClass(size)
        if (this.#hasRoom(page, wordsOfClass(size))) this.#link(page, size)
      }
      page += size === largeClass ? usedCount : 1
    }
  }

  #roomyPages(size: number): readonly number[] {
    const first = this.#roomyPage[size] as number
    if (first === 0) return []
    const pages = [first]
    for (let page = this.#nextPage[first]; page !== first; page = this.#nextPage[page as number]) {
      pages.push(page as number)
    }
    return pages
  }

  #allocateLarge(wordCount: number): number {
    const pageCount = Math.ceil(wordCount / pageWords)
    const page = this.#pages.allocate(pageCount)
    this.#classOf[page] = largeClass
    this.#usedCount[page] = pageCount
    this.#usedWords += pageCount * pageWords
    return page * pageWords
  }

  #freeLarge(page: number): void {
    const pageCount = this.#usedCount[page] as number
    this.#classOf[page] = noClass
    this.#usedWords -= pageCount * pageWords
    this.#pages.free(page, pageCount)
  }

  #addPage(size: number): number {
    const page = this.#pages.allocate(1)
    this.#classOf[page] = size
    this.#usedCount[page] = 0
    this.#freedBlock[page] = 0
    this.#freshBlock[page] = page * pageWords
    this.#link(page, size)
    return page
  }

  #dropPage(page: number): void {
    this.#isClosed[page] = 0
    this.#classOf[page] = noClass
    this.#pages.free(page, 1)
  }

  #hasRoom(page: number, blockWords: number): boolean {
    if (this.#freedBlock[page] !== 0) return true
    return (this.#freshBlock[page] as number) + blockWords <= (page + 1) * pageWords
  }

  #link(page: number, size: number): void {
    const first = this.#roomyPage[size] as number
    if (first === 0) {
      this.#roomyPage[size] = page
      this.#nextPage[page] = page
      this.#previousPage[page] = page
      return
    }
    const last = this.#previousPage[first] as number
    this.#nextPage[last] = page
    this.#previousPage[page] = last
    this.#nextPage[page] = first
    this.#previousPage[first] = page
  }

  #unlink(page: number, size: number): void {
    const next = this.#nextPage[page] as number
    const previous = this.#previousPage[page] as number
    this.#nextPage[previous] = next
    this.#previousPage[next] = previous
    if (this.#roomyPage[size] === page) this.#roomyPage[size] = next === page ? 0 : next
  }
}
