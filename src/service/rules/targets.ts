import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import type { TargetReport } from '../../model/zone-state.ts'

/** What services ask of the servers behind a pool. The publisher answers for those in this process. */
export type Targets = {
  /** One report for each target of the zone's pool. */
  reportsOf(zone: Zone): readonly TargetReport[]
  /** Why a recordset is not, or not wholly, answered; undefined while it is. */
  problemOf(recordset: Recordset): string | undefined
}
