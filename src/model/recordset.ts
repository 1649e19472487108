import type { Stamped } from './stamped.ts'

/** A recordset as stored: one owner name and type in one zone. */
export type Recordset = Stamped & {
  readonly zoneId: string
  /** The share through which another project created it. Without one, or once that share is deleted, it belongs to
   *  the current owner of the zone: a zone of any size is transferred by changing one row. */
  readonly shareId?: string
  /** Presentation form, absolute, case as given. */
  readonly name: string
  /** A mnemonic, or `TYPEn` (RFC 3597) where there is none. */
  readonly type: string
  /** Null: the zone's TTL. */
  readonly ttlSeconds: number | null
  readonly description: string | null
  /** Values in presentation form as given, in the order given. */
  readonly records: readonly string[]
  /** Data about single values; absent while there is none. Code that changes `records` gets both from
   *  `withRecords`. */
  readonly recordMarks?: RecordMarks
  /** True for SOA and apex NS of a PRIMARY zone, and for all of a SECONDARY: written only by the server. */
  readonly isManaged: boolean
}

/** One value of a recordset as a single record. Times are microseconds. */
export type RecordMark = {
  /** Unique within its recordset; reused for another record only after all others have been given out. */
  readonly number: number
  /** Of a record moved from another recordset: its id there. */
  readonly id?: string
  readonly description?: string
  /** The value as given, where it had to be stored in another spelling. */
  readonly data?: string
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number | null
}

/** The marks of a recordset. */
export type RecordMarks = {
  /** The number of the next new value. */
  readonly nextNumber: number
  /** One for each value, in the same order. */
  readonly ofValues: readonly RecordMark[]
}
