import { randomUUID } from 'node:crypto'
import { defaultPoolId } from '../../src/model/pool.ts'
import type { Zone } from '../../src/model/zone.ts'
import type { Store } from '../../src/store/store.ts'

/** Puts a zone that some project owns: all that the identity service wants to know of it. */
export async function putZone(
  store: Store,
  { name, projectId }: { readonly name: string; readonly projectId: string },
): Promise<Zone> {
  return store.commit(tx => {
    const zone: Zone = {
      id: randomUUID(),
      version: 1,
      createdAt: tx.atMicros,
      updatedAt: null,
      projectId,
      poolId: defaultPoolId,
      name,
      type: 'PRIMARY',
      email: 'ops@example.com',
      ttlSeconds: 3600,
      serial: 1,
      description: null,
      masters: [],
      attributes: {},
      soaTimers: { refreshSeconds: 1, retrySeconds: 1, expireSeconds: 1, minimumSeconds: 1 },
      isDeleting: false,
      transferredAt: null,
    }
    tx.put('zones', zone)
    return zone
  })
}
