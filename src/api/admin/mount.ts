import type { AbandonedZones } from '../../service/abandoned-zones.ts'
import type { Consistency } from '../../service/consistency/consistency.ts'
import type { Quotas } from '../../service/quotas.ts'
import type { Reports } from '../../service/reports.ts'
import type { ZoneExports } from '../../service/zone-exports.ts'
import { designate } from '../dialect.ts'
import type { Mount } from '../route-table.ts'
import { abandonedZoneRoutes } from './abandoned-zones.ts'
import { checkRoutes } from './check.ts'
import { adminQuotaRoutes } from './quotas.ts'
import { reportRoutes } from './reports.ts'
import { adminZoneRoutes } from './zones.ts'

export type AdminServices = {
  readonly abandonedZones: AbandonedZones
  readonly consistency: Consistency
  readonly quotas: Quotas
  readonly reports: Reports
  readonly zoneExports: ZoneExports
}

/** What administrators ask over all projects, as Designate's admin API has it; for them alone. At `/dns/admin` too:
 *  Designate's clients look for it below the endpoint that the catalog names. */
export function adminMounts({
  abandonedZones,
  consistency,
  quotas,
  reports,
  zoneExports,
}: AdminServices): readonly Mount[] {
  const routes = [
    ...adminQuotaRoutes(quotas),
    ...reportRoutes(reports),
    ...adminZoneRoutes(zoneExports),
    ...abandonedZoneRoutes(abandonedZones),
    ...checkRoutes(consistency),
  ]
  return ['/admin', '/dns/admin'].map(base => ({
    base,
    dialect: designate,
    hidesUnknown: true,
    routes,
  }))
}
