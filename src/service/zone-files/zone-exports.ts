import { ApiError, refuseMissing, requireFound } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { newStamp } from '../../model/stamped.ts'
import type { TaskState } from '../../model/task-state.ts'
import { isComplete, isInUse, type Zone } from '../../model/zone.ts'
import type { ZoneExport } from '../../model/zone-export.ts'
import { Semaphore } from '../../semaphore.ts'
import type { Store } from '../../store/store.ts'
import { Tasks } from '../listing/tasks.ts'
import { requireWithinQuota } from '../rules/quotas.ts'
import { getChangeableZone } from '../rules/zone-access.ts'
import { zoneText } from './zone-text.ts'

/** Zones as text. An export is COMPLETE when the zone can be written as a whole, which is nearly always at once: the text is
 *  generated from the zone when it is fetched. */
export class ZoneExports extends Tasks<'zoneExports'> {
  /** Texts that are being sent: each is a copy of its zone in memory, for as long as its client takes to read it. */
  readonly #sending = new Semaphore({ maxRunning: Number.POSITIVE_INFINITY, maxRunningPerKey: 4 })

  constructor(store: Store) {
    super(store, 'zoneExports')
  }

  /** @throws ApiError zone_not_found, forbidden, bad_request, over_quota */
  create(caller: Caller, zoneId: string): Promise<ZoneExport> {
    return this.store.commit(tx => {
      const { id, projectId } = getChangeableZone(tx, caller, zoneId)
      requireWithinQuota(tx, projectId, { apiExportSize: tx.count('recordsets', 'byZone', id) })
      return this.add(tx, { ...newStamp(tx), zoneId: id, projectId })
    })
  }

  /** The present state of an export. */
  stateOf(row: ZoneExport): TaskState {
    const zone = this.#zoneOf(row)
    if (zone === undefined) return { status: 'ERROR', message: 'The zone is gone' }
    return { status: isComplete(zone) ? 'COMPLETE' : 'PENDING', message: null }
  }

  /** The zone as a zone file, piece by piece, all of it as of one moment; for one project a few at a time.
   *  @throws ApiError zone_export_not_found, bad_request */
  async text(caller: Caller, id: string): Promise<AsyncIterable<string>> {
    const row = this.get(caller, id)
    const zone = this.#zoneOf(row)
    if (zone === undefined || !isComplete(zone)) {
      const { status } = this.stateOf(row)
      throw new ApiError('bad_request', `Zone export is not complete: its status is ${status}`)
    }
    return this.#textInTurn(caller, zone)
  }

  /** Same, of any project's zone and without an export.
   *  @throws ApiError zone_not_found, bad_request */
  async textOfZone(caller: Caller, zoneId: string): Promise<AsyncIterable<string>> {
    const zone = requireFound(this.store.get('zones', zoneId), 'zone_not_found')
    if (!isInUse(zone)) refuseMissing('zone_not_found')
    if (!isComplete(zone))
      throw new ApiError('bad_request', 'There is no whole copy of the zone yet')
    return this.#textInTurn(caller, zone)
  }

  /** Nothing is held before it is read. The text counts for the project that reads it, even if the zone is another's. */
  async *#textInTurn({ projectId }: Caller, { id }: Zone): AsyncGenerator<string> {
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>()
    const { promise: sent, resolve: end } = Promise.withResolvers<void>()
    void this.#sending.run(projectId, () => {
      begin()
      return sent
    })
    try {
      await turn
      yield* await zoneText(this.store, id)
    } finally {
      end()
    }
  }

  /** The exported zone, while it exists and still belongs to that project. */
  #zoneOf({ zoneId, projectId }: ZoneExport): Zone | undefined {
    const zone = this.store.get('zones', zoneId)
    return zone && isInUse(zone) && zone.projectId === projectId ? zone : undefined
  }
}
