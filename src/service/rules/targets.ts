import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import type { TargetReport } from '../../model/zone-state.ts'

/** The state of the servers behind a pool, as services query it. The publisher reports it for those in this process. */
export type Targets = {
  /** One report for each target of the zone's pool. */
  reportsOf(zone: Zone): readonly TargetReport[]
  /** Why a recordset is not answered, or only in part; undefined while it is answered. */
  problemOf(recordset: Recordset): string | undefined
}
