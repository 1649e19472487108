import type { ChangeSets } from '../../service/change-sets.ts'
import type { DefaultPoolKeys } from '../../service/default-pool-keys.ts'
import type { Recordsets } from '../../service/recordsets.ts'
import type { ZoneCreation } from '../../service/zone-creation.ts'
import type { ZoneExports } from '../../service/zone-exports.ts'
import type { ZoneSync } from '../../service/zone-sync.ts'
import type { Zones } from '../../service/zones.ts'

/** What the routes ask. */
export type PowerDnsServices = {
  readonly zones: Zones
  readonly zoneCreation: ZoneCreation
  readonly recordsets: Recordsets
  readonly changeSets: ChangeSets
  readonly zoneExports: ZoneExports
  readonly zoneSync: ZoneSync
  readonly defaultPoolKeys: DefaultPoolKeys
}
