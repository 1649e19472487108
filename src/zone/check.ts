import { types } from '../dns/codes.ts'
import { isAtOrBelow, lowerCaseName, type Name, parentName } from '../dns/name.ts'
import { nameDefects, rrsetDefects, typeDefects } from './check-name.ts'
import type { ZoneDefect } from './defect.ts'
import type { Rrset } from './rrset.ts'

// The rules that data must satisfy to be a zone. `zoneDefects` judges a whole zone from outside (a transfer, an
// import); `checkPut` judges one change to a zone that is already sound, at the cost of that change.

/** The facts about a zone by which `checkPut` judges a change. Names in any case. */
export type ZoneContents = {
  readonly apex: Name
  /** The types of exactly this name; none where it does not exist. */
  typesAt(owner: Name): readonly number[]
  ownsDname(owner: Name): boolean
  /** Whether any name below this one exists. */
  hasNamesBelow(owner: Name): boolean
}

/** A name of a zone and all that it owns. */
export type NameContents = {
  /** In lower case. */
  readonly key: Name
  readonly owner: Name
  readonly rrsets: readonly Rrset[]
}

/** Names of a zone, each given once, at or below the apex, with each type once and no record twice: all names, or at
 *  least those that a rule concerns. */
type NamesOf = (which: 'all' | 'ruled') => Iterable<NameContents>

/** Finds all defects of a zone. It reads all names only where there is a DNAME. O(zone). */
export function* zoneDefects(apexKey: Name, names: NamesOf): Generator<ZoneDefect> {
  let atApex: readonly Rrset[] = []
  const dnames = new Map<Name, Name>()
  for (const { key, owner, rrsets } of names('ruled')) {
    const isApex = key === apexKey
    yield* nameDefects({ owner, rrsets, isApex })
    if (isApex) atApex = rrsets
    if (hasDname(rrsets)) dnames.set(key, owner)
  }
  yield* apexDefects(atApex)
  if (dnames.size > 0) yield* dnameDefects({ apexKey, names: names('all'), dnames })
}

/** Returns the defects that the RRset has, and those that it would make with the types of its name and with the names above and
 *  below it. O(labels + types). */
export function checkPut(contents: ZoneContents, owner: Name, rrset: Rrset): ZoneDefect[] {
  const key = lowerCaseName(owner)
  const apexKey = lowerCaseName(contents.apex)
  if (!isAtOrBelow(key, apexKey)) return [{ kind: 'outside-zone', owner }]
  const typesBefore = contents.typesAt(owner)
  const isNew = !typesBefore.includes(rrset.type)
  const ownTypes = isNew ? [...typesBefore, rrset.type] : typesBefore
  const isApex = key === apexKey
  // A name that has too many already, from before they were limited, keeps them.
  const ofTypes = typeDefects({ owner, isApex, ownTypes }).filter(
    ({ kind }) => isNew || kind !== 'too-many-types',
  )
  const defects = [...rrsetDefects(owner, rrset), ...ofTypes]
  if (rrset.type === types.DNAME && contents.hasNamesBelow(owner)) {
    defects.push({ kind: 'data-below-dname', owner })
  }
  const above = ancestorWithDname(key, apexKey, name => contents.ownsDname(name))
  if (above !== undefined && !mayBeBelowDname(rrset)) {
    defects.push({ kind: 'data-below-dname', owner: above })
  }
  return defects
}

function* apexDefects(rrsets: readonly Rrset[]): Generator<ZoneDefect> {
  if (!rrsets.some(rrset => rrset.type === types.SOA)) yield { kind: 'soa-missing' }
  if (!rrsets.some(rrset => rrset.type === types.NS)) yield { kind: 'ns-missing' }
}

/** Yields each DNAME that has data below it, once. */
function* dnameDefects({
  apexKey,
  names,
  dnames,
}: {
  readonly apexKey: Name
  readonly names: Iterable<NameContents>
  /** Owners of DNAME as given, by themselves in lower case. */
  readonly dnames: Map<Name, Name>
}): Generator<ZoneDefect> {
  for (const name of names) {
    if (name.rrsets.every(mayBeBelowDname)) continue
    const above = ancestorWithDname(name.key, apexKey, owner => dnames.has(owner))
    const owner = above === undefined ? undefined : dnames.get(above)
    if (above === undefined || owner === undefined) continue
    yield { kind: 'data-below-dname', owner }
    dnames.delete(above)
  }
}

/** Returns the nearest name above `key`, up to the apex, that owns a DNAME. */
function ancestorWithDname(
  key: Name,
  apexKey: Name,
  ownsDname: (name: Name) => boolean,
): Name | undefined {
  for (let name = key; name !== apexKey; ) {
    name = parentName(name)
    if (ownsDname(name)) return name
  }
  return undefined
}

function hasDname(rrsets: readonly Rrset[]): boolean {
  return rrsets.some(rrset => rrset.type === types.DNAME)
}

/** Hashed owners of NSEC3 (RFC 5155 section 3) are children of the apex whatever the apex owns. */
function mayBeBelowDname(rrset: Rrset): boolean {
  return rrset.type === types.NSEC3 || rrset.type === types.RRSIG
}
