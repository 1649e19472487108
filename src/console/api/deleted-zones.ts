import { call, send } from './client.ts'
import { type Links, nextMarker, type Page } from './lists.ts'
import type { Zone } from './zones.ts'

/** A zone that was deleted and can be restored. */
export type DeletedZone = Pick<Zone, 'id' | 'name' | 'type' | 'serial'> & {
  readonly deleted_at: string
}

/** The most recently deleted zone comes first; a page may be empty although another follows. */
export async function listDeletedZones(marker?: string): Promise<Page<DeletedZone>> {
  const answer = await call<{ deleted_zones: readonly DeletedZone[]; links: Links }>({
    path: '/v2/deleted_zones',
    query: { limit: 100, marker },
  })
  return { items: answer.deleted_zones, total: 0, next: nextMarker(answer.links) }
}

/** Restores a zone with all its record sets, under the id that it had. */
export async function restoreZone(id: string): Promise<void> {
  await send({ method: 'POST', path: `/v2/deleted_zones/${id}/restore` })
}
