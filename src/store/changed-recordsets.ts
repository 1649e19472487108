import {
  isJson,
  type PackedRecordset,
  packedPlaces,
  recordsetUnpacker,
} from '../model/packed-recordset.ts'
import { uuidWords, writeUuid } from '../model/uuid-words.ts'

/** Small numbers, a bit for each up to the largest. */
export class NumberSet {
  #bits = new Uint32Array(64)
  #size = 0

  get size(): number {
    return this.#size
  }

  has(number: number): boolean {
    return ((this.#bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0
  }

  add(number: number): void {
    if (this.has(number)) return
    const index = number >>> 5
    if (index >= this.#bits.length) {
      const larger = new Uint32Array(Math.max(2 * this.#bits.length, index + 1))
      larger.set(this.#bits)
      this.#bits = larger
    }
    this.#bits[index] = (this.#bits[index] as number) | (1 << (number & 31))
    this.#size += 1
  }

  delete(number: number): void {
    if (!this.has(number)) return
    const index = number >>> 5
    this.#bits[index] = (this.#bits[index] as number) & ~(1 << (number & 31))
    this.#size -= 1
  }

  addAll(other: NumberSet): void {
    const bits = new Uint32Array(Math.max(this.#bits.length, other.#bits.length))
    let size = 0
    for (let index = 0; index < bits.length; index += 1) {
      const both = (this.#bits[index] ?? 0) | (other.#bits[index] ?? 0)
      bits[index] = both
      size += bitsIn(both)
    }
    this.#bits = bits
    this.#size = size
  }

  /** Upwards. */
  *[Symbol.iterator](): Generator<number> {
    for (let index = 0; index < this.#bits.length; index += 1) {
      let rest = this.#bits[index] as number
      while (rest !== 0) {
        const bit = 31 - Math.clz32(rest & -rest)
        rest &= rest - 1
        yield 32 * index + bit
      }
    }
  }
}

function bitsIn(word: number): number {
  let rest = word - ((word >>> 1) & 0x5555_5555)
  rest = (rest & 0x3333_3333) + ((rest >>> 2) & 0x3333_3333)
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

const scratch = new Uint32Array(uuidWords)

/** Ids of deleted record sets: UUIDs as words, other ids as texts. */
export class DeletedIds {
  #words = new Uint32Array(64)
  #end = 0
  readonly texts: string[] = []

  get size(): number {
    return this.#end / uuidWords + this.texts.length
  }

  /** Of the UUIDs, one behind the other. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#end)
  }

  add(words: Uint32Array, at: number): void {
    this.#reserve(uuidWords)
    for (let i = 0; i < uuidWords; i += 1) this.#words[this.#end + i] = words[at + i] as number
    this.#end += uuidWords
  }

  addId(id: string): void {
    if (writeUuid(scratch, 0, id)) this.add(scratch, 0)
    else this.texts.push(id)
  }

  addAll({ words, texts }: DeletedIds): void {
    this.#reserve(words.length)
    this.#words.set(words, this.#end)
    this.#end += words.length
    for (const text of texts) this.texts.push(text)
  }

  #reserve(count: number): void {
    if (this.#end + count <= this.#words.length) return
    const larger = new Uint32Array(Math.max(2 * this.#words.length, this.#end + count))
    larger.set(this.words)
    this.#words = larger
  }
}

/** What a checkpoint has to write of the record sets. */
export type RecordsetChanges = {
  /** The numbers of new or changed record sets. Some may have been deleted meanwhile. */
  readonly numbers: NumberSet
  /** Deleted ones that may be in an earlier segment. */
  readonly deleted: DeletedIds
}

/** Which record sets the segments do not have as they are in memory, by their numbers. */
export class ChangedRecordsets {
  #numbers = new NumberSet()
  #deleted = new DeletedIds()
  /** Record sets of which a segment has some state, so that a deletion has to be written. */
  readonly #stored = new NumberSet()

  /** Record sets and deletions that a checkpoint would write now. */
  get size(): number {
    return this.#numbers.size + this.#deleted.size
  }

  note(number: number): void {
    this.#numbers.add(number)
  }

  /** A segment has its present state, or is about to. */
  noteStored(number: number): void {
    this.#stored.add(number)
  }

  noteDeletion(number: number, record: PackedRecordset): void {
    this.#numbers.delete(number)
    if (!this.#stored.has(number)) return
    this.#stored.delete(number)
    if (isJson(record)) this.#deleted.addId(recordsetUnpacker.idOf(record))
    else this.#deleted.add(record.words, record.at + packedPlaces.id)
  }

  /** From now on a number has the record set of another number: a later state of the same record set. */
  move(from: number, to: number): void {
    if (this.#numbers.has(from)) this.#numbers.add(to)
    if (this.#stored.has(from)) this.#stored.add(to)
    this.#numbers.delete(from)
    this.#stored.delete(from)
  }

  /** Returns all changes and clears them. */
  take(): RecordsetChanges {
    const taken = { numbers: this.#numbers, deleted: this.#deleted }
    this.#numbers = new NumberSet()
    this.#deleted = new DeletedIds()
    return taken
  }

  /** Restores changes that were not written. */
  putBack({ numbers, deleted }: RecordsetChanges): void {
    this.#numbers.addAll(numbers)
    this.#deleted.addAll(deleted)
  }
}
