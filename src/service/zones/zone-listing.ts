import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { ListOptions, StoreReader } from '../../store/store.ts'
import { compareCreation, groupListing, type Listing } from '../listing/listing.ts'
import { compareValues } from '../listing/page-selection.ts'
import { findShare } from '../rules/zone-access.ts'

/** The zones in a caller's lists: its own, and those shared with it, which are not counted. */
export function zonesOf(reader: StoreReader, caller: Caller): Listing<Zone> {
  const { hasAllProjects, projectId } = caller
  if (hasAllProjects) {
    return {
      ...groupListing(reader, 'zones', { index: 'all', key: everything }),
      walkByName: options => reader.list('zones', 'allByName', everything, options),
    }
  }
  const isOwn = (zone: Zone): boolean => zone.projectId === projectId
  return {
    walk: options => merged(reader, projectId, { ...options, index: 'byProject' }),
    walkByName: options => merged(reader, projectId, { ...options, index: 'ofProjectByName' }),
    count: () => reader.count('zones', 'byProject', projectId),
    find: id => {
      const zone = reader.get('zones', id)
      if (zone === undefined || zone.isAbandoned) return undefined
      if (isOwn(zone)) return zone
      return findShare(reader, projectId, zone) && zone
    },
    isCounted: isOwn,
  }
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
  const count = (): number => [...walk({})].filter(isCounted).length
  return { walk, count, find: all.find, isCounted }
}

/** How to walk, and the index in whose order. */
type Ordered = ListOptions & { readonly index: 'byProject' | 'ofProjectByName' }

/** A project's own zones and those shared with it, in one order. Costs a walk over its shares, then one step a zone. */
function* merged(reader: StoreReader, projectId: string, options: Ordered): Generator<Zone> {
  const shared = sharedZones(reader, projectId, options)
  const isBefore = ordering(options)
  let next = 0
  for (const own of reader.list('zones', options.index, projectId, options)) {
    for (let zone = shared[next]; zone !== undefined && isBefore(zone, own); zone = shared[next]) {
      yield zone
      next += 1
    }
    yield own
  }
  yield* shared.slice(next)
}

function sharedZones(reader: StoreReader, projectId: string, options: Ordered): Zone[] {
  // By name, the place of a row is the row.
  const after = options.after as Zone | undefined
  const isBefore = ordering(options)
  const zones: Zone[] = []
  for (const { zoneId } of reader.list('zoneShares', 'byTarget', projectId)) {
    const zone = reader.get('zones', zoneId)
    if (zone === undefined) continue
    if (after === undefined || isBefore(after, zone)) zones.push(zone)
  }
  return zones.sort((one, other) => (isBefore(one, other) ? -1 : 1))
}

function ordering({ isDescending, index }: Ordered): (one: Zone, other: Zone) => boolean {
  const sign = isDescending ? -1 : 1
  const compare = index === 'byProject' ? compareCreation : compareNames
  return (one, other) => sign * compare(one, other) < 0
}

function compareNames(one: Zone, other: Zone): number {
  const [name, otherName] = [one.name.toLowerCase(), other.name.toLowerCase()]
  return compareValues(name, otherName) || compareValues(one.id, other.id)
}
