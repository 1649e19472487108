import { ApiError } from '../../errors.ts'
import type { Pool } from '../../model/pool.ts'
import { listenAddressesOf } from '../../model/pool-attributes.ts'
import { quote } from '../../model/quote.ts'
import type { Zone } from '../../model/zone.ts'
import { enclosingNames } from '../../model/zone-name.ts'
import { keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'
import { findRecordsetOf } from './find-recordset.ts'

// Zones above and below each other. Call these inside the transaction that acts on the result.

/** Keeps projects out of each other's name space: a project with a zone below or above another project's could
 *  answer for its names. Checks all pools, as a second pool would be a way around it.
 *  @throws ApiError duplicate_zone, illegal_child, illegal_parent */
export function requireOwnNameSpace(reader: StoreReader, name: string, projectId: string): void {
  const lowerName = name.toLowerCase()
  const isForeign = (zone: Zone): boolean => zone.projectId !== projectId
  if (zonesNamed(reader, lowerName).some(isForeign)) throw duplicateZone(name)
  if (enclosingNames(lowerName).some(above => zonesNamed(reader, above).some(isForeign))) {
    throw new ApiError('illegal_child', `${quote(name)} is below a zone of another project`)
  }
  for (const zone of reader.list('zones', 'byAncestor', lowerName)) {
    if (!isForeign(zone)) continue
    throw new ApiError('illegal_parent', `${quote(name)} is above a zone of another project`)
  }
}

/** Requires that no zone has the name, not even one that is being deleted, in this pool or another on the same
 *  listeners: a name has one answer.
 *  @throws ApiError duplicate_zone */
export function requireNewInPool(reader: StoreReader, name: string, pool: Pool): void {
  if (zonesBeside(reader, name, pool).length > 0) throw duplicateZone(name)
}

/** The same, for a zone that moves from another pool.
 *  @throws ApiError duplicate_zone */
export function requireMovable(reader: StoreReader, zone: Zone, pool: Pool): void {
  const others = zonesBeside(reader, zone.name, pool).filter(({ id }) => id !== zone.id)
  if (others.length > 0) throw duplicateZone(zone.name)
}

function zonesBeside(reader: StoreReader, name: string, pool: Pool): readonly Zone[] {
  return zonesNamed(reader, name.toLowerCase()).filter(zone => isAnsweredBy(reader, zone, pool))
}

/** Whether the targets of a pool answer a zone. */
export function isAnsweredBy(
  reader: StoreReader,
  { poolId }: Pick<Zone, 'poolId'>,
  pool: Pool,
): boolean {
  if (poolId === pool.id) return true
  return sharesListeners(pool) && sharesListeners(reader.get('pools', poolId))
}

/** Whether a pool is answered on the default listeners, as are all pools without listeners of their own. */
function sharesListeners(pool: Pool | undefined): boolean {
  return pool !== undefined && listenAddressesOf(pool).length === 0
}

/** @throws ApiError zone_has_sub_zone */
export function requireNoChildren(reader: StoreReader, zone: Zone): void {
  for (const child of reader.list('zones', 'byAncestor', zone.name.toLowerCase())) {
    if (child.poolId !== zone.poolId || child.isDeleting) continue
    throw new ApiError(
      'zone_has_sub_zone',
      `Please delete any subzones before deleting this zone, such as ${quote(child.name)}`,
    )
  }
}

/** Finds the child zone that a name inside `zone` belongs to, if there is one: that zone answers for the name. */
export function findChildZone(reader: StoreReader, zone: Zone, name: string): Zone | undefined {
  const lowerName = name.toLowerCase()
  for (const candidate of [lowerName, ...enclosingNames(lowerName)]) {
    if (candidate.length <= zone.name.length) return undefined
    const child = findInPool(reader, zone.poolId, candidate)
    if (child !== undefined && !child.isDeleting) return child
  }
  return undefined
}

/** Zones of the same pool directly below this one that it does not delegate. */
export function undelegatedChildren(reader: StoreReader, zone: Zone): readonly Zone[] {
  return [...reader.list('zones', 'byAncestor', zone.name.toLowerCase())].filter(child => {
    if (child.poolId !== zone.poolId || child.isDeleting) return false
    return findParentZone(reader, child)?.id === zone.id && !isDelegated(reader, zone, child.name)
  })
}

/** Refuses a new zone that its signed parent does not delegate: the parent would prove that it does not exist.
 *  @throws ApiError illegal_child */
export function requireDelegation(reader: StoreReader, name: string, pool: Pool): void {
  const parent = findParentZone(reader, { name, poolId: pool.id })
  if (parent?.dnssec === undefined || isDelegated(reader, parent, name)) return
  const message = `${quote(parent.name)} is signed and would prove that the zone does not exist: create an NS recordset for ${quote(name)} in it first`
  throw new ApiError('illegal_child', message)
}

/** The nearest zone above in the same pool. */
export function findParentZone(
  reader: StoreReader,
  { name, poolId }: Pick<Zone, 'name' | 'poolId'>,
): Zone | undefined {
  for (const above of enclosingNames(name.toLowerCase())) {
    const zone = findInPool(reader, poolId, above)
    if (zone !== undefined && !zone.isDeleting) return zone
  }
  return undefined
}

/** Whether a zone has NS at a name, or above it and below the apex. */
function isDelegated(reader: StoreReader, zone: Zone, name: string): boolean {
  const lowerName = name.toLowerCase()
  return [lowerName, ...enclosingNames(lowerName)]
    .filter(above => above.length > zone.name.length)
    .some(name => findRecordsetOf(reader, zone, { name, type: 'NS' }))
}

/** Whether any pool has zones below this one. */
export function hasChildZones(reader: StoreReader, zone: Zone): boolean {
  return reader.count('zones', 'byAncestor', zone.name.toLowerCase()) > 0
}

function zonesNamed(reader: StoreReader, lowerName: string): readonly Zone[] {
  return [...reader.list('zones', 'byLowerName', lowerName)]
}

/** Finds a zone by its name, in any case. */
export function findInPool(reader: StoreReader, poolId: string, name: string): Zone | undefined {
  return reader.find('zones', 'byName', keyOf(poolId, name.toLowerCase()))
}

function duplicateZone(name: string): ApiError {
  return new ApiError('duplicate_zone', `Duplicate Zone: ${quote(name)} exists`)
}
