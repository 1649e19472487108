import { requireFound } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { StoredDnssecKey } from '../../model/dnssec-key.ts'
import type { Zone } from '../../model/zone.ts'
import type { Store, Transaction, ZoneCommit } from '../../store/store.ts'
import { ProjectSemaphore } from '../rules/project-semaphore.ts'
import type { ZoneRestoring } from '../zones/zone-restoring.ts'
import { type DeletedZone, Deletions } from './deletions.ts'
import { type Choose, pastZone, requireSmall } from './past-zone.ts'
import type { Retention } from './retention.ts'

// Deleted zones, as long as the log has their whole deletion: it begins with the commit that marks the zone, and ends
// with the one that removes its row; in between, the recordsets are removed in pieces.

type DeletedPage = {
  readonly zones: readonly DeletedZone[]
  /** `beforeLsn` of the next page; undefined where there is none. */
  readonly nextLsn: number | undefined
}

type DeletedRequest = {
  readonly limit: number
  /** Only what was deleted before this commit. */
  readonly beforeLsn: number | undefined
  readonly matchesName: ((name: string) => boolean) | undefined
}

/** Signs a restored zone with the keys it had. Returns the signed zone.
 *  @throws ApiError */
type RestoreKeys = (tx: Transaction, zone: Zone, keys: readonly StoredDnssecKey[]) => Zone

/** Deletions that are read for one page. */
const maxPageCommits = 2_000
const batchCommits = 100

/** The deleted zones of projects. */
export class DeletedZones {
  readonly #store: Store
  readonly #deletions: Deletions
  readonly #restoring: ZoneRestoring
  readonly #restoreKeys: RestoreKeys
  readonly #retention: Retention
  readonly #semaphore = new ProjectSemaphore(
    { maxRunning: 1, maxWaiting: 16, maxWaitingPerKey: 2 },
    'Other zones are being restored',
  )

  constructor(parts: {
    readonly store: Store
    readonly restoring: ZoneRestoring
    readonly restoreKeys: RestoreKeys
    readonly retention: Retention
  }) {
    this.#store = parts.store
    this.#deletions = new Deletions(parts.store)
    this.#restoreKeys = parts.restoreKeys
    this.#restoring = parts.restoring
    this.#retention = parts.retention
  }

  /** The caller's deleted zones that can be restored, the latest first. */
  async page(caller: Caller, request: DeletedRequest): Promise<DeletedPage> {
    const { limit, beforeLsn = Number.POSITIVE_INFINITY } = request
    const zones: DeletedZone[] = []
    let left = maxPageCommits
    let batch: ZoneCommit[] = []
    const take = async (): Promise<number | undefined> => {
      for (const deleted of await this.#readBatch(caller, batch)) {
        if (request.matchesName?.(deleted.zone.name) === false) continue
        if (zones.length === limit) return zones.at(-1)?.lsn
        zones.push(deleted)
      }
      batch = []
      return undefined
    }
    const projectId = caller.hasAllProjects ? undefined : caller.projectId
    for await (const commit of this.#store.deletions(projectId)) {
      if (commit.lsn >= beforeLsn || commit.lsn === batch.at(-1)?.lsn) continue
      if (left === 0 || batch.length === batchCommits) {
        const nextLsn = await take()
        if (nextLsn !== undefined) return { zones, nextLsn }
        if (left === 0) return { zones, nextLsn: commit.lsn + 1 }
      }
      left -= 1
      batch.push(commit)
    }
    return { zones, nextLsn: await take() }
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
   *  `ZoneRestoring.restore` */
  async restore(caller: Caller, id: string): Promise<Zone> {
    const { zone } = await this.get(caller, id)
    return this.#semaphore.run(zone.projectId, async () => {
      const choose: Choose = async () => requireSmall(await this.#deletionOf(id))
      const past = requireFound(await pastZone(this.#store, id, choose), 'zone_not_found')
      const keys = await this.#keysOf(zone)
      return this.#restoring.restore(caller, {
        past,
        deleted: zone,
        restoreSigning: (tx, restored) => {
          const { dnssec } = zone
          if (dnssec === undefined) return restored
          return this.#restoreKeys(tx, { ...restored, dnssec }, keys)
        },
      })
    })
  }

  /** The keys that a zone was signed with, which are removed with its row. */
  async #keysOf({ id, dnssec }: Zone): Promise<readonly StoredDnssecKey[]> {
    const [last] = dnssec === undefined ? [] : await this.#deletionOf(id)
    const keys: StoredDnssecKey[] = []
    for await (const { changes } of this.#store.readCommits(last === undefined ? [] : [last])) {
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
      if (!this.#retention.keepsDeleted(zone, deletedAtMicros)) continue
      const [last] = await this.#deletionOf(zone.id)
      if (last?.lsn === lsn) all.push(deleted)
    }
    return all
  }

  /** The commits that have deleted a zone, newest first; none where the zone exists, or the log does not have all of
   *  them. */
  async #deletionOf(id: string): Promise<readonly ZoneCommit[]> {
    if (this.#store.get('zones', id) !== undefined) return []
    const commits: ZoneCommit[] = []
    for await (const commit of this.#store.zoneCommits(id)) {
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
