import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import type { TargetReport } from '../../model/zone-state.ts'

/** Counts of the responses for a zone. */
export type ZoneAnswers = {
  /** When counting began: at the start of the server, or when the zone was last built from scratch, as by a whole
   *  transfer. */
  readonly sinceMicros: number
  readonly responses: number
  /** Of the responses. */
  readonly octets: number
  readonly byTransport: Readonly<Record<string, number>>
  readonly byRcode: Readonly<Record<string, number>>
  /** The usual types; all others are counted as one. */
  readonly byType: Readonly<Record<string, number>>
}

/** The state of the servers behind a pool, as services query it. The publisher reports it for those in this process. */
export type Targets = {
  /** One report for each target of the zone's pool. */
  reportsOf(zone: Zone): readonly TargetReport[]
  /** Why a recordset is not answered, or only in part; undefined while it is answered. */
  problemOf(recordset: Recordset): string | undefined
}
