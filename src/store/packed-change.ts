import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import type { PlacedRecordset } from '../model/recordset-run.ts'

/** The change of a new record set that came packed (`Transaction.insertRecordsets`). */
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
