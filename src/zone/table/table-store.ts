import { Epochs } from './epochs.ts'
import { pageShift } from './layout.ts'
import type { TableMemory } from './memory.ts'
import { Slabs } from './slabs.ts'
import type { TableState } from './table-state.ts'
import { WrittenPages } from './written-pages.ts'

/** Room for what a change needs besides: names, parts of the index. */
const spareOctets = 2 ** 22

/** What the writer does with the memory: takes blocks, publishes them, gives them back. A block is written with ordinary
 *  stores before it is reachable; one `publish` then makes it, and everything written before, visible to readers. Words of
 *  a reachable block are changed by `publish` and `write` only, which note what has to be copied again. */
export class TableStore {
  readonly memory: TableMemory
  readonly words: Int32Array<SharedArrayBuffer>
  readonly epochs: Epochs
  readonly slabs: Slabs
  readonly written: WrittenPages
  readonly #marks: Uint8Array

  /** @param state of the writer that has left the memory, where there was one */
  constructor(memory: TableMemory, state?: TableState) {
    this.memory = memory
    this.words = memory.words
    this.written = new WrittenPages(memory, () => this.slabs.touchedPageCount)
    this.#marks = this.written.marks
    this.slabs = new Slabs(memory, 1, state?.pages)
    this.epochs = new Epochs(memory, ref => this.free(ref))
    for (const ref of state?.retired ?? []) this.free(ref)
  }

  /** Whether so much, and what a change needs besides, will fit. */
  hasRoom(octets: number): boolean {
    return this.slabs.freeOctets >= spareOctets + 2 * octets
  }

  /** To be called before a change of several blocks, which must not fail in the middle.
   *  @throws RangeError so much, and what a change needs besides, may not fit. */
  requireRoom(octets: number): void {
    if (!this.hasRoom(octets)) throw new RangeError('the zone table is full')
  }

  /** @throws RangeError the memory is full. */
  allocate(wordCount: number): number {
    const ref = this.slabs.allocate(wordCount)
    this.written.markBlock(ref, wordCount)
    return ref
  }

  /** Returns a copy of a block.
   *  @throws RangeError the memory is full. */
  copy(ref: number): number {
    const wordCount = this.slabs.wordsOf(ref)
    const copy = this.allocate(wordCount)
    this.words.copyWithin(copy, ref, ref + wordCount)
    return copy
  }

  /** Stores a word that readers look at. */
  publish(at: number, value: number): void {
    Atomics.store(this.words, at, value)
    this.#marks[at >>> pageShift] = 1
  }

  /** Stores a word of a known block that no reader looks at. */
  write(at: number, value: number): void {
    this.words[at] = value
    this.#marks[at >>> pageShift] = 1
  }

  /** Frees a block that is unreachable from now on, once no reader looks at it any more. */
  retire(ref: number): void {
    this.epochs.retire(ref)
  }

  /** Frees a block that no reader has ever been able to reach. */
  free(ref: number): void {
    this.slabs.free(ref)
    this.#marks[ref >>> pageShift] = 1
  }
}
