import type { PlacedRecordset } from '../model/recordset-run.ts'
import { RowNumbers } from './row-heap.ts'

// Runs of 32-bit words by numbers, packed in pages outside V8's heap: its collector sees a page, not the content, and a row takes
// only the memory written for it. A replaced or removed record leaves a gap; a page that is half gaps moves its remaining records
// to another and is freed.

/** Words of a page; a place is the number of a page and one of these offsets. */
const pageWords = 1 << 16
const offsetMask = pageWords - 1
/** A longer record has a page of its own. */
const maxSharedWords = pageWords >>> 2
const maxPages = 1 << 16

/** Each record is preceded by a word: its number, and above that its length in words including this one. If the length does not
 *  fit, all of these bits are set and a second word has it. */
const numberBits = 27
const numberMask = (1 << numberBits) - 1
const countElsewhere = 31

type Page = {
  readonly words: Uint32Array
  /** The same memory as octets. */
  readonly octets: Buffer
  usedWords: number
  /** Words of records that still exist. */
  liveWords: number
}

/** Places allocated at a time, so that growing never has to move all of them. */
const placesPerBlock = 1 << 16

/** Where a record is. Reused from record to record: a million new ones would cost more than the records. */
export class FoundRecord implements PlacedRecordset {
  words: Uint32Array = new Uint32Array(0)
  /** The same memory as octets. */
  octets: Buffer = Buffer.alloc(0)
  at = 0
  wordCount = 0
}

/** Packed records. Each is at most 2^31 words; all together 16 GiB, and 134 million. */
export class RecordPages {
  readonly #numbers = new RowNumbers()
  /** From 1 on, so that no record has the place 0. */
  readonly #pages: (Page | undefined)[] = [undefined]
  readonly #freePages: number[] = []
  /** The place of each number's record, 0 if there is none. */
  readonly #places: Uint32Array[] = []
  readonly #found = new FoundRecord()
  /** The page that is being filled. */
  #current = 0

  /** Stores `count` words of `source`, from `from` on; returns the record's number. */
  add(source: Uint32Array, count: number, from = 0): number {
    const number = this.#numbers.take()
    this.#write(number, source, { count, from })
    return number
  }

  /** Replaces the words of a number. */
  replace(number: number, source: Uint32Array, count: number, from = 0): void {
    const { page, offset } = this.#locate(number)
    if (page !== undefined && wordsAt(page.words, offset) === wordsWithHeader(count)) {
      copy(source, page.words, { count, from, at: behindHeader(page.words, offset) })
      return
    }
    this.#release(number)
    this.#write(number, source, { count, from })
  }

  delete(number: number): void {
    this.#release(number)
    this.#numbers.giveBack(number)
  }

  /** Gives a number the record of another, which is free from then on. */
  move(from: number, to: number): void {
    this.#release(to)
    const place = this.#placeOf(from)
    const { page, offset } = this.#locate(from)
    if (page !== undefined) {
      const { words } = page
      words[offset] = ((words[offset] as number) & ~numberMask) | to
    }
    this.#setPlace(to, place)
    this.#setPlace(from, 0)
    this.#numbers.giveBack(from)
  }

  /** Undefined if no record has this number.
   *  @param found what is returned; by default it is valid until the next call */
  get(number: number, found = this.#found): FoundRecord | undefined {
    const place = this.#placeOf(number)
    const page = this.#pages[place >>> 16]
    if (page === undefined) return undefined
    const offset = place & offsetMask
    found.words = page.words
    found.octets = page.octets
    found.at = behindHeader(page.words, offset)
    found.wordCount = offset + wordsAt(page.words, offset) - found.at
    return found
  }

  /** No number is larger. */
  get last(): number {
    return this.#numbers.last
  }

  get count(): number {
    return this.#numbers.count
  }

  /** Words of all records, including their headers. */
  get liveWords(): number {
    return this.#pages.reduce((sum, page) => sum + (page?.liveWords ?? 0), 0)
  }

