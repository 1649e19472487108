import type { Cluster } from '../../cluster/cluster.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { rowPages } from '../listing/row-pages.ts'
import { getOwnZone, getPrimaryZone, getRecordset, isPrimaryInUse } from '../rules/zone-access.ts'

type ZoneSyncOptions = {
  readonly store: Store
  /** The servers in this process. */
  readonly inProcess: {
    republish(zoneId: string): Promise<void>
    republishRecordset(zoneId: string, id: string): boolean
  }
  /** The external targets. */
  readonly externalTargets: { zoneChanged(zone: Zone): void }
  readonly cluster: Pick<Cluster, 'passOnSync' | 'handleSyncs'>
}

/** Makes the servers of pools load the stored data again, for an operator who has reason not to trust their answers. Servers in
 *  this process have it when a call resolves, those of other nodes a moment later; external servers are notified and watched
 *  as after a change. No stored data changes, so serials stay. */
export class ZoneSync {
  readonly #options: ZoneSyncOptions

  constructor(options: ZoneSyncOptions) {
    this.#options = options
    options.cluster.handleSyncs(zoneId => {
      const zone = zoneId === undefined ? undefined : options.store.get('zones', zoneId)
      const synced = zoneId === undefined ? this.#syncAll() : zone && this.#sync(zone)
      // A zone that cannot be served is reported as such.
      synced?.catch(() => undefined)
    })
  }

  /** All PRIMARY zones of all projects. */
  syncAll(): Promise<void> {
    this.#options.cluster.passOnSync()
    return this.#syncAll()
  }

  async #syncAll(): Promise<void> {
    const slice = new TimeSlice()
    for (const page of rowPages(this.#options.store, 'zones', { index: 'all', key: everything })) {
      for (const zone of page.filter(isPrimaryInUse)) {
        await this.#sync(zone)
        if (slice.isSpent) await slice.yield()
      }
    }
  }

  /** @throws ApiError zone_not_found; forbidden it is another project's that shares it */
  async syncZone(caller: Caller, id: string): Promise<void> {
    const { store } = this.#options
    const zone = getOwnZone(store, caller, getPrimaryZone(store, caller, id).id)
    this.#options.cluster.passOnSync(zone.id)
    await this.#sync(zone)
  }

  /** @throws ApiError zone_not_found, recordset_not_found */
  syncRecordset(
    caller: Caller,
    { zoneId, id }: { readonly zoneId: string; readonly id: string },
  ): void {
    const { store, inProcess, externalTargets, cluster } = this.#options
    const zone = getPrimaryZone(store, caller, zoneId)
    cluster.passOnSync(zone.id)
    inProcess.republishRecordset(zone.id, getRecordset(store, zone, id).id)
    externalTargets.zoneChanged(zone)
  }

  async #sync(zone: Zone): Promise<void> {
    const { store, inProcess, externalTargets } = this.#options
    await inProcess.republish(zone.id)
    const current = store.get('zones', zone.id)
    if (current !== undefined) externalTargets.zoneChanged(current)
  }
}
