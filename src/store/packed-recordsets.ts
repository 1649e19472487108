import type { Recordset } from '../model/recordset.ts'
import type { Stamped } from '../model/stamped.ts'
import type { Place } from './ordered-rows.ts'
import {
  comparePacked,
  comparePackedPlace,
  isOfSameZone,
  packedIdOf,
  RecordsetPacker,
  RecordsetUnpacker,
} from './packed-recordset.ts'
import { type PackedRecord, RecordPages } from './record-pages.ts'
import { placesIn, type RecordsetRun } from './recordset-run.ts'
import type { RowHeap } from './row-heap.ts'

/** Record sets, packed: of most stores they are nearly all there is. A row is put together when it is asked for, and
 *  is another object each time. */
export class PackedRecordsets implements RowHeap {
  readonly #pages = new RecordPages()
  readonly #packer = new RecordsetPacker()
  readonly #unpacker = new RecordsetUnpacker()
  /** The one that was asked for last: who finds a row by a key asks at once for the row. */
  #last: { readonly number: number; readonly row: Recordset } | undefined

  add(row: Stamped): number {
    this.#packer.pack(row as Recordset)
    return this.#pages.add(this.#packer.words, this.#packer.wordCount)
  }

  /** Keeps all record sets of a run; yields the number of each. */
  *addRun(run: RecordsetRun): Generator<number> {
    for (const { at, count } of placesIn(run)) yield this.#pages.add(run, count, at)
  }

  get(number: number): Recordset | undefined {
    if (this.#last?.number === number) return this.#last.row
    const record = this.#pages.get(number)
    if (record === undefined) return undefined
    const row = this.#unpacker.unpack(record)
    this.#last = { number, row }
    return row
  }

  idOf(number: number): string | undefined {
    if (this.#last?.number === number) return this.#last.row.id
    const record = this.#pages.get(number)
    return record && packedIdOf(record, this.#unpack)
  }

  /** The zone of a record set, for less than all of it costs. */
  zoneIdOf(number: number): string {
    return this.#unpacker.zoneIdOf(this.#record(number))
  }

  replace(number: number, row: Stamped): void {
    this.#last = undefined
    this.#packer.pack(row as Recordset)
    this.#pages.replace(number, this.#packer.words, this.#packer.wordCount)
  }

  delete(number: number): void {
    this.#last = undefined
    this.#pages.delete(number)
  }

  comparePlace(number: number, place: Place): number {
    return comparePackedPlace(this.#record(number), place, this.#unpack)
  }

  compare(left: number, right: number): number {
    return comparePacked(this.#record(left), this.#record(right), this.#unpack)
  }

  /** Most lists are of one zone; and those that are not can be added to anywhere. */
  mayFollow(left: number, right: number): boolean {
    const [first, second] = [this.#record(left), this.#record(right)]
    return !isOfSameZone(first, second) || comparePacked(first, second, this.#unpack) < 0
  }

  numbers(): Int32Array {
    return this.#pages.numbers()
  }

  readonly #unpack = (record: PackedRecord): Place => this.#unpacker.unpack(record)

  #record(number: number): PackedRecord {
    const record = this.#pages.get(number)
    if (record === undefined) throw new Error(`no record set has the number ${number}`)
    return record
  }
}
