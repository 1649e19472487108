import type { Caller } from '../../identity/caller.ts'
import { requireSeveralLabels } from '../../model/zone-name.ts'
import type { StoreReader } from '../../store/store.ts'
import { requireNotBlacklisted } from './blacklists.ts'
import { requireKnownTld } from './tlds.ts'

/** Asks whether a new zone may have a name at all, whoever else has zones; in Designate's order. To be asked
 *  inside the transaction that creates it.
 *  @throws ApiError invalid_zone_name */
export function requireAllowedName(reader: StoreReader, caller: Caller, name: string): void {
  requireSeveralLabels(name)
  requireKnownTld(reader, name)
  requireNotBlacklisted(reader, caller, name)
}
