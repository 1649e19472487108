import type { ChangeSets } from '../../service/changes/change-sets.ts'
import type { Dnssec } from '../../service/dnssec/dnssec.ts'
import type { DefaultPoolKeys } from '../../service/pools/default-pool-keys.ts'
import type { Recordsets } from '../../service/recordsets/recordsets.ts'
import type { ZoneSync } from '../../service/targets/zone-sync.ts'
import type { ZoneExports } from '../../service/zone-files/zone-exports.ts'
import type { ZoneCreation } from '../../service/zones/zone-creation.ts'
import type { Zones } from '../../service/zones/zones.ts'

/** What the routes ask. */
export type PowerDnsServices = {
  readonly zones: Zones
  readonly zoneCreation: ZoneCreation
  readonly dnssec: Dnssec
  readonly recordsets: Recordsets
  readonly changeSets: ChangeSets
  readonly zoneExports: ZoneExports
  readonly zoneSync: ZoneSync
  readonly defaultPoolKeys: DefaultPoolKeys
}
