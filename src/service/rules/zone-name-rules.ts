import type { Caller } from '../../identity/caller.ts'
import { requireSeveralLabels } from '../../model/zone-name.ts'
import type { StoreReader } from '../../store/store.ts'
import { requireNotBlacklisted } from './blacklists.ts'
import { requireKnownTld } from './tlds.ts'

/** Requires that a new zone may have a name, regardless of other zones; checks in Designate's order. Call it inside
 *  the transaction that creates the zone.
 *  @throws ApiError invalid_zone_name */
export function requireAllowedName(reader: StoreReader, caller: Caller, name: string): void {
  requireSeveralLabels(name)
  requireKnownTld(reader, name)
  requireNotBlacklisted(reader, caller, name)
}
