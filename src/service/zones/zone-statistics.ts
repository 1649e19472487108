import type { Caller } from '../../identity/caller.ts'
import type { Zone } from '../../model/zone.ts'
import type { Store } from '../../store/store.ts'
import { getOwnZone } from '../rules/zone-access.ts'

/** Counts of the responses for a zone. */
export type ZoneAnswers = {
  /** When counting began: at the start of the server, or when the zone was last built from scratch, as by a whole
   *  transfer. */
  readonly sinceMicros: number
  readonly responses: number
  /** Of the responses. */
  readonly octets: number
  readonly byTransport: Readonly<Record<string, number>>
  readonly byRcode: Readonly<Record<string, number>>
  /** The usual types; all others are counted as one. */
  readonly byType: Readonly<Record<string, number>>
}

type ZoneStatisticsOptions = {
  readonly store: Store
  readonly answersOf: (zone: Zone) => ZoneAnswers
}

/** The counts of the answering threads for zones. */
export class ZoneStatistics {
  readonly #options: ZoneStatisticsOptions

  constructor(options: ZoneStatisticsOptions) {
    this.#options = options
  }

  /** @throws ApiError zone_not_found, forbidden */
  get(caller: Caller, zoneId: string): ZoneAnswers {
    const { store, answersOf } = this.#options
    return answersOf(getOwnZone(store, caller, zoneId))
  }
}
