import { requireFound } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { StoredDnssecKey } from '../../model/dnssec-key.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZoneCommit } from '../../store/store.ts'
import { ProjectSemaphore } from '../rules/project-semaphore.ts'
import { restoreZone, type ZoneRestoring } from '../zones/zone-restoring.ts'
import { type CommitPage, type CommitRange, commitPage } from './commit-page.ts'
import { type DeletedZone, Deletions } from './deletions.ts'
import { type Choose, pastZone, requireSmall } from './past-zone.ts'
import type { Retention } from './retention.ts'

// Deleted zones, as long as the log has their whole deletion: it begins with the commit that marks the zone, and ends
// with the one that removes its row; in between, the recordsets are removed in pieces.

type DeletedRequest = Pick<CommitRange, 'limit' | 'beforeLsn'> & {
  readonly matchesName: ((name: string) => boolean) | undefined
}

const anyTime = { beginMicros: 0, endMicros: Number.POSITIVE_INFINITY }

type DeletedZonesParts = ZoneRestoring & { readonly retention: Retention }

/** The deleted zones of projects. */
export class DeletedZones {
  readonly #parts: DeletedZonesParts
  readonly #deletions: Deletions
  readonly #semaphore = new ProjectSemaphore(
    { maxRunning: 1, maxWaiting: 16, maxWaitingPerKey: 2 },
    'Other zones are being restored',
  )

  constructor(parts: DeletedZonesParts) {
    this.#parts = parts
    this.#deletions = new Deletions(parts.store)
  }

  /** The caller's deleted zones that can be restored, the latest first. */
  page(caller: Caller, request: DeletedRequest): Promise<CommitPage<DeletedZone>> {
    const { matchesName } = request
    const projectId = caller.hasAllProjects ? undefined : caller.projectId
    // Kept when they have been read once, so their octets do not count.
    const range = { ...request, ...anyTime, octetsOf: () => 0 }
    return commitPage(this.#parts.store.deletions(projectId), range, async batch => {
      const deleted = await this.#readBatch(caller, batch)
      return deleted.filter(({ zone }) => matchesName?.(zone.name) !== false)
    })
  }

  /** @throws ApiError zone_not_found there is none that the caller may restore */
  async get(caller: Caller, id: string): Promise<DeletedZone> {
    const [last] = await this.#deletionOf(id)
    const found = last && (await this.#readBatch(caller, [last])).find(({ zone }) => zone.id === id)
    return requireFound(found, 'zone_not_found')
  }

  /** Restores a zone with its id and all its recordsets, as one change with a newer serial. Its shares are not
   *  restored.
   *  @throws ApiError zone_not_found; bad_request it is more than can be restored; too_many_requests; and as
   *  `restoreZone` */
  async restore(caller: Caller, id: string): Promise<Zone> {
    const { zone } = await this.get(caller, id)
    return this.#semaphore.run(zone.projectId, async () => {
      const choose: Choose = async () => requireSmall(await this.#deletionOf(id))
      const past = requireFound(await pastZone(this.#parts.store, id, choose), 'zone_not_found')
      const keys = await this.#keysOf(zone)
      return restoreZone(this.#parts, caller, { past, deleted: zone, keys })
    })
  }

  /** The keys that a zone was signed with, which are removed with its row. */
  async #keysOf({ id, dnssec }: Zone): Promise<readonly StoredDnssecKey[]> {
    if (dnssec === undefined) return []
    const keys: StoredDnssecKey[] = []
    const last = (await this.#deletionOf(id)).slice(0, 1)
    for await (const { changes } of this.#parts.store.readCommits(last)) {
      for (const { collection, before } of changes) {
        if (collection === 'dnssecKeys' && before?.zoneId === id) keys.push(before)
      }
    }
    return keys
  }

  /** The caller's zones that commits have deleted and that can be restored. */
  async #readBatch(caller: Caller, batch: readonly ZoneCommit[]): Promise<readonly DeletedZone[]> {
    const all: DeletedZone[] = []
    for (const deleted of await this.#deletions.of(batch)) {
      const { lsn, deletedAtMicros, zone } = deleted
      if (!isRestorable(caller, zone)) continue
      if (!this.#parts.retention.keepsDeleted(zone, deletedAtMicros)) continue
      const [last] = await this.#deletionOf(zone.id)
      if (last?.lsn === lsn) all.push(deleted)
    }
    return all
  }

  /** The commits that have deleted a zone, newest first; none where the zone exists, or the log does not have all of
   *  them. */
  async #deletionOf(id: string): Promise<readonly ZoneCommit[]> {
    if (this.#parts.store.get('zones', id) !== undefined) return []
    const commits: ZoneCommit[] = []
    for await (const commit of this.#parts.store.zoneCommits(id)) {
      commits.push(commit)
      // Only the commit that marks the zone has a serial.
      if (commit.serial !== undefined) return commits
    }
    return []
  }
}

/** False for a zone whose import never finished, and for an abandoned one, which has no owner. */
function isRestorable(caller: Caller, zone: Zone): boolean {
  const isOwn = reachesProject(caller, zone.projectId)
  return isOwn && zone.isDeleting && zone.isImporting !== true && zone.isAbandoned !== true
}
