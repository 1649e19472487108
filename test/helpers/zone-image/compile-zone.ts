import { types } from '../../../src/dns/codes.ts'
import { lowerCaseName, type Name } from '../../../src/dns/name.ts'
import type { OwnedRrset } from '../../../src/zone/rrset.ts'
import { ZoneImage } from './image.ts'

/** Builds the image of a zone from its RRsets, in any order, each owner and type once.
 *  @throws RangeError no SOA at the apex, an owner outside the zone, or an empty RRset; ask `zoneDefects` first
 *  where the data comes from outside. */
export function compileZone(apex: Name, rrsets: Iterable<OwnedRrset>): ZoneImage {
  const apexKey = lowerCaseName(apex)
  let image: ZoneImage | undefined
  const early: OwnedRrset[] = []
  for (const rrset of rrsets) {
    if (image !== undefined) image.putRrset(rrset.owner, rrset)
    else if (isSoaOf(apexKey, rrset)) image = new ZoneImage(rrset)
    else early.push(rrset)
  }
  if (image === undefined) throw new RangeError('the zone has no SOA at its apex')
  for (const rrset of early) image.putRrset(rrset.owner, rrset)
  return image
}

function isSoaOf(apexKey: Name, rrset: OwnedRrset): boolean {
  return rrset.type === types.SOA && lowerCaseName(rrset.owner) === apexKey
}
