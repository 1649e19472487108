import type { Consistency } from '../../service/consistency/consistency.ts'
import { designate } from '../dialect.ts'
import type { Route } from '../route.ts'
import type { Mount } from '../route-table.ts'
import type { Services } from '../services.ts'
import { abandonedZoneRoutes } from './abandoned-zones.ts'
import { type BackupSource, backupRoute } from './backup.ts'
import { checkRoutes } from './check.ts'
import { adminQuotaRoutes } from './quotas.ts'
import { reportRoutes } from './reports.ts'
import { adminZoneRoutes } from './zones.ts'

/** The parts that commands on this machine ask of a server. */
type MaintenanceParts = {
  readonly consistency: Consistency
  readonly backups: BackupSource
}

/** Designate's admin API over all projects, for administrators only. Also at `/dns/admin`: Designate's clients look for it below
 *  the endpoint in the catalog. */
export function adminMounts(services: Services & MaintenanceParts): readonly Mount[] {
  const routes = [
    ...adminQuotaRoutes(services.quotas),
    ...reportRoutes(services.reports),
    ...adminZoneRoutes(services.zoneExports),
    ...abandonedZoneRoutes(services.abandonedZones),
    ...maintenanceRoutes(services),
  ]
  return ['/admin', '/dns/admin'].map(base => ({
    base,
    dialect: designate,
    hidesUnknown: true,
    routes,
  }))
}

/** Only the check and the backup, for a server without the admin API. */
export function maintenanceMount(parts: MaintenanceParts): Mount {
  return { base: '/admin', dialect: designate, routes: maintenanceRoutes(parts) }
}

function maintenanceRoutes({ consistency, backups }: MaintenanceParts): readonly Route[] {
  return [...checkRoutes(consistency), backupRoute(backups)]
}
