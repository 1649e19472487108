import type { Stamped } from './stamped.ts'

/** A recordset as stored: one owner name and type in one zone. */
export type Recordset = Stamped & {
  readonly zoneId: string
  /** The share by which another project made it. Without one, or once that share is gone, it is the zone's
   *  owner's, whoever that comes to be: a zone of any size changes hands by changing one row. */
  readonly shareId?: string
  /** Presentation form, absolute, case as given. */
  readonly name: string
  /** A mnemonic, or `TYPEn` (RFC 3597) where there is none. */
  readonly type: string
  /** Null: the zone's. */
  readonly ttlSeconds: number | null
  readonly description: string | null
  /** Values in presentation form as given, in the order given. */
  readonly records: readonly string[]
  /** What is known of each value by itself; absent while that is nothing. Whoever changes `records` gets both from
   *  `withRecords`. */
  readonly recordMarks?: RecordMarks
  /** SOA and apex NS of a PRIMARY zone, and all of a SECONDARY: written by the server only. */
  readonly isManaged: boolean
}

/** One value of a recordset as a record of its own. Times are microseconds. */
export type RecordMark = {
  /** Given once within its recordset, and to another record only after all others have been. */
  readonly number: number
  /** Of a record that came from another recordset: the id it had there. */
  readonly id?: string
  readonly description?: string
  /** The value as it was given, where it had to be written otherwise to be kept. */
  readonly data?: string
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number | null
}

/** The marks of a recordset. */
export type RecordMarks = {
  /** What the next new value gets. */
  readonly nextNumber: number
  /** One for each value, in the same order. */
  readonly ofValues: readonly RecordMark[]
}
