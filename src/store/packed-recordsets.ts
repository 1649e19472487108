import {
  comparePacked,
  comparePackedPlace,
  isOfSameZone,
  type PackedRecordset,
  RecordsetUnpacker,
} from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { RecordsetPacker } from '../model/recordset-packer.ts'
import { type PlacedRecordset, type RecordsetRun, recordsetsOf } from '../model/recordset-run.ts'
import type { Stamped } from '../model/stamped.ts'
import { comparePlaces, type Place } from './ordered-rows.ts'
import { RecordPages } from './record-pages.ts'
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
    for (const record of recordsetsOf(run)) yield this.addPacked(record)
  }

  addPacked({ words, wordCount, at }: PlacedRecordset): number {
    return this.#pages.add(words, wordCount, at)
  }

  /** A record set as it is kept, until the next change of any. */
  packed(number: number): PackedRecordset {
    return this.#record(number)
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
    return record && this.#unpacker.idOf(record)
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
    const record = this.#record(number)
    return comparePackedPlace(record, place) ?? comparePlaces(this.#unpacker.unpack(record), place)
  }

  compare(left: number, right: number): number {
    return this.#compare(this.#record(left), this.#record(right))
  }

  /** Most lists are of one zone; and those that are not can be added to anywhere. */
  mayFollow(left: number, right: number): boolean {
    const [first, second] = [this.#record(left), this.#record(right)]
    return !isOfSameZone(first, second) || this.#compare(first, second) < 0
  }

  numbers(): Int32Array {
    return this.#pages.numbers()
  }

  #compare(left: PackedRecordset, right: PackedRecordset): number {
    const order = comparePacked(left, right)
    if (order !== undefined) return order
    return comparePlaces(this.#unpacker.unpack(left), this.#unpacker.unpack(right))
  }

  #record(number: number): PackedRecordset {
    const record = this.#pages.get(number)
    if (record === undefined) throw new Error(`no record set has the number ${number}`)
    return record
  }
}
