import {
  comparePacked,
  comparePackedPlace,
  isJson,
  type PackedRecordset,
  RecordsetUnpacker,
} from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { RecordsetPacker } from '../model/recordset-packer.ts'
import type { PlacedRecordset } from '../model/recordset-run.ts'
import type { Stamped } from '../model/stamped.ts'
import type { Steps } from '../time-slice.ts'
import { ChangedRecordsets } from './changed-recordsets.ts'
import { packedIdHash } from './id-hash.ts'
import { comparePlaces, type Place } from './ordered-rows.ts'
import { FoundRecord, RecordPages } from './record-pages.ts'
import type { RowHeap } from './row-heap.ts'
import { groupInSteps } from './sort-numbers.ts'
import { Scratch, TrimmedRecordsets, trimmedType, trimmedZone } from './trimmed-recordsets.ts'

/** Record sets, packed and trimmed: they make up nearly all of most stores. A row is built on access, as a new object each time. */
export class PackedRecordsets implements RowHeap {
  /** Record sets that differ from the segments on the disk. */
  readonly changed = new ChangedRecordsets()
  readonly #pages = new RecordPages()
  readonly #trimmer = new TrimmedRecordsets()
  /** Memory for a record set returned packed, and for one unpacked here. */
  readonly #given = new Scratch()
  readonly #own = new Scratch()
  /** The second of two that are compared. */
  readonly #other = new FoundRecord()
  readonly #packer = new RecordsetPacker()
  readonly #unpacker = new RecordsetUnpacker()
  /** The row read last: a caller that finds a row by a key reads it right afterwards. */
  #last: { readonly number: number; readonly row: Recordset } | undefined

  add(row: Stamped, packed?: PlacedRecordset): number {
    return this.addPacked(packed ?? this.#pack(row))
  }

  addPacked(record: PlacedRecordset): number {
    const number = this.#keep(record)
    this.changed.note(number)
    return number
  }

  /** As `addPacked`, for a record set that a segment has. */
  addStored(record: PlacedRecordset): number {
    const number = this.#keep(record)
    this.changed.noteStored(number)
    return number
  }

  #keep(record: PlacedRecordset): number {
    const { words, wordCount, at } = this.#trimmer.trim(record)
    return this.#pages.add(words, wordCount, at)
  }

  /** A record set, valid until the next is requested or any is changed. */
  packed(number: number): PlacedRecordset {
    return this.#trimmer.restore(this.#record(number), this.#given)
  }

  /** As `packed`; undefined where no record set has the number. */
  placed(number: number): PlacedRecordset | undefined {
    const record = this.#pages.get(number)
    return record && this.#trimmer.restore(record, this.#given)
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
    return 4 * (this.#pages.liveWords + this.#trimmer.wordsLeftOut)
  }

  get(number: number): Recordset | undefined {
    if (this.#last?.number === number) return this.#last.row
    const record = this.#pages.get(number)
    if (record === undefined) return undefined
    const row = this.#unpacker.unpack(this.#trimmer.restore(record, this.#own))
    this.#last = { number, row }
    return row
  }

  headOf(number: number): Recordset | undefined {
    if (this.#last?.number === number) return this.#last.row
    const record = this.#pages.get(number)
    return record && this.#unpacker.unpackHead(this.#trimmer.restore(record, this.#own))
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

  /** The numbers of all record sets, upwards, by the ids of their zones. Those kept as JSON come singly. */
  *byZone(): Steps<Iterable<readonly [zoneId: string, numbers: Int32Array]>> {
    const groups = yield* groupInSteps(this.numbers(), number => {
      const record = this.#record(number)
      return isJson(record) ? 0 : trimmedZone(record)
    })
    return this.#namedGroups(groups)
  }

  *#namedGroups(
    groups: Iterable<readonly [zone: number, numbers: Int32Array]>,
  ): Generator<readonly [zoneId: string, numbers: Int32Array]> {
    for (const [zone, numbers] of groups) {
      if (zone > 0) yield [this.#trimmer.idOfZone(zone), numbers]
      else
        for (const number of numbers)
          yield [this.#unpacker.zoneIdOf(this.#record(number)), Int32Array.of(number)]
    }
  }

  idHashOf(number: number): number {
    return packedIdHash(this.#record(number))
  }

  mayHaveType(number: number, type: number): boolean {
    const record = this.#record(number)
    return isJson(record) || trimmedType(record) === type
  }

  replace(number: number, row: Stamped, packed?: PlacedRecordset): void {
    this.#last = undefined
    const { words, wordCount, at } = this.#trimmer.trim(packed ?? this.#pack(row))
    this.#trimmer.release(this.#record(number))
    this.#pages.replace(number, words, wordCount, at)
    this.changed.note(number)
  }

  move(from: number, to: number): void {
    this.#last = undefined
    this.#trimmer.release(this.#record(to))
    this.#pages.move(from, to)
    this.changed.move(from, to)
  }

  delete(number: number): void {
    this.#last = undefined
    const record = this.#record(number)
    this.changed.noteDeletion(number, record)
    this.#trimmer.release(record)
    this.#pages.delete(number)
  }

  comparePlace(number: number, place: Place): number {
    const record = this.#record(number)
    return comparePackedPlace(record, place) ?? comparePlaces(this.#unpacker.placeOf(record), place)
  }

  compare(left: number, right: number): number {
    return this.#compare(this.#record(left), this.#record(right, this.#other))
  }

  numbers(): Int32Array {
    return this.#pages.numbers()
  }

  #pack(row: Stamped): PlacedRecordset {
    this.#packer.pack(row as Recordset)
    return this.#packer.packed
  }

  #compare(left: PackedRecordset, right: PackedRecordset): number {
    const order = comparePacked(left, right)
    if (order !== undefined) return order
    return comparePlaces(this.#unpacker.placeOf(left), this.#unpacker.placeOf(right))
  }

  /** Valid until the next is requested, unless `found` is given. */
  #record(number: number, found?: FoundRecord): PlacedRecordset {
    const record = this.#pages.get(number, found)
    if (record === undefined) throw new Error(`no record set has the number ${number}`)
    return record
  }
}
