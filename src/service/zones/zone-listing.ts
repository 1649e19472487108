import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { ListOptions, StoreReader } from '../../store/store.ts'
import { compareCreation, type Listing } from '../listing/listing.ts'
import { findShare } from '../rules/zone-access.ts'

/** The zones in a caller's lists: its own, and those shared with it, which are not counted. */
export function zonesOf(reader: StoreReader, caller: Caller): Listing<Zone> {
  const { hasAllProjects, projectId } = caller
  if (hasAllProjects) {
    return {
      walk: options => reader.list('zones', 'all', everything, options),
      count: () => reader.count('zones', 'all', everything),
      find: id => findManaged(reader, id),
    }
  }
  const isOwn = (zone: Zone): boolean => zone.projectId === projectId
  return {
    walk: options => merged(reader, projectId, options),
    count: () => reader.count('zones', 'byProject', projectId),
    find: id => {
      const zone = findManaged(reader, id)
      if (zone === undefined || isOwn(zone)) return zone
      return findShare(reader, projectId, zone) && zone
    },
    isCounted: isOwn,
  }
}

function findManaged(reader: StoreReader, id: string): Zone | undefined {
  const zone = reader.get('zones', id)
  return zone?.isAbandoned ? undefined : zone
}

/** The zones of `zonesOf` that have exactly this name. */
export function zonesOfName(reader: StoreReader, caller: Caller, name: string): Listing<Zone> {
  const all = zonesOf(reader, caller)
  function* walk(options: ListOptions): Generator<Zone> {
    for (const zone of reader.list('zones', 'byLowerName', name.toLowerCase(), options)) {
      if (all.find(zone.id) !== undefined) yield zone
    }
  }
  const isCounted = ({ projectId }: Zone): boolean => reachesProject(caller, projectId)
  return { ...all, walk, isCounted, count: () => [...walk({})].filter(isCounted).length }
}

/** A project's own zones and those shared with it, in one order. Costs a walk over its shares, then one step a zone. */
function* merged(reader: StoreReader, projectId: string, options: ListOptions): Generator<Zone> {
  const shared = sharedZones(reader, projectId, options)
  const isBefore = ordering(options)
  let next = 0
  for (const own of reader.list('zones', 'byProject', projectId, options)) {
    for (let zone = shared[next]; zone !== undefined && isBefore(zone, own); zone = shared[next]) {
      yield zone
      next += 1
    }
    yield own
  }
  yield* shared.slice(next)
}

function sharedZones(reader: StoreReader, projectId: string, options: ListOptions): Zone[] {
  const { after } = options
  const isBefore = ordering(options)
  const zones: Zone[] = []
  for (const { zoneId } of reader.list('zoneShares', 'byTarget', projectId)) {
    const zone = reader.get('zones', zoneId)
    if (zone === undefined) continue
    if (after === undefined || isBefore(after, zone)) zones.push(zone)
  }
  return zones.sort((one, other) => (isBefore(one, other) ? -1 : 1))
}

type SortKey = { readonly createdAt: number; readonly id: string }

function ordering({ isDescending }: ListOptions): (one: SortKey, other: SortKey) => boolean {
  const sign = isDescending ? -1 : 1
  return (one, other) => sign * compareCreation(one, other) < 0
}
