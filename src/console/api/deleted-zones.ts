import type { Static } from 'typebox'
import type { deletedZoneAnswer } from '../../api/dns/answers.ts'
import { send } from './client.ts'
import { listPart, type Page } from './lists.ts'

/** A zone that was deleted and can be restored. */
export type DeletedZone = Static<typeof deletedZoneAnswer>

/** The most recently deleted zone comes first; a page may be empty although another follows. */
export function listDeletedZones(marker?: string): Promise<Page<DeletedZone>> {
  return listPart('deleted_zones', { path: '/v2/deleted_zones', query: { limit: 100, marker } })
}

/** Restores a zone with all its record sets, under the id that it had. */
export async function restoreZone(id: string): Promise<void> {
  await send({ method: 'POST', path: `/v2/deleted_zones/${id}/restore` })
}
