import {
  comparePacked,
  comparePackedPlace,
  isJson,
  type PackedRecordset,
  packedType,
  RecordsetUnpacker,
} from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { RecordsetPacker } from '../model/recordset-packer.ts'
import type { PlacedRecordset } from '../model/recordset-run.ts'
import type { Stamped } from '../model/stamped.ts'
import { ChangedRecordsets } from './changed-recordsets.ts'
import { comparePlaces, type Place } from './ordered-rows.ts'
import { RecordPages } from './record-pages.ts'
import type { RowHeap } from './row-heap.ts'

/** Record sets, packed: of most stores they are nearly all there is. A row is put together when it is asked for, and
 *  is another object each time. */
export class PackedRecordsets implements RowHeap {
  /** Those that the segments on the disk do not have as they are here. */
  readonly changed = new ChangedRecordsets()
  readonly #pages = new RecordPages()
  readonly #packer = new RecordsetPacker()
  readonly #unpacker = new RecordsetUnpacker()
  /** The one that was asked for last: who finds a row by a key asks at once for the row. */
  #last: { readonly number: number; readonly row: Recordset } | undefined

  add(row: Stamped): number {
    this.#packer.pack(row as Recordset)
    const number = this.#pages.add(this.#packer.words, this.#packer.wordCount)
    this.changed.note(number)
    return number
  }

  addPacked({ words, wordCount, at }: PlacedRecordset): number {
    const number = this.#pages.add(words, wordCount, at)
    this.changed.note(number)
    return number
  }

  /** As `addPacked`, of a record set that a segment has. */
  addStored({ words, wordCount, at }: PlacedRecordset): number {
    const number = this.#pages.add(words, wordCount, at)
    this.changed.noteStored(number)
    return number
  }

  /** A record set as it is kept, until the next change of any. */
  packed(number: number): PlacedRecordset {
    return this.#record(number)
  }

  /** As `packed`; undefined where no record set has the number. */
  placed(number: number): PlacedRecordset | undefined {
    return this.#pages.get(number)
  }

  /** No number is larger. */
  get last(): number {
    return this.#pages.last
  }

  get count(): number {
    return this.#pages.count
  }

  /** Octets that all of them take in segments. */
  get liveOctets(): number {
    return 4 * this.#pages.liveWords
  }

  get(number: number): Recordset | undefined {
    if (this.#last?.number === number) return this.#last.row
    const record = this.#pages.get(number)
    if (record === undefined) return undefined
    const row = this.#unpacker.unpack(record)
    this.#last = { number, row }
    return row
  }

  placeOf(number: number): Place | undefined {
    const record = this.#pages.get(number)
    return record && this.#unpacker.placeOf(record)
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

  mayHaveType(number: number, type: number): boolean {
    const record = this.#record(number)
    return isJson(record) || packedType(record) === type
  }

  replace(number: number, row: Stamped): void {
    this.#last = undefined
    this.#packer.pack(row as Recordset)
    this.#pages.replace(number, this.#packer.words, this.#packer.wordCount)
    this.changed.note(number)
  }

  move(from: number, to: number): void {
    this.#last = undefined
    this.#pages.move(from, to)
    this.changed.move(from, to)
  }

  delete(number: number): void {
    this.#last = undefined
    this.changed.noteDeletion(number, this.#record(number))
    this.#pages.delete(number)
  }

  comparePlace(number: number, place: Place): number {
    const record = this.#record(number)
    return comparePackedPlace(record, place) ?? comparePlaces(this.#unpacker.unpack(record), place)
  }

  compare(left: number, right: number): number {
    return this.#compare(this.#record(left), this.#record(right))
  }

  numbers(): Int32Array {
    return this.#pages.numbers()
  }

  #compare(left: PackedRecordset, right: PackedRecordset): number {
    const order = comparePacked(left, right)
    if (order !== undefined) return order
    return comparePlaces(this.#unpacker.unpack(left), this.#unpacker.unpack(right))
  }

  #record(number: number): PlacedRecordset {
    const record = this.#pages.get(number)
    if (record === undefined) throw new Error(`no record set has the number ${number}`)
    return record
  }
}
