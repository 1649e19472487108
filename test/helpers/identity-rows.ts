import { randomUUID } from 'node:crypto'
import { defaultPoolId } from '../../src/model/pool.ts'
import type { Zone } from '../../src/model/zone.ts'
import type { Store } from '../../src/store/store.ts'
import { zoneRow } from './store-rows.ts'

/** Puts a zone that some project owns: the only fact about it that the identity service reads. */
export async function putZone(
  store: Store,
  { name, projectId }: { readonly name: string; readonly projectId: string },
): Promise<Zone> {
  return store.commit(tx => {
    const stamp = { id: randomUUID(), createdAt: tx.atMicros }
    const zone = zoneRow({ ...stamp, projectId, poolId: defaultPoolId, name })
    tx.put('zones', zone)
    return zone
  })
}
