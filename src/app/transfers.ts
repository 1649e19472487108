import { rcodes } from '../dns/codes.ts'
import { parseName } from '../dns/name.ts'
import { isNewerSerial } from '../dns/serial.ts'
import type { Publisher } from '../publish/publisher.ts'
import { ServedVersions } from '../publish/served-versions.ts'
import { mayTransfer } from '../service/transfer-policy.ts'
import type { Store } from '../store/store.ts'
import type { TransferOffer, TransferWanted } from '../transport/transfers.ts'
import type { TargetZones } from '../zone/table/target-zones.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'

/** Asked for a zone that is answered from `zones`. */
export type OfferFrom = (zones: unknown, wanted: TransferWanted) => Promise<TransferOffer>

/** What becomes of requests for zones: refused until there is a store to say who may have them. */
export class OutgoingZones {
  #offer: OfferFrom = async () => ({ kind: 'refused', rcode: rcodes.servFail })

  readonly offer: OfferFrom = (zones, wanted) => this.#offer(zones, wanted)

  begin(parts: {
    readonly store: Store
    readonly table: ZoneTable
    readonly publisher: Publisher
    readonly zonesOf: (poolId: string) => TargetZones
  }): void {
    const { store, table, publisher, zonesOf } = parts
    const versions = new ServedVersions({ table, isPublishing: id => publisher.isPublishing(id) })
    this.#offer = async (zones, wanted) => {
      const stored = [
        ...store.list('zones', 'byLowerName', wanted.zone),
        ...store.list('zones', 'abandonedByLowerName', wanted.zone),
      ].find(({ poolId }) => zonesOf(poolId) === zones)
      if (stored === undefined) return { kind: 'refused', rcode: rcodes.notAuth }
      if (!mayTransfer(store, stored, wanted)) return { kind: 'refused', rcode: rcodes.refused }
      const target = zonesOf(stored.poolId)
      const served = target.get(parseName(stored.name))
      if (served === undefined || served.isExpired) {
        return { kind: 'refused', rcode: rcodes.servFail }
      }
      const { serial } = wanted
      const { zone, release } = await versions.read(served, target, stored.id)
      const isSoaOnly = serial !== undefined && !isNewerSerial(served.serial, serial)
      return { kind: 'zone', zone, isSoaOnly, release }
    }
  }
}
