import type { Caller } from '../../identity/caller.ts'
import type { ChangeSet } from '../../model/change-set.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZoneDraft } from '../../model/zone-draft.ts'
import type { Store } from '../../store/store.ts'
import type { ChangeSets } from '../changes/change-sets.ts'
import type { Zones } from './zones.ts'

type ZoneCreationOptions = {
  readonly store: Store
  readonly zones: Pick<Zones, 'createIn' | 'transferIfWanted'>
  readonly changeSets: Pick<ChangeSets, 'writeIn'>
}

/** Creates zones together with their first recordsets, as one commit. */
export class ZoneCreation {
  readonly #options: ZoneCreationOptions

  constructor(options: ZoneCreationOptions) {
    this.#options = options
  }

  /** @throws ApiError as `Zones.create` and `ChangeSets.apply`; nothing is made then */
  async create(caller: Caller, draft: ZoneDraft, create: ChangeSet['create']): Promise<Zone> {
    const { store, zones, changeSets } = this.#options
    const zone = await store.commitInSteps(function* (tx) {
      const empty = zones.createIn(tx, caller, draft)
      if (create.length === 0) return empty
      const set = { create, replace: [], delete: [] }
      return (yield* changeSets.writeIn(tx, { caller, zoneId: empty.id, set })).zone
    })
    zones.transferIfWanted(zone)
    return zone
  }
}
