import type { Pool } from '../../model/pool.ts'
import { notifiedServersOf } from '../../model/pool-attributes.ts'
import {
  allowTransferAttribute,
  transferKeyAttribute,
  transferPeersOf,
} from '../../model/transfer-peers.ts'
import { type TsigKey, tsigNameKey } from '../../model/tsig-key.ts'
import type { Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'
import { inTurns } from '../../time-slice.ts'
import { rowPages } from '../listing/row-pages.ts'

// Pools and zones name keys: the names may be there before their keys, and stay behind them. So a key can always be deleted,
// and this tells beforehand what would then be refused, or wait for a key of that name.

/** Where a pool or a zone names a key. */
type KeyPlace = 'allow_transfer' | 'also_notify' | 'transfer_key' | 'update_policy'

export type TsigKeyUse = {
  readonly resource: 'pool' | 'zone'
  readonly row: Pick<Pool | Zone, 'id' | 'name'>
  readonly places: readonly KeyPlace[]
}

export type TsigKeyUses = {
  /** The first of them, pools before zones. */
  readonly named: readonly TsigKeyUse[]
  readonly count: number
}

/** A member zone has the key of its catalog, which may have any number. */
const maxNamed = 100

/** The pools and zones that name a key. */
export async function usesOf(reader: StoreReader, { name }: TsigKey): Promise<TsigKeyUses> {
  const wanted = tsigNameKey(name)
  const isWanted = (given: string | null | undefined) => !!given && tsigNameKey(given) === wanted
  const maySend = ({ attributes }: Pool | Zone) =>
    attributes[allowTransferAttribute] !== undefined &&
    transferPeersOf(attributes).keyNames.has(wanted)
  const named: TsigKeyUse[] = []
  let count = 0
  const add = (use: TsigKeyUse) => {
    if (use.places.length === 0) return
    count += 1
    if (named.length < maxNamed) named.push(use)
  }
  for (const pool of reader.list('pools', 'all', everything)) {
    const isNotified = notifiedServersOf(pool).some(({ keyName }) => isWanted(keyName))
    const places = placesOf({ also_notify: isNotified, allow_transfer: maySend(pool) })
    add({ resource: 'pool', row: pool, places })
  }
  for await (const page of inTurns(rowPages(reader, 'zones', { index: 'all', key: everything }))) {
    for (const zone of page) {
      const places = placesOf({
        allow_transfer: maySend(zone),
        transfer_key: isWanted(zone.attributes[transferKeyAttribute]),
        update_policy: zone.updateRules?.some(({ keyName }) => isWanted(keyName)) === true,
      })
      add({ resource: 'zone', row: zone, places })
    }
  }
  return { named, count }
}

function placesOf(uses: Partial<Record<KeyPlace, boolean>>): readonly KeyPlace[] {
  return (Object.keys(uses) as KeyPlace[]).filter(place => uses[place])
}
