import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import type { PlacedRecordset } from '../model/recordset-run.ts'

/** The change of a new recordset that came packed (`Transaction.insertRecordsets`). */
export class PackedChange {
  readonly collection = 'recordsets'
  readonly before = undefined
  readonly packed: PlacedRecordset

  constructor(packed: PlacedRecordset) {
    this.packed = packed
  }

  get id(): string {
    return recordsetUnpacker.idOf(this.packed)
  }

  get after(): Recordset {
    return recordsetUnpacker.unpack(this.packed)
  }
}

/** The change of a recordset that is read from the log: rows are put together when they are asked for. */
export class LoggedRecordset {
  readonly collection = 'recordsets'
  readonly packedBefore: PlacedRecordset | undefined
  readonly packedAfter: PlacedRecordset | undefined

  constructor(packedBefore?: PlacedRecordset, packedAfter?: PlacedRecordset) {
    this.packedBefore = packedBefore
    this.packedAfter = packedAfter
  }

  /** As of a commit: a new recordset, that came as it is kept. */
  get packed(): PlacedRecordset | undefined {
    return this.packedBefore === undefined ? this.packedAfter : undefined
  }

  get id(): string {
    const record = this.packedAfter ?? this.packedBefore
    return record === undefined ? '' : recordsetUnpacker.idOf(record)
  }

  get before(): Recordset | undefined {
    return this.packedBefore && recordsetUnpacker.unpack(this.packedBefore)
  }

  get after(): Recordset | undefined {
    return this.packedAfter && recordsetUnpacker.unpack(this.packedAfter)
  }
}
