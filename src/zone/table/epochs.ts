import { header, maxReaders, readerWords } from './layout.ts'
import type { TableMemory } from './memory.ts'

// When memory that readers may still look at can be reused. A reader stores the epoch its batch begins in and clears it
// at the end. The writer notes the epoch in which it made something unreachable and begins the next one: when every
// reader is in a later epoch or in none, no reader can still hold it. Neither ever waits.

/** A reader's side: one reader. */
export class ReaderEpoch {
  readonly #words: Int32Array<SharedArrayBuffer>
  readonly #readerAt: number

  constructor({ words }: TableMemory, reader: number) {
    this.#words = words
    this.#readerAt = readerWord(reader)
  }

  enter(): void {
    const words = this.#words
    let epoch = Atomics.load(words, header.epoch)
    for (;;) {
      Atomics.store(words, this.#readerAt, epoch)
      // The load orders all reads of the batch behind the store; only then may the writer rely on it.
      const now = Atomics.load(words, header.epoch)
      if (now === epoch) return
      epoch = now
    }
  }

  leave(): void {
    Atomics.store(this.#words, this.#readerAt, 0)
  }
}

/** The writer's side. */
export class Epochs {
  readonly #words: Int32Array<SharedArrayBuffer>
  readonly #free: (ref: number) => void
  /** References and the epochs they were retired in, oldest first, in a circular list. */
  #retired = new Int32Array(2 * initialRing)
  #first = 0
  #count = 0
  #untilReclaim = reclaimEvery

  constructor({ words }: TableMemory, free: (ref: number) => void) {
    this.#words = words
    this.#free = free
    words[header.epoch] = 1
    // Readers of this memory in another process no longer exist.
    words.fill(0, header.readers, header.readers + maxReaders * readerWords)
  }

  /** Frees a block, which must already be unreachable, when no reader can be looking at it. */
  retire(ref: number): void {
    if (2 * this.#count === this.#retired.length) this.#grow()
    const at = (this.#first + 2 * this.#count) % this.#retired.length
    this.#retired[at] = ref
    this.#retired[at + 1] = this.#words[header.epoch] as number
    this.#count += 1
    this.#untilReclaim -= 1
    if (this.#untilReclaim === 0) this.reclaim()
  }

  /** Frees what can be freed. `retire` also calls it now and then. */
  reclaim(): void {
    this.#untilReclaim = reclaimEvery
    if (this.#count === 0) return
    const oldest = this.begin()
    while (this.#count > 0) {
      const tag = this.#retired[this.#first + 1] as number
      if (!isBefore(tag, oldest)) return
      this.#free(this.#retired[this.#first] as number)
      this.#first = (this.#first + 2) % this.#retired.length
      this.#count -= 1
    }
  }

  /** Begins an epoch and returns the oldest one that a reader is in: no reader holds what became unreachable in an
   *  epoch before that. */
  begin(): number {
    const epoch = after(this.#words[header.epoch] as number)
    Atomics.store(this.#words, header.epoch, epoch)
    return this.#oldestInUse(epoch)
  }

  /** Whether no reader can still hold what became unreachable in this epoch. */
  hasPassed(epoch: number): boolean {
    return isBefore(epoch, this.begin())
  }

  /** Blocks that wait for readers. */
  get retiredCount(): number {
    return this.#count
  }

  /** These blocks. */
  get retired(): Int32Array {
    const at = (i: number) => (this.#first + 2 * i) % this.#retired.length
    return Int32Array.from({ length: this.#count }, (_, i) => this.#retired[at(i)] as number)
  }

  get current(): number {
    return this.#words[header.epoch] as number
  }

  #oldestInUse(current: number): number {
    let oldest = current
    for (let reader = 0; reader < maxReaders; reader += 1) {
      const epoch = Atomics.load(this.#words, readerWord(reader))
      if (epoch !== 0 && isBefore(epoch, oldest)) oldest = epoch
    }
    return oldest
  }

  #grow(): void {
    const grown = new Int32Array(2 * this.#retired.length)
    grown.set(this.#retired.subarray(this.#first))
    grown.set(this.#retired.subarray(0, this.#first), this.#retired.length - this.#first)
    this.#retired = grown
    this.#first = 0
  }
}

/** The word of a reader's epoch. */
export function readerWord(reader: number): number {
  return header.readers + reader * readerWords
}

const initialRing = 1024
const reclaimEvery = 128

/** Epochs wrap around and skip 0. */
function after(epoch: number): number {
  return (epoch + 1) | 0 || 1
}

function isBefore(epoch: number, other: number): boolean {
  return ((epoch - other) | 0) < 0
}
