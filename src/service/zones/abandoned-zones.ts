import { refuseMissing } from '../../errors.ts'
import type { Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { groupListing, type Page, type PageRequest, pageInSlices } from '../listing/listing.ts'
import { rowPages } from '../listing/row-pages.ts'
import { putDeleting } from '../rules/zone-rows.ts'

// An abandoned zone has no owner any more, and its targets keep answering its last content. Its rows stay for this,
// marked `isAbandoned`, and only the indexes of abandoned zones list them: a restart serves the zone again, and nothing
// else sees it. When another zone takes its name at those targets, or an administrator withdraws it, it is removed like
// any other zone.

/** The abandoned zones that are still answered, for administrators. */
export class AbandonedZones {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** @throws ApiError marker_not_found */
  list(request: PageRequest<Zone>): Promise<Page<Zone>> {
    const abandoned = { index: 'abandoned', key: everything } as const
    return pageInSlices(groupListing(this.#store, 'zones', abandoned), request)
  }

  /** Withdraws a zone from its targets. Its rows are removed when deletions are next finished.
   *  @throws ApiError zone_not_found */
  async withdraw(id: string): Promise<void> {
    await this.#store.commit(tx => putDeleting(tx, getAbandoned(tx, id)))
  }

  /** How many records a zone has in all. */
  recordCountOf({ id }: Zone): number {
    const count = this.#store.sum('recordsets', 'recordsOfZone', id)
    return count + this.#store.sum('recordsets', 'managedRecordsOfZone', id)
  }
}

/** All zones that the targets of a pool answer, abandoned ones too, in pages. */
export function* servedZonePages(
  reader: StoreReader,
  poolId: string,
): Generator<readonly Zone[], undefined> {
  yield* rowPages(reader, 'zones', { index: 'byPool', key: poolId })
  yield* rowPages(reader, 'zones', { index: 'abandonedByPool', key: poolId })
}

function getAbandoned(reader: StoreReader, id: string): Zone {
  const zone = reader.get('zones', id)
  return zone?.isAbandoned && !zone.isDeleting ? zone : refuseMissing('zone_not_found')
}
