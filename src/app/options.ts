import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Config } from '../config/config.ts'
import type { ScryptCost } from '../identity/passwords.ts'
import type { Logger } from '../log.ts'
import type { Store } from '../store/store.ts'
import type { TargetZones } from '../zone/table/target-zones.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'

/** The options of a server's start. */
export type AppOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly logger: Logger
  /** The cost of checking a stored password; the standard if not given. */
  readonly passwordCost?: ScryptCost
  /** How far the clock may be off that of PostgreSQL, for tests that turn it; by default, a minute. */
  readonly maxClockOffSeconds?: number
}

/** What most parts are opened with. */
export type CommonParts = AppOptions & {
  readonly store: Store
  readonly cluster: Cluster
  readonly table: ZoneTable
  /** The zones that are answered for a pool. */
  readonly zonesOf: (poolId: string) => TargetZones
}
