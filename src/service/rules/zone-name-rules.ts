import { type Caller, isAdmin } from '../../identity/caller.ts'
import type { Zone } from '../../model/zone.ts'
import { enclosingNames, requireSeveralLabels } from '../../model/zone-name.ts'
import type { StoreReader } from '../../store/store.ts'
import { requireNotBlacklisted } from './blacklists.ts'
import { requireKnownTld } from './tlds.ts'

/** Requires that a new zone may have a name, regardless of other zones; checks in Designate's order. Call it inside
 *  the transaction that creates the zone.
 *  @throws ApiError invalid_zone_name */
export function requireAllowedName(
  reader: StoreReader,
  caller: Caller,
  zone: Pick<Zone, 'name' | 'type'>,
): void {
  const { name } = zone
  if (!isTopLevelCopy(caller, zone)) {
    requireSeveralLabels(name)
    requireKnownTld(reader, name)
  }
  requireNotBlacklisted(reader, caller, name)
}

/** An administrator's copy of a top-level domain, such as `arpa.` or a private one, which other rules keep from customers. */
function isTopLevelCopy(caller: Caller, { name, type }: Pick<Zone, 'name' | 'type'>): boolean {
  const mayCopy = caller.mayCopyTopLevels === true && isAdmin(caller)
  return mayCopy && type === 'SECONDARY' && enclosingNames(name).length === 0
}