  numbers(): Int32Array {
    const numbers = new Int32Array(this.#numbers.last)
    let count = 0
    for (let number = 1; number <= this.#numbers.last; number += 1) {
      if (this.#placeOf(number) !== 0) numbers[count++] = number
    }
    return numbers.subarray(0, count)
  }

  #placeOf(number: number): number {
    return this.#places[Math.floor(number / placesPerBlock)]?.[number % placesPerBlock] ?? 0
  }

  #setPlace(number: number, place: number): void {
    const index = Math.floor(number / placesPerBlock)
    const block = this.#places[index] ?? uncounted(placesPerBlock)
    this.#places[index] = block
    block[number % placesPerBlock] = place
  }

  #locate(number: number): { readonly page: Page | undefined; readonly offset: number } {
    const place = this.#placeOf(number)
    return { page: this.#pages[place >>> 16], offset: place & offsetMask }
  }

  #write(
    number: number,
    source: Uint32Array,
    { count, from }: { readonly count: number; readonly from: number },
  ): void {
    if (number > numberMask) throw new Error(`more than ${numberMask} records`)
    const needed = wordsWithHeader(count)
    const index = needed > maxSharedWords ? this.#addPage(needed) : this.#pageWithRoom(needed)
    const page = this.#pages[index] as Page
    const offset = page.usedWords
    const at = offset + needed - count
    if (at === offset + 1) page.words[offset] = number | (needed << numberBits)
    else {
      page.words[offset] = number | (countElsewhere << numberBits)
      page.words[offset + 1] = needed
    }
    copy(source, page.words, { count, from, at })
    page.usedWords += needed
    page.liveWords += needed
    this.#setPlace(number, index * pageWords + offset)
  }

  #pageWithRoom(needed: number): number {
    const index = this.#current
    const page = this.#pages[index]
    if (page !== undefined && page.usedWords + needed <= pageWords) return index
    this.#current = this.#addPage(pageWords)
    if (page !== undefined) this.#clearIfSparse(index, page)
    return this.#current
  }

  #addPage(wordCount: number): number {
    const index = this.#freePages.pop() ?? this.#pages.length
    if (index >= maxPages) throw new Error(`more than ${maxPages} pages of records`)
    const words = uncounted(wordCount)
    const octets = Buffer.from(words.buffer)
    this.#pages[index] = { words, octets, usedWords: 0, liveWords: 0 }
    return index
  }

  /** Makes a record a gap. */
  #release(number: number): void {
    const place = this.#placeOf(number)
    const index = place >>> 16
    const page = this.#pages[index]
    if (page === undefined) return
    page.liveWords -= wordsAt(page.words, place & offsetMask)
    this.#setPlace(number, 0)
    if (index !== this.#current) this.#clearIfSparse(index, page)
  }

  /** Moves the remaining records of a page elsewhere and frees it, if they fill less than half of it. */
  #clearIfSparse(index: number, { words, usedWords, liveWords }: Page): void {
    if (liveWords >= words.length / 2) return
    for (let offset = 0, next = 0; offset < usedWords; offset = next) {
      next = offset + wordsAt(words, offset)
      const number = (words[offset] as number) & numberMask
      if (this.#placeOf(number) !== index * pageWords + offset) continue
      const from = behindHeader(words, offset)
      this.#write(number, words, { count: next - from, from })
    }
    this.#pages[index] = undefined
    this.#freePages.push(index)
  }
}

/** How many words a record of `count` words takes. */
function wordsWithHeader(count: number): number {
  return count + 1 < countElsewhere ? count + 1 : count + 2
}

/** How many words the record at a place takes. */
function wordsAt(words: Uint32Array, offset: number): number {
  const count = (words[offset] as number) >>> numberBits
  return count === countElsewhere ? (words[offset + 1] as number) : count
}

/** Where the words of the record at a place begin. */
function behindHeader(words: Uint32Array, offset: number): number {
  return offset + ((words[offset] as number) >>> numberBits === countElsewhere ? 2 : 1)
}

/** Word by word: for the few words of most records that is faster than a call of `set`. */
function copy(
  source: Uint32Array,
  target: Uint32Array,
  { count, from, at }: { readonly count: number; readonly from: number; readonly at: number },
): void {
  for (let i = 0; i < count; i += 1) target[at + i] = source[from + i] ?? 0
}

/** No thread shares this memory, but for every few MB of other memory outside its heap V8 would collect all garbage. */
function uncounted(wordCount: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(4 * wordCount))
}
