import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { type PlacedRecordset, packRun, recordsetsOf } from '../model/recordset-run.ts'
import type { Stamped } from '../model/stamped.ts'
import { idHash } from './id-hash.ts'
import { comparePlaces, type Place } from './ordered-rows.ts'

/** The rows of a collection by numbers from 1 on, which indexes hold. A number is reused once its row is gone. */
export type RowHeap = {
  /** Keeps a row, which may already be packed; returns its number. */
  add(row: Stamped, packed?: PlacedRecordset): number
  /** As `add`, of a record set that is packed. */
  addPacked(record: PlacedRecordset): number
  /** A record set in packed form, valid until the next is requested or any changes. */
  packed(number: number): PlacedRecordset
  /** Undefined where no row has the number. */
  get(number: number): Stamped | undefined
  /** The row, perhaps without the records of a recordset, at less cost: for the keys of groups, which do not depend on them. */
  headOf(number: number): Stamped | undefined
  /** The place of the row, at less cost than the row. */
  placeOf(number: number): Place | undefined
  /** The id of the row, at less cost than the row. */
  idOf(number: number): string | undefined
  /** The hash of the id (`idHash`), at less cost than that. */
  idHashOf(number: number): number
  /** Whether a recordset row may be of a type, at less cost than the row. */
  mayHaveType(number: number, type: number): boolean
  /** Replaces a row by another state, which may already be packed. */
  replace(number: number, row: Stamped, packed?: PlacedRecordset): void
  /** Gives a number the row of another, which is free from then on. */
  move(from: number, to: number): void
  delete(number: number): void
  /** Orders a row's place against another. */
  comparePlace(number: number, place: Place): number
  /** Orders the places of two rows. */
  compare(left: number, right: number): number
  /** The numbers of all rows, upwards. */
  numbers(): Int32Array
}

/** Gives out numbers, the smallest that have never been used, before those that are free again. */
export class RowNumbers {
  readonly #free: number[] = []
  #last = 0

  /** No number is larger. */
  get last(): number {
    return this.#last
  }

  /** Numbers that are in use. */
  get count(): number {
    return this.#last - this.#free.length
  }

  take(): number {
    const number = this.#free.pop()
    if (number !== undefined) return number
    this.#last += 1
    return this.#last
  }

  giveBack(number: number): void {
    this.#free.push(number)
  }
}

/** Rows as they are given: for collections that are small, or whose rows may be of any form. */
export class ObjectRows implements RowHeap {
  readonly #numbers = new RowNumbers()
  readonly #rows: (Stamped | undefined)[] = [undefined]

  add(row: Stamped): number {
    const number = this.#numbers.take()
    this.#rows[number] = row
    return number
  }

  addPacked(record: PlacedRecordset): number {
    return this.add(recordsetUnpacker.unpack(record))
  }

  packed(number: number): PlacedRecordset {
    const [record] = recordsetsOf(packRun([this.#rowAt(number) as Recordset]))
    return record as PlacedRecordset
  }

  get(number: number): Stamped | undefined {
    return this.#rows[number]
  }

  headOf(number: number): Stamped | undefined {
    return this.#rows[number]
  }

  placeOf(number: number): Place | undefined {
    return this.#rows[number]
  }

  idOf(number: number): string | undefined {
    return this.#rows[number]?.id
  }

  idHashOf(number: number): number {
    return idHash(this.#rowAt(number).id)
  }

  mayHaveType(): boolean {
    return true
  }

  replace(number: number, row: Stamped): void {
    this.#rows[number] = row
  }

  move(from: number, to: number): void {
    this.#rows[to] = this.#rows[from]
    this.delete(from)
  }

  delete(number: number): void {
    this.#rows[number] = undefined
    this.#numbers.giveBack(number)
  }

  comparePlace(number: number, place: Place): number {
    return comparePlaces(this.#rowAt(number), place)
  }

  compare(left: number, right: number): number {
    return comparePlaces(this.#rowAt(left), this.#rowAt(right))
  }

  numbers(): Int32Array {
    return Int32Array.from(this.#rows.flatMap((row, number) => (row === undefined ? [] : number)))
  }

  #rowAt(number: number): Stamped {
    const row = this.#rows[number]
    if (row === undefined) throw new Error(`no row has the number ${number}`)
    return row
  }
}
