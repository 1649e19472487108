import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { requireAllowed } from '../../identity/policy.ts'
import { catalogGroupAttribute, catalogOwnerAttribute, catalogRoleOf } from '../../model/catalog.ts'
import type { Pool } from '../../model/pool.ts'
import type { Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'

type Attributes = Zone['attributes']

/** A catalog lists the zones of all projects of its pool, so only an operator may create one, and a pool has at most
 *  one.
 *  @throws ApiError forbidden, bad_request */
export function requireMayBeCatalog(
  reader: StoreReader,
  caller: Caller,
  { attributes, pool }: { readonly attributes: Attributes; readonly pool: Pool },
): void {
  requireMayGroup(caller, {}, attributes)
  if (catalogRoleOf({ attributes }) !== 'producer') return
  requireAllowed(caller, 'manage_catalogs')
  for (const zone of reader.list('zones', 'catalogs', everything)) {
    if (zone.poolId !== pool.id || catalogRoleOf(zone) !== 'producer') continue
    throw new ApiError('bad_request', `The pool has a catalog: ${zone.name}`)
  }
}

/** The setup of a zone at its secondaries is up to their operators.
 *  @throws ApiError forbidden */
export function requireMayGroup(caller: Caller, before: Attributes, after: Attributes): void {
  const names = [catalogGroupAttribute, catalogOwnerAttribute]
  if (names.every(name => (after[name] ?? '') === (before[name] ?? ''))) return
  requireAllowed(caller, 'manage_catalogs')
}
